"""The command `grade sweep` on a world of this machine, and what it has left in the working folder."""

from pathlib import Path

from graders.engine.load.handed_in.listing import SweepList, sweep_from_json
from tests.command_line import ALL_PASSED, ROOT, Ended
from tests.github.talk import TOKEN, Waits, run
from tests.github.world import COURSE, DEADLINE, World

SMALL_COURSE = ROOT / "tests" / "attacks" / "course"


def arguments(*options: object, deadline: str = DEADLINE) -> list[object]:
    """Return what the command is told, to sweep into `out`."""
    return ["sweep", COURSE, "--deadline", deadline, "--out", "out", "--course", SMALL_COURSE, *options]


def variables(world: World) -> dict[str, str]:
    """Return what it finds in its environment."""
    return {"GITHUB_API_URL": world.github.url, "GITHUB_SERVER_URL": world.server, "GITHUB_TOKEN": TOKEN}


def swept(world: World, *options: object, deadline: str = DEADLINE, ends: int = ALL_PASSED) -> tuple[Ended, Waits]:
    """Run the command, which has to end so."""
    ended, waits = run(Path(), *arguments(*options, deadline=deadline), **variables(world))
    assert ended.returncode == ends, ended.stdout + ended.stderr
    return ended, waits


def listed() -> SweepList:
    """Return the list that it wrote."""
    return sweep_from_json(Path("out/submissions.json").read_bytes(), "the list")


def commits() -> dict[str, str | None]:
    """Return the commit that counts, by student."""
    return {item.student: item.sha for item in listed().items}


def findings(student: str) -> dict[str, str]:
    """Return what was found about a student, by its kind, but that Actions are off, as they mostly are here."""
    (item,) = (item for item in listed().items if item.student == student)
    return {finding.kind: finding.words for finding in item.findings if finding.kind != "actions_off"}


def said(student: str) -> str:
    """Return why there is no commit."""
    (item,) = (item for item in listed().items if item.student == student)
    return item.said
