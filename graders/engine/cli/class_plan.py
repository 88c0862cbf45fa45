"""What `grade class` is asked for, made into a plan: everything that can be wrong is told before anything is graded."""

import hashlib
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from graders.engine.clean import one_line
from graders.engine.cli.class_settings import require_same_class, settings_of
from graders.engine.cli.common import PRACTICE_SEED, open_course, select
from graders.engine.errors import UsageError, first_of, shown_path
from graders.engine.run.isolation import Mode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graders.engine.batch.crew import Setup
    from graders.engine.batch.plan import Plan
    from graders.engine.batch.settle import Marks
    from graders.engine.load.handed_in.records import Found
    from graders.engine.load.roster import Extension, Roster
    from graders.engine.load.rubric import Rubric
    from graders.engine.score.class_folder import ClassSettings, Shard

MOST_LINES = 10
MOST_SHARDS = 1_000


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of `grade class`."""

    source: Path
    out: Path
    roster: Path | None
    marks: Path | None
    hidden: bool
    seed: int | None
    regrade: bool
    regrade_only: tuple[str, ...]
    shard: str | None
    exercises: tuple[str, ...]
    isolation: Mode | None
    course: Path | None


def make_plan(asked: Asked) -> "tuple[Plan, list[str]]":
    """Return the plan, and lines for whoever runs this; raises UsageError or CourseError."""
    from graders.engine.batch.crew import Setup
    from graders.engine.batch.key import course_digest
    from graders.engine.batch.plan import Plan, in_shard
    from graders.engine.cli.class_source import claims_beside, reader
    from graders.engine.load.handed_in.finding import find_handed_in
    from graders.engine.load.roster import read_roster
    from graders.engine.score.class_folder import read_settings

    course, rubric = open_course(asked.course)
    if asked.isolation is Mode.PRACTICE:
        raise UsageError("--isolation=practice is for one's own code; a class is graded strictly, or with external")
    if asked.hidden and rubric.is_public:
        raise UsageError(
            f"{shown_path(course.rubric)} counts hidden checks, and they are not here; open them with `grade unseal "
            "DIR` and say --course DIR, or grade with --visible-only"
        )
    roster = None if asked.roster is None else read_roster(asked.roster)
    found = find_handed_in(asked.source, roster)
    _require_class(asked.source, found, rubric)
    slugs = tuple(select(rubric, asked.exercises))
    digest = course_digest(course, rubric, slugs, asked.hidden)
    shard = _shard(asked.shard)
    former = read_settings(asked.out)
    seed = _seed(asked, former, shard, digest)
    setup = Setup(
        course=replace(course, root=course.root.resolve()),
        digest=digest,
        rubric=rubric,
        slugs=slugs,
        seed=seed,
        hidden=asked.hidden,
        mode=asked.isolation or Mode.STRICT,
        apart=tuple(path.resolve() for path in (course.root / "graders", course.references, asked.source, asked.out)),
    )
    settings = settings_of(asked.source, setup, shard)
    require_same_class(settings, former, asked.out)
    students = [handed_in.student for handed_in in found.handed_in]
    plan = Plan(
        setup=setup,
        settings=settings,
        handed_in=tuple(each for each in found.handed_in if in_shard(each.student, shard)),
        missing=tuple(student for student in found.missing if in_shard(student, shard)),
        load=reader(asked.source, asked.out, setup),
        claim=claims_beside(asked.source),
        marks=_marks(asked, setup),
        extensions=_extensions(roster),
        regrade=_regrade(asked, students),
    )
    unread = [*(roster.unread if roster else ()), *found.unread]
    taken = f"{shown_path(asked.source)} is taken for {found.layout}"
    return plan, [taken, *first_of(unread, MOST_LINES), *_remarks(former, settings)]


def _require_class(source: Path, found: "Found", rubric: "Rubric") -> None:
    """Raise UsageError where the files of one submission would be taken for students of these names."""
    own = {exercise.file for exercise in rubric.exercises.values()} | {rubric.notebook}
    if alone := next((one.label for one in found.handed_in if one.label in own), None):
        raise UsageError(
            f"{shown_path(source)} holds {alone}, as one submission does; expected a folder, an archive or a file for "
            "each student, called after them. Give the folder around it, or take that file away"
        )


def _shard(text: str | None) -> "Shard | None":
    from graders.engine.score.class_folder import Shard

    if text is None:
        return None
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST_SHARDS):
        raise UsageError(f'--shard "{one_line(text)}": expected I/N, as 2/8 for the second of eight parts')
    return Shard(number=int(number), of=int(of))


def _seed(asked: Asked, former: "ClassSettings | None", shard: "Shard | None", digest: str) -> int:
    """Return the seed of the whole class: the one asked for, or the one that it has, or a new one.

    Parts that are graded on several machines need the same without a word between them. It comes of the digest of all
    checks, the hidden ones included, so that nobody can tell it who does not have those.
    """
    if asked.seed is not None:
        return asked.seed
    if former is not None:
        return former.seed
    if not asked.hidden:
        return PRACTICE_SEED
    if shard is not None:
        return int(hashlib.sha256(f"seed of a class: {digest}".encode()).hexdigest()[:7], 16)
    return secrets.randbelow(1 << 31)


def _marks(asked: Asked, setup: "Setup") -> "Mapping[str, Marks]":
    """Return each student's marks; raises CourseError for one that the rubric has no place for."""
    from graders.engine.cli.grading import book_of_marks
    from graders.engine.score.marks import marks_of

    book = book_of_marks(setup.course, asked.marks, asked.source)
    marks = {student: marks_of(book, student, setup.rubric) for student in {entry.student for entry in book.marks}}
    # Of exercises that are not graded now, a mark has no card to stand on.
    return {
        student: {key: entry for key, entry in own.items() if key[0] in setup.slugs} for student, own in marks.items()
    }


def _extensions(roster: "Roster | None") -> "Mapping[str, Extension]":
    rows = () if roster is None else roster.rows
    return {row.student: row.extension for row in rows if row.extension is not None}


def _regrade(asked: Asked, students: list[str]) -> frozenset[str]:
    """Return whom to grade whatever there is."""
    if unknown := [name for name in asked.regrade_only if name not in students]:
        raise UsageError(
            f'--regrade-only "{one_line(unknown[0])}": no submission of such a student; expected a name as in DIR'
        )
    return frozenset(students if asked.regrade else asked.regrade_only)


def _remarks(former: "ClassSettings | None", settings: "ClassSettings") -> list[str]:
    """Return what a run does with a folder that another one has written."""
    lines = []
    if former is not None and former.seed != settings.seed:
        lines.append(f"The seed is {settings.seed}, and was {former.seed}: every submission is graded anew")
    elif former is not None and former.course != settings.course:
        lines.append("Checks, rubric or engine have changed: every submission is graded anew")
    if former is not None and not former.finished:
        lines.append("The last run was interrupted: this one goes on")
    return lines
