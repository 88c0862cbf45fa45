"""The few lines of shell in the workflows, run as they stand there, with the grader's commands played by a script."""

import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass

import pytest

from tests import workflow_rules as rules

BY_NAME = {workflow.name: workflow for workflow in rules.workflows()}
BASH = shutil.which("bash")
SHA = "0123456789" * 4
# What a student or a hidden check may have got into the grader's words.
HOSTILE = "::error title=100/100::all passed\n::set-output name=code::0\n::add-mask::0\nhidden check: long_input"

pytestmark = pytest.mark.skipif(os.name == "nt" or BASH is None, reason="the workflows run on Linux, with bash")


@dataclass(frozen=True)
class Done:
    """What a step printed and left, and how the grader was called in it."""

    code: int
    stdout: str
    outputs: dict[str, str]
    summary: str
    calls: list[str]


@pytest.fixture
def step(tmp_path):
    """``step(file, job, name, ends, **variables)``: runs a step; ``ends``: the exit codes of the grader's commands.

    Any command prints what is hostile, and `grade` writes a card where it ends with 0, 1 or 3.
    """
    programs = tmp_path / "programs"
    programs.mkdir()
    python = programs / "python"
    python.write_text(
        f"""#!{sys.executable}
import os, sys
if sys.argv[1] == "-c":
    os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])
with open({str(tmp_path / "calls")!r}, "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
command = sys.argv[3]
code = int(os.environ.get(f"ENDS_{{command}}", "0"))
print({HOSTILE!r} if command == "grade" else f"said by {{command}}", flush=True)
print({HOSTILE!r}, file=sys.stderr)
if command == "grade" and code in (0, 1, 3):
    open(sys.argv[sys.argv.index("--json") + 1], "w").close()
sys.exit(code)
""",
        encoding="utf-8",
    )
    python.chmod(python.stat().st_mode | stat.S_IXUSR)

    def step(file, job, name, ends=None, **variables):
        (found,) = [one for one in BY_NAME[file].jobs[job]["steps"] if one.get("name") == name]
        files = {variable: tmp_path / variable for variable in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in (*files.values(), tmp_path / "calls"):
            path.write_text("", encoding="utf-8")
        (tmp_path / "whole.json").unlink(missing_ok=True)
        environment = {"PATH": f"{programs}{os.pathsep}{os.defpath}", "RUNNER_TEMP": str(tmp_path), "SHA": SHA}
        environment |= {variable: str(path) for variable, path in files.items()} | variables
        environment |= {f"ENDS_{command}": str(code) for command, code in (ends or {}).items()}
        done = subprocess.run(
            [BASH, "-e", "-c", found["run"]],  # as a runner does where no shell is chosen
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        lines = files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()
        return Done(
            done.returncode,
            done.stdout,
            dict(line.split("=", 1) for line in lines),
            files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8"),
            (tmp_path / "calls").read_text(encoding="utf-8").splitlines(),
        )

    return step


# ------------------------------------------------------------ practice


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4])
def test_practice_hands_its_exit_code_on_and_says_what_it_is(code, step):
    done = step("feedback.yml", "practice", "Run the visible checks", {"grade": code})
    assert (done.code, done.outputs) == (0, {"code": str(code)})
    assert done.calls == ["-m graders grade exercises --json card.json"]
    assert done.summary.splitlines()[0].startswith("Practice, not the grade: ")


def test_nothing_that_practice_prints_is_a_command_to_github(step):
    tokens = []
    for _ in range(2):
        first, *report, last = step("feedback.yml", "practice", "Run the visible checks").stdout.splitlines()
        assert first.startswith("::stop-commands::")
        assert any(line.startswith("::error") for line in report)
        tokens.append(first.removeprefix("::stop-commands::"))
        assert last == f"::{tokens[-1]}::", "and what comes after it, the annotations, is"
        assert len(tokens[-1]) == 32
    assert tokens[0] != tokens[1]


def test_the_card_is_shown_in_the_summary_and_on_the_lines(step):
    done = step("feedback.yml", "practice", "Show the card")
    assert done.calls == [f"-m graders export card.json --to {how}" for how in ("markdown", "annotations")]
    assert done.summary == "\nsaid by export\n"
    assert "said by export" in done.stdout


