"""The rehearsal itself would see what must not happen: each kind of it is provoked here, and found."""

import sys
from pathlib import Path

import pytest

from tests.rehearsal.act import Event, Machine, Order, run_workflow
from tests.rehearsal.python import make_python
from tests.rehearsal.record import Run
from tests.rehearsal.secrecy import leaks
from tests.rehearsal.students import canary, five_students
from tests.rehearsal.test_play import strange_commands

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can shut code in strictly")

WORKFLOW = """
name: careless
on: push
jobs:
  first:
    runs-on: ubuntu-24.04
    outputs:
      word: ${{ steps.said.outputs.word }}
    steps:
      - id: said
        run: |
          STEP
  second:
    needs: first
    runs-on: ubuntu-24.04
    steps:
      - env:
          WORD: ${{ needs.first.outputs.word }}
        run: test "$WORD" = aloud
"""


def careless(folder: Path, step: str, payload: dict[str, object], secrets: dict[str, str] | None = None) -> Run:
    """Run a workflow whose first job has this step, and whose second one wants to hear of it."""
    (folder / "workflow.yml").write_text(WORKFLOW.replace("STEP", step), encoding="utf-8")
    machine = Machine(folder, make_python(folder / "python"), "http://127.0.0.1:9", "http://127.0.0.1:9")
    event = Event("push", "owner/name", "owner", payload)
    return run_workflow(machine, Order(event, folder, "workflow.yml", 1, secrets or {}))


@pytest.mark.parametrize("quote", ["", "'", '"'])
@pytest.mark.parametrize("what", ["branch", "title", "message"])
def test_texts_of_the_attacker_would_be_run(what: str, quote: str, tmp_path: Path) -> None:
    (mallory,) = (student for student in five_students(tmp_path) if student.login == "mallory")
    text = getattr(mallory, what).splitlines()[0]
    careless(tmp_path, f"echo {quote}${{{{ github.event.text }}}}{quote}", {"text": text})
    assert canary(tmp_path, what).exists()


def test_a_record_has_what_happened(tmp_path: Path) -> None:
    step = "; ".join(
        [
            'echo "word=aloud" >> "$GITHUB_OUTPUT"',
            "echo '::error file=a.py,line=3::bad%0Aindeed'",
            'echo "# Summary" >> "$GITHUB_STEP_SUMMARY"',
            "echo plain",
        ]
    )
    run = careless(tmp_path, step, {})
    assert (run.exit_code, run.results) == (0, {"first": "success", "second": "success"})
    (error,) = run.annotations
    assert (error.name, error.words, error.properties) == ("error", "bad\nindeed", {"file": "a.py", "line": "3"})
    assert run.summary == "# Summary\n"
    assert [step.printed for step in run.steps()] == ["plain\n", ""]
    assert strange_commands(run) == ["command set-output"]  # no step of the workflows tells a `word`


def test_a_step_that_fails_ends_its_job_and_those_that_need_it(tmp_path: Path) -> None:
    run = careless(tmp_path, "exit 3", {})
    assert (run.exit_code, run.results) == (1, {"first": "failure"})


def test_commands_and_secrets_in_a_log_are_seen(tmp_path: Path) -> None:
    """A secret is not masked, as it would be seen there by nobody."""
    run = careless(
        tmp_path,
        "echo ::add-mask::0; echo ::stop-commands::x; echo ::add-mask::1; echo ::x::; echo ${{ secrets.KEY }}",
        {},
        {"KEY": "not-for-anyone"},
    )
    assert strange_commands(run) == ["command add-mask", "command ignored"]
    assert leaks({"not-for-anyone": "the key", "elsewhere": "a line"}, [("a log", run.text)]) == ["the key in a log"]
