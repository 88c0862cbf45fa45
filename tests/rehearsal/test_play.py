"""Five students of one course, each with all five pull requests open: what they see, and what nobody may see.

`make rehearsal` prints the same, from top to bottom.
"""

import sys
from pathlib import Path

import pytest

from tests.conftest import Golden
from tests.github.state import Pull
from tests.rehearsal.play import Scene, play_one
from tests.rehearsal.record import Run
from tests.rehearsal.secrecy import artifacts, leaks, published, secrets
from tests.rehearsal.stage import COURSE, NAME, TOKEN, Release, Stage, staged
from tests.rehearsal.students import FORGED, Student, five_students
from tests.rehearsal.told import told

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can shut code in strictly")

TOTALS = {"ada": 100, "ben": 40, "cleo": 0, "mallory": 0, "trudy": 0}
OUTPUTS = {"found", "pull", "sha", "student", "head", "card", "code"}
"""What steps may tell one another."""
COMMANDS = {"add-path", "set-output", "notice", "warning", "error", "stop-commands"}


@pytest.mark.parametrize("login", [student.login for student in five_students(Path())])
def test_a_student(login: str, released: Release, tmp_path: Path, golden: Golden) -> None:
    with staged(tmp_path, released) as stage:
        found = secrets(stage)
        pulls = {student.login: hand_in(stage, student, login) for student in five_students(tmp_path)}
        (student,) = (student for student in five_students(tmp_path) if student.login == login)
        scene = play_one(stage, student, pulls[login])

    golden("rehearsal", login, told(stage, scene))
    assert scene.whole.total == TOTALS[login]
    assert stage.github.violations == []
    assert leaks(found, published(stage, [scene.practice, scene.grading])) == []
    assert list(tmp_path.glob("executed-*")) == [], "a text of the student's was run as a command"
    assert problems(stage, scene) == []


def hand_in(stage: Stage, student: Student, login: str) -> Pull:
    """Let a student hand in; of all but one, only the pull request is there, for the right one to be found among."""
    if student.login == login:
        return stage.hand_in(student)
    return stage.github.open_pull(COURSE, f"{student.login}/{NAME}", f"{len(stage.github.pulls):040}", student.branch)


def problems(stage: Stage, scene: Scene) -> list[str]:
    """Return what a run did that it should not, in words."""
    found = []
    if {request.headers.get("authorization") for request in stage.github.requests} != {f"Bearer {TOKEN}"}:
        found.append("something without the token has asked the API")
    if {comment.pull.number for comment in stage.github.comments} != {scene.pull.number}:
        found.append("a comment stands elsewhere than on the pull request")
    if {status.sha for status in stage.github.statuses} != {scene.pull.sha}:
        found.append("a status stands elsewhere than on the commit")
    forged = [FORGED in [command.words for command in run.annotations] for run in (scene.practice, scene.grading)]
    if forged != [scene.student.login == "trudy", False]:
        found.append("practice is what the fork makes of it, and the grade is not")
    if scene.practice.exit_code or scene.grading.exit_code:
        found.append("a run has failed")
    names = {path.relative_to(stage.machine.artifacts).parts[1:] for path in artifacts(stage.machine)}
    if names != {("practice-card", "card.json"), ("card", "card.json"), ("sealed-card", "card.json.age")}:
        found.append(f"artifacts: {names}")
    return [*found, *strange_commands(scene.practice), *strange_commands(scene.grading), *strange_installations(stage)]


def strange_commands(run: Run) -> list[str]:
    """Return the workflow commands that no step of ours gives; a student's would be among them."""
    given = [command for step in run.steps() for command in step.commands]
    # While no command is obeyed, this word ends that.
    ours = COMMANDS | {command.words for command in given if command.name == "stop-commands"}
    return [
        f"command {command.name}"
        for command in given
        if command.name not in ours or (command.name == "set-output" and command.properties["name"] not in OUTPUTS)
    ]


def strange_installations(stage: Stage) -> list[str]:
    """Return what pip was asked for other than the course and its own pins: nothing of a submission is installed."""
    pinned = (stage.release.tree / "constraints.txt").read_text(encoding="utf-8").lower()
    strange = []
    for _, *arguments in stage.machine.python.asked():
        command, options, names = arguments[0], arguments[1:5], arguments[5:]
        if names[:1] == ["--editable"]:
            names = [name for name in names[1:] if name not in (".", ".[staff]")]
        if command != "install" or options[-2:] != ["--constraint", "constraints.txt"]:
            strange.append(f"pip {arguments}")
        strange += [f"pip install {name}" for name in names if f"\n{name}==" not in pinned]
    return strange