@pytest.mark.parametrize(
    ("code", "said"),
    [("2", "nothing could be read that was handed in"), ("3", "not your fault"), ("", "not your fault")],
)
def test_practice_without_a_card_is_red_and_says_why(code, said, step):
    done = step("feedback.yml", "practice", "Say why there is no card", CODE=code)
    assert done.code == 1
    assert said in done.summary
    (annotation,) = done.stdout.splitlines()
    assert annotation.startswith("::error title=No card::")
    assert said in annotation


# ------------------------------------------------------------ the grade


@pytest.mark.parametrize(
    ("code", "ends", "outputs"),
    [
        (0, 0, {"card": "true", "code": "0"}),
        (1, 0, {"card": "true", "code": "0"}),
        (2, 0, {"code": "2"}),
        (3, 1, {"card": "true", "failed": "3"}),
        (4, 1, {"failed": "4"}),
        (137, 1, {"failed": "137"}),
    ],
)
def test_grading_prints_no_report_and_hands_its_exit_code_on(code, ends, outputs, step, tmp_path):
    done = step("grade.yml", "grade", "Grade", {"grade": code}, STUDENT="ada")
    assert (done.code, done.outputs) == (ends, outputs)
    # Which the real commands clean.
    why = {2: f"{HOSTILE}\n", 4: f"said by probe\n{HOSTILE}\n"}.get(code, "")
    assert done.stdout == f"Graded, with exit code {0 if code == 1 else code}.\n{why}"
    assert "hidden check" in (tmp_path / "report.txt").read_text(encoding="utf-8")
    assert done.summary == ""
    place = str(tmp_path)
    assert done.calls == [
        f"-m graders grade {place}/submission --commit {SHA} --hidden --course {place}/course --student ada "
        f"--json {place}/whole.json",
        *(["-m graders probe"] if code == 4 else []),
    ]


def test_fetching_hands_its_exit_code_on_too(step):
    name = "Fetch what was handed in, as objects"
    done = step("grade.yml", "grade", name, {"fetch": 3}, GITHUB_REPOSITORY="university/course")
    assert (done.code, done.outputs) == (1, {"failed": "3"})
    done = step("grade.yml", "grade", name, GITHUB_REPOSITORY="university/course")
    assert (done.code, done.outputs) == (0, {})


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("0", "{place}/card/card.json"),
        ("2", "--not-graded 2"),
        ("3", "--not-graded 3"),
        ("4", "--not-graded 4"),
        ("137", "--not-graded 137"),
    ],
)
def test_a_card_is_posted_or_that_there_is_none(code, how, step, tmp_path):
    done = step("grade.yml", "post", "Post", CODE=code, PULL="12")
    assert done.code == 0
    assert done.calls == [f"-m graders post {how.format(place=tmp_path)} --pull 12 --sha {SHA}"]
    assert step("grade.yml", "post", "Post", {"post": 2}, CODE=code, PULL="12").code == 2


# ------------------------------------------------------------ a class


def test_sweeping_prints_numbers_alone(step, tmp_path):
    names = {"COURSE": "university/course", "DEADLINE": "", "GITHUB_TOKEN": "x"}
    (tmp_path / "roster.csv").write_text("login\n", encoding="utf-8")
    done = step("class.yml", "sweep", "Sweep", **names)
    assert (done.code, done.stdout) == (0, "said by sweep\n"), "which is the last line of it, and of the numbers"
    place = str(tmp_path)
    assert done.calls == [
        f"-m graders sweep university/course --deadline  --out {place}/sweep --roster roster.csv "
        f"--output {place}/GITHUB_OUTPUT"
    ]
    assert (tmp_path / "sweep").stat().st_mode & 0o077 == 0


def test_a_sweep_that_fails_says_why(step):
    done = step("class.yml", "sweep", "Sweep", {"sweep": 3}, COURSE="university/course", DEADLINE="")
    assert (done.code, done.stdout) == (3, "\n".join(HOSTILE.splitlines()[-2:]) + "\n"), "cleaned by the real one"


def test_a_seed_is_drawn(step):
    seeds = {step("class.yml", "sweep", "Draw the seed of this grading").outputs["seed"] for _ in range(2)}
    assert len(seeds) == 2
    assert all(0 <= int(seed) < 2**31 for seed in seeds)


