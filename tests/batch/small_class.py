"""A class on a small course, a judge that judges without torch, and a class folder as it is but for times."""

import hashlib
import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from graders.engine.batch import member
from graders.engine.batch.changes import Change
from graders.engine.batch.crew import Done, Failed, Job, Setup
from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.score.card import card_to_json
from graders.engine.score.scoring import score
from tests.made_by import STRICT

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "tests" / "attacks" / "course"
HONEST = (ROOT / "tests" / "attacks" / "honest.py").read_text(encoding="utf-8")
SLUG = "ex01_lookup"

CODE = "import sys; sys.path[:] = {paths}; from tests.batch.small_class import stand_in; stand_in()"
"""For a member whose judge is `judge_by_words`: everything but the judging is real."""


def make_course(folder: Path) -> Path:
    """Copy the course, for a test that changes it."""
    shutil.copytree(COURSE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def hand_in(source: Path, **files: str) -> Path:
    """Write a folder of submissions: the text of each student's file."""
    for student, text in files.items():
        place = source / student / "exercises"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{SLUG}.py").write_text(text, encoding="utf-8")
    return source


# ------------------------------------------------------------ a judge without torch


def card_of(setup: Setup, job: Job) -> str:
    """Return the card of a submission that passes all checks, but of which it says "NAME is fail"."""
    (file,) = job.submission.files
    verdicts = dict(re.findall(r"(\w+) is (fail|broken)\b", file.source.decode()))
    exercise = setup.rubric.exercises[SLUG]
    outcomes = [
        Outcome(SLUG, name, name, "look_up", kind, Verdict(verdicts.get(name, "pass")), seconds=time.perf_counter() % 1)
        for kind, names in (("visible", exercise.visible), ("hidden", exercise.hidden if setup.hidden else ()))
        for name in names
    ]  # fmt: skip
    made = {"seed": setup.seed, "hidden": setup.hidden, "commit": job.submission.commit or None}
    return card_to_json(
        score(setup.rubric, job.submission.files, outcomes, STRICT.model_copy(update=made), job.student)
    )


def judge_by_words(
    setup: Setup, jobs: Iterator[Job], ready: Callable[[], None], send: Callable[[Done | Failed], None]
) -> None:
    """Judge as `judge_jobs` does, but that a submission says in words what is to happen over it."""
    ready()
    for job in jobs:
        source = job.submission.files[0].source.decode()
        if "# dies always" in source or ("# dies once" in source and not _was_here(source)):
            os.kill(os.getpid(), signal.SIGKILL)
        if "# leaves" in source:
            os._exit(7)
        if "# hangs" in source:
            time.sleep(600)
        if "# takes a while" in source:
            time.sleep(0.05)
        if "# fails us" in source:
            send(Failed(job.student, "HostFailed: no host"))
        else:
            send(Done(job.student, card_of(setup, job)))


def _was_here(source: str) -> bool:
    """Return whether the file that the source names is there, and see that it is from now on."""
    place = Path(source.partition("# once: ")[2].partition("\n")[0])
    was = place.exists()
    place.touch()
    return was


def stand_in() -> None:
    """Be a member with that judge."""
    member.judge_jobs = judge_by_words
    member.main()


# ------------------------------------------------------------ comparing


def without_times(folder: Path) -> dict[str, object]:
    """Return a class folder's files as values, without what differs from run to run: times, and digests of them."""
    found: dict[str, object] = {}
    for path in sorted(folder.glob("cards/*.json")):
        found[f"cards/{path.name}"] = card_without_times(path.read_text(encoding="utf-8"))
    for path in sorted([folder / "class.json", *folder.glob("entries/*.json")]):
        entry = json.loads(path.read_text(encoding="utf-8"))
        digest = entry.pop("card_sha256", None)
        if digest is not None:
            card = (folder / "cards" / path.name).read_bytes()
            assert hashlib.sha256(card).hexdigest() == digest
        found[path.name if path.name == "class.json" else f"entries/{path.name}"] = entry
    found["drafts"] = [str(path) for path in folder.rglob(".draft*")]
    return found


def card_without_times(text: str) -> str:
    """Return a card's text with all times alike, and everything else to the byte."""
    return re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0.0', text)


def rows(changes: list[Change]) -> list[tuple[str, str, int | None, int | None]]:
    """Return changes without their time."""
    return [(change.student, change.why.value, change.before, change.after) for change in changes]


if __name__ == "__main__":
    from graders.engine.batch import member_process
    from graders.engine.cli.app import main

    member_process.CODE = CODE
    sys.exit(main())
