"""The archive for Gradescope: packed the same way each time, unpacked as Gradescope does it, and run."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from graders.engine.load.handed_out import as_record
from tests.command_line import ALL_PASSED, GRADERS_FAULT, NO_SANDBOX, NOTHING_GRADED, ROOT, CommandLine
from tests.report.gradescope_model import Results

SLUG = "ex01_lookup"
COURSE = ROOT / "tests" / "attacks" / "course"
SOLVED = (ROOT / "tests" / "attacks" / "honest.py").read_text(encoding="utf-8")
STUB = '''\
"""Exercise 1: rows of a table, plus a bias."""

from torch import nn


class Lookup(nn.Module):
    """Rows of a table, plus a bias."""

    def __init__(self, rows: int, width: int) -> None:
        super().__init__()
        raise NotImplementedError("TODO 1: make table and bias")
'''
# Besides, it tries to write its own results.
WRITING = """\
try:
    with open(RESULTS, "w") as file:
        file.write('{"score": 100}')
except OSError as error:
    refusal = f"refused: {type(error).__name__}"
"""
RAISING = SOLVED.replace("return self.table", 'raise RuntimeError(f"::error::x </pre> {refusal}"); return self.table')
OURS = ("LICENSE", "constraints.txt", "pyproject.toml", "graders/__init__.py", "graders/__main__.py")
ALSO_OURS = (
    "graders/card.schema.json",
    *(f".github/workflows/{name}.yml" for name in ("class", "feedback", "grade")),
)
HIDDEN = ("values", "gradient", "mode")


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A staff repository of one exercise, with our engine."""
    root = tmp_path_factory.mktemp("upstream")
    shutil.copytree(COURSE, root, dirs_exist_ok=True)
    for folder in ("graders/engine", "graders/handout"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*OURS, *ALSO_OURS):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "exercises").mkdir()
    (root / "exercises" / f"{SLUG}.py").write_text(STUB, encoding="utf-8")
    for name in ("README.md", "CHANGELOG.md"):
        (root / "exercises" / name).write_text("# A lesson\n", encoding="utf-8")
    (root / "graders" / "handed_out.json").write_text(as_record({f"{SLUG}.py": STUB}), encoding="utf-8")
    (root / "marks.json").write_text("{}", encoding="utf-8")
    (root / "exercises" / f"{SLUG}.bak").write_text("somebody's", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def archive(upstream: Path, tmp_path_factory: pytest.TempPathFactory, command_line: CommandLine) -> bytes:
    """The archive that the command writes."""
    folder = tmp_path_factory.mktemp("archive")
    done = command_line.run(folder, "export-autograder", "autograder.zip", "--course", upstream)
    assert done.returncode == 0, done.stderr
    assert "keep it where no student can read" in done.stdout
    return (folder / "autograder.zip").read_bytes()


@pytest.fixture
def image(archive: bytes, tmp_path: Path) -> Path:
    """A folder as Gradescope lays it out, with results of an earlier run in it."""
    root = tmp_path / "autograder"
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        for entry in packed.infolist():
            path = Path(packed.extract(entry, root / "source"))
            path.chmod(entry.external_attr >> 16 & 0o777)
    shutil.copy(root / "source" / "run_autograder", root)
    (root / "submission").mkdir()
    (root / "results").mkdir()
    (root / "results" / "results.json").write_text('{"score": 100}', encoding="utf-8")
    (root / "submission_metadata.json").write_text("{}", encoding="utf-8")
    return root


def hand_in(image: Path, text: str) -> None:
    (image / "submission" / f"{SLUG}.py").write_text(text, encoding="utf-8")


def run(image: Path, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    """Run the archive's own script, as Gradescope runs it."""
    names = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [image / "run_autograder"],
        cwd=image,
        env=names | {"AUTOGRADER": str(image), "AUTOGRADER_PYTHON": python},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def results(image: Path) -> dict[str, Any]:
    text = (image / "results" / "results.json").read_text(encoding="utf-8")
    Results.model_validate_json(text)
    return json.loads(text)


def test_a_solved_submission(image: Path) -> None:
    hand_in(image, SOLVED)
    done = run(image)
    assert (done.returncode, done.stderr) == (0, "")
    found = results(image)
    assert found["score"] == 8
    assert {test["status"] for test in found["tests"]} == {"passed"}
    assert [test["visibility"] for test in found["tests"]] == ["visible"] * 2 + ["after_published"] * 3
    assert not [name for name in HIDDEN if name in done.stdout]


def test_an_empty_submission_has_no_points_and_a_reason(image: Path) -> None:
    done = run(image)
    assert done.returncode == 0, done.stderr
    found = results(image)
    assert (found["score"], found["tests"]) == (0, [])
    assert found["output"].startswith("Nothing was graded: ")
    assert f"{SLUG}.py" in found["output"]


def test_code_that_raises_and_would_write_results(image: Path, command_line: CommandLine) -> None:
    kept = image / "results" / "kept.json"
    kept.write_text("ours", encoding="utf-8")
    hand_in(image, f"RESULTS = {str(kept)!r}\n{WRITING}{RAISING}")
    done = command_line.run(image, "run-autograder", image, "--course", image / "source")
    assert done.returncode == ALL_PASSED, done.stderr
    found = results(image)
    assert found["score"] == 1
    failed = [test for test in found["tests"] if test["status"] == "failed"]
    assert len(failed) == 4
    assert "RuntimeError" in failed[0]["output"]
    assert "refused: PermissionError" in failed[0]["output"]
    assert kept.read_text(encoding="utf-8") == "ours"
    assert "::error::" not in failed[0]["output"]
    assert found["stdout_visibility"] == "hidden"
    assert not [name for name in HIDDEN if name in done.stdout]


def test_a_fault_of_the_course_leaves_no_results(image: Path) -> None:
    hand_in(image, SOLVED)
    (image / "source" / "grading.yaml").write_text("version: 1\n", encoding="utf-8")
    done = run(image)
    assert done.returncode == GRADERS_FAULT
    assert "The course needs mending" in done.stderr
    assert list((image / "results").iterdir()) == []


def test_a_broken_check_leaves_no_results_and_is_named(image: Path, command_line: CommandLine) -> None:
    hand_in(image, SOLVED)
    (image / "results" / "results.json").unlink()
    hidden = image / "source" / "graders" / SLUG / "hidden.py"
    text = hidden.read_text(encoding="utf-8")
    assert "def check_mode(" in text
    start = text.index("def check_mode(")
    at = text.index("\n", text.index('"""', text.index('"""', start) + 3))
    hidden.write_text(f"{text[:at]}\n    raise KeyError('ours')\n{text[at:]}", encoding="utf-8")
    done = command_line.run(image, "run-autograder", image, "--course", image / "source")
    assert done.returncode == GRADERS_FAULT
    assert f"{SLUG}: mode" in done.stderr
    assert list((image / "results").iterdir()) == []


def test_without_a_sandbox_there_are_no_results(
    image: Path, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graders.engine.cli import grading
    from graders.engine.errors import SandboxError

    def refuse(*_: object) -> None:
        raise SandboxError("no landlock")

    hand_in(image, SOLVED)
    (image / "results" / "results.json").unlink()
    monkeypatch.setattr(grading, "require_sandbox", refuse)
    done = command_line.run(image, "run-autograder", image, "--course", image / "source")
    assert done.returncode == NO_SANDBOX
    assert list((image / "results").iterdir()) == []


def test_without_a_submission_the_autograder_fails(image: Path, command_line: CommandLine) -> None:
    (image / "submission").rmdir()
    done = command_line.run(image, "run-autograder", image, "--course", image / "source")
    assert done.returncode == GRADERS_FAULT
    assert "there is no folder" in done.stderr


def test_old_results_go_before_anything_else(image: Path) -> None:
    assert run(image, python="/nowhere/python").returncode != 0
    assert list((image / "results").iterdir()) == []


# ------------------------------------------------------------ the archive


def test_the_same_course_makes_the_same_archive(
    archive: bytes, upstream: Path, tmp_path: Path, command_line: CommandLine
) -> None:
    for path in upstream.rglob("*"):
        os.utime(path, (1, 1))
    command_line.run(tmp_path, "export-autograder", "again.zip", "--course", upstream)
    assert (tmp_path / "again.zip").read_bytes() == archive


def test_what_the_archive_holds(archive: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        names = packed.namelist()
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in packed.infolist()}
        rubric = packed.read("grading.yaml").decode()
    assert names == sorted(names)
    private = {f"graders/{SLUG}/hidden.py", f"reference/{SLUG}.py", "graders/engine/cli/grade.py", "constraints.txt"}
    assert private <= set(names)
    assert "gradient: 2" in rubric
    assert not [name for name in names if name.endswith((".bak", "marks.json", ".pyc"))]
    assert {name for name, mode in modes.items() if mode == 0o755} == {"setup.sh", "run_autograder"}
    assert {mode for name, mode in modes.items()} == {0o755, 0o644}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.zip", "--isolation=practice"], "'practice' is not one of 'strict', 'external'"),
        (["a.tar"], "expected a name that ends in .zip"),
        (["nowhere/a.zip"], "a.zip cannot be written"),
    ],
)
def test_what_does_not_fit_is_refused(
    arguments: list[str], said: str, upstream: Path, tmp_path: Path, command_line: CommandLine
) -> None:
    done = command_line.run(tmp_path, "export-autograder", *arguments, "--course", upstream)
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_external_isolation_is_in_the_script(upstream: Path, tmp_path: Path, command_line: CommandLine) -> None:
    command_line.run(tmp_path, "export-autograder", "a.zip", "--isolation=external", "--course", upstream)
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        assert "--isolation=external" in packed.read("run_autograder").decode()


# ------------------------------------------------------------ set-up


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder"])
def test_bash_can_read_the_scripts(name: str, archive: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        script = packed.read(name)
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


FAKE = """\
#!/bin/bash
echo "$0 $*" >> "$LOG"
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi
"""


def set_up(image: Path, **variables: str) -> list[str]:
    """Run setup.sh with a Python that only notes what it is asked; return that."""
    tools = image / "tools"
    tools.mkdir()
    (tools / "python3.12").write_text(FAKE, encoding="utf-8")
    (tools / "python3.12").chmod(0o755)
    log = image / "log"
    done = subprocess.run(
        ["bash", image / "source" / "setup.sh"],
        env={"PATH": f"{tools}:/usr/bin:/bin", "AUTOGRADER": str(image), "LOG": str(log), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [line for line in log.read_text(encoding="utf-8").splitlines() if "-c" not in line.split()]


def test_set_up_makes_an_environment_with_torch_for_cpus(image: Path) -> None:
    python, constraints = f"{image}/venv/bin/python", f"--constraint {image}/source/constraints.txt"
    pip = f"{python} -m pip install --disable-pip-version-check {constraints}"
    assert set_up(image) == [
        f"{image}/tools/python3.12 -m venv {image}/venv",
        f"{pip} --no-deps --index-url https://download.pytorch.org/whl/cpu torch",
        f"{pip} --editable {image}/source",
    ]


def test_set_up_can_take_torch_from_elsewhere(image: Path) -> None:
    asked = set_up(image, TORCH_INDEX="")
    assert len(asked) == 2
    assert not [line for line in asked if line.endswith(" torch")]