@pytest.mark.parametrize("sealed", [True, False])
def test_hidden_checks_are_opened_where_they_are_sealed(sealed, step, tmp_path):
    if sealed:
        (tmp_path / "graders").mkdir()
        (tmp_path / "graders" / "hidden.age").touch()
    place = str(tmp_path)
    swept = f"-m graders unseal-folder {place}/sealed/sweep.age {place}/sweep"
    done = step("class.yml", "grade", "Open it, and the hidden checks", GRADING_KEY="x")
    assert done.calls == [swept, *([f"-m graders unseal {place}/course"] if sealed else [])]
    assert step("class.yml", "grade", "Open it, and the hidden checks", {"unseal-folder": 2}).code == 2


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (2, 2), (3, 0), (4, 4), (137, 137)])
def test_grading_a_class_prints_no_word_of_it(code, ends, step, tmp_path):
    numbers = {"SHARD": "2", "OF": "3", "SEED": "17", "GITHUB_WORKSPACE": "/workspace"}
    done = step("class.yml", "grade", "Grade", {"class": code}, **numbers)
    why = {2: f"{HOSTILE}\n", 4: f"said by probe\n{HOSTILE}\n"}.get(code, "")
    assert (done.code, done.stdout) == (ends, f"Graded shard 2 of 3, with exit code {code}.\n{why}")
    place = str(tmp_path)
    assert done.calls[0] == (
        f"-m graders class {place}/sweep/submissions.json --out {place}/class --shard 2/3 --seed 17 --course /workspace"
    )
    (tmp_path / "course").mkdir()
    (tmp_path / "roster.csv").touch()
    done = step("class.yml", "grade", "Grade", **numbers)
    assert done.calls[0].endswith(f"--course {place}/course --roster roster.csv")


def test_parts_are_opened_each_into_a_folder(step, tmp_path):
    (tmp_path / "parts").mkdir()
    for number in (1, 2):
        (tmp_path / "parts" / f"part-{number}.age").touch()
    done = step("class.yml", "merge", "Open them", GRADING_KEY="x")
    place = f"{tmp_path}/parts/part"
    assert done.calls == [f"-m graders unseal-folder {place}-{number}.age {place}-{number}" for number in (1, 2)]
    assert list((tmp_path / "parts").iterdir()) == []


MERGE = "Merge them, enter them into a gradebook, and write the report"


@pytest.mark.parametrize("failing", ["", "merge", "gradebook", "report"])
def test_merging_prints_nothing_of_a_class_and_stops_where_something_fails(failing, step, tmp_path):
    for number in (1, 2):
        (tmp_path / "parts" / f"part-{number}").mkdir(parents=True)
    done = step("class.yml", "merge", MERGE, {failing: 3} if failing else {})
    said = "Merged, with a gradebook and a report.\n"
    assert (done.code, done.stdout) == ((3, "") if failing else (0, said))
    place = str(tmp_path)
    calls = [
        f"-m graders merge {place}/parts/part-1 {place}/parts/part-2 --out {place}/result/class",
        f"-m graders gradebook init {place}/result/gradebook.sqlite",
        f"-m graders gradebook add {place}/result/gradebook.sqlite {place}/result/class",
        f"-m graders report {place}/result/class --gradebook {place}/result/gradebook.sqlite "
        f"--html {place}/result/report",
    ]
    assert done.calls == calls[: {"": 4, "merge": 1, "gradebook": 2, "report": 4}[failing]]
    assert "hidden check" in (tmp_path / "result" / "log.txt").read_text(encoding="utf-8")


def test_the_roster_is_entered_where_there_is_one(step, tmp_path):
    (tmp_path / "parts" / "part-1").mkdir(parents=True)
    (tmp_path / "roster.csv").touch()
    calls = step("class.yml", "merge", MERGE).calls
    assert f"-m graders gradebook roster {tmp_path}/result/gradebook.sqlite roster.csv" in calls
    assert "--roster roster.csv" in calls[-1]


@pytest.mark.parametrize(
    ("job", "name", "what"),
    [
        ("sweep", "Seal what was found", "sweep --out {place}/sweep.age"),
        ("grade", "Seal the part", "class --out {place}/part-2.age"),
        ("merge", "Seal the result", "result --out {place}/class.age"),
    ],
)
def test_what_is_handed_on_is_sealed(job, name, what, step, tmp_path):
    done = step("class.yml", job, name, RECIPIENT="age1x", SHARD="2")
    place = str(tmp_path)
    assert done.calls == [f"-m graders seal-folder {place}/{what.format(place=place)} --recipient age1x"]
