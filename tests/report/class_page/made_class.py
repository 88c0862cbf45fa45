"""Classes of any size for tests and benchmarks of the report: cards as grading makes them, drawn by lot from a seed."""

import datetime
import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

from graders.engine.judge.outcome import Verdict
from graders.engine.score.card import Card, card_to_json, make_card
from graders.engine.score.class_entry import ClassEntry, Finding, Kind, State
from graders.engine.score.class_folder import ClassExercise, ClassSettings, card_path, entry_path
from graders.engine.score.results import Answer, CheckResult, ExerciseResult
from tests.made_by import STRICT, class_entry

SLUGS = ("ex01_fixed", "ex02_learned", "ex03_segments", "ex04_patches", "ex05_order", "ex06_beyond", "ex07_answers")
TITLES = (
    "The fixed encoding",
    "Token plus learned position",
    "The input layer of an encoder",
    "Positions for image patches",
    "Order matters",
    "Beyond the table",
    "Knowledge check",
)
OBJECTIVES = (
    ("explain", "Explain why a model needs a positional signal at all"),
    ("contrast", "Contrast learned positions with fixed ones"),
    ("implement", "Implement absolute positions with a table"),
    ("limits", "Discuss the limit of a table and the trouble beyond it"),
)
PARTS = (
    *("can be made", "has tables of the right size", "has no other parameters", "gives the right shape"),
    *("gives place p of every item row p", "takes the longest input", "refuses what is longer", "keeps no state"),
    *("leaves its input untouched", "treats every item of a batch alike", "drops out in training only"),
    *("gives gradients to the rows used", "works in half precision", "takes lists of whole numbers", "moves with .to"),
)
HINTS = (
    "Add the rows of this sequence only, counted from 0.",
    "Register the table as a buffer, so that it moves with the module.",
    "Compare the length with the size of the table, and say so where it is longer.",
    "Scale before the sum, and not after it.",
)
CAME = ("max_len = 10", "(3, 5, 6)", "a row of zeros", "values that differ in rows 1 to 4")
SAID = (
    "because attention is slow without them",
    "since the lecture says that they are needed",
    "the model would not learn anything at all",
)
DEADLINE = datetime.datetime(2026, 11, 20, 18, tzinfo=datetime.UTC)
NAMES = ("Ana", "Bo", "Chiara", "Dmitri", "Emre", "Fatou", "Göran", "Hye-jin", "Ines", "Jakub", "Kofi", "Léa")


def cards(number: int, seed: int = 6) -> Iterator[Card]:
    """Cards of so many students, of all strengths; the same for a seed, whatever the number."""
    draw = random.Random(seed)
    for place in range(number):
        yield card(draw, f"s{place:04d}", draw.betavariate(1.6, 1.2))


def card(draw: random.Random, student: str, strength: float) -> Card:
    """A card of somebody who passes the harder checks with this probability, and begins the later exercises with it."""
    exercises = [_exercise(draw, student, place, strength) for place in range(len(SLUGS))]
    return make_card(exercises, OBJECTIVES, STRICT, student, bonus_beyond_maximum=False)


def write_class(folder: Path, number: int, seed: int = 6) -> None:
    """A class folder as `grade class` writes it, with something odd about every twelfth student."""
    made = list(cards(number, seed))
    write_folder(folder, [(entry(one, odd=place % 12 == 5), one) for place, one in enumerate(made)])


def write_folder(folder: Path, pairs: list[tuple[ClassEntry, Card | None]]) -> None:
    """A class folder with these entries and cards; the digests of the cards are put in."""
    for part in ("cards", "entries"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "class.json").write_text(settings().model_dump_json(indent=2))
    for one, found in pairs:
        if found is not None:
            text = card_to_json(found).encode()
            card_path(folder, one.student).write_bytes(text)
            one = one.model_copy(update={"card_sha256": hashlib.sha256(text).hexdigest()})
        entry_path(folder, one.student).write_text(one.model_dump_json())


def settings() -> ClassSettings:
    return ClassSettings(
        version=1,
        title="Positions in sequences, winter 2026",
        seed=7,
        hidden=True,
        mode="strict",
        course="c" * 64,
        grader="0.1.0",
        torch="2.13.0",
        python="3.11.7",
        exercises=tuple(
            ClassExercise(slug=slug, title=title, max_points=15, bonus=slug == "ex06_beyond")
            for slug, title in zip(SLUGS, TITLES, strict=True)
        ),
        deadline=DEADLINE,
        shard=None,
    )


def entry(of: Card | str, state: State = State.GRADED, said: str = "", *, odd: bool = False) -> ClassEntry:
    """A student's line, of their card or by their name; an odd one says that more was claimed than was found."""
    claim = Finding(kind=Kind.CLAIM_DIFFERS, words="claims 100 visible points, and has 61")
    return class_entry(
        of if isinstance(of, str) else str(of.student),
        None,
        handed_in_at=DEADLINE - datetime.timedelta(hours=5),
        state=state,
        said=said,
        findings=(claim,) if odd else (),
    )


def _exercise(draw: random.Random, student: str, place: int, strength: float) -> ExerciseResult:
    slug, written = SLUGS[place], place == len(SLUGS) - 1
    begun = draw.random() < min(1.0, 1.35 * strength + 0.75 - 0.1 * place)
    found = [_check(draw, f"{slug}_{number}", number, strength, begun, written) for number in range(len(PARTS))]
    if written:
        found.append(_text(draw, begun))
    copied = draw.random() < 0.02
    return ExerciseResult(
        slug=slug,
        title=TITLES[place],
        bonus=slug == "ex06_beyond",
        points=sum(check.points for check in found),
        max_points=sum(check.max_points for check in found),
        file=f"{slug}.yaml" if written else f"{slug}.py",
        sha256=hashlib.sha256(f"{slug}{'' if copied or not begun else student}".encode()).hexdigest(),
        notes=(),
        checks=tuple(found),
    )


def _check(draw: random.Random, name: str, number: int, strength: float, begun: bool, written: bool) -> CheckResult:
    hardness = (7 * number + len(name)) % 15 / 16
    good = draw.random() < 1 - hardness * (1.3 - 1.2 * strength)
    verdict = Verdict.PASS if good else draw.choice([Verdict.FAIL, Verdict.FAIL, Verdict.ERROR])
    if not begun:
        verdict = Verdict.BLOCKED if number else Verdict.TODO
    wrong = verdict in (Verdict.FAIL, Verdict.ERROR)
    points = 1 + (number % 7 == 4)
    return CheckResult(
        id=name,
        title=f"it {PARTS[number]}",
        objective=OBJECTIVES[(number % 2) + len(name) % 3][0],
        visibility="visible" if number < 6 else "hidden",
        verdict=verdict,
        points=points if good and begun else 0,
        max_points=points,
        expected="what the lesson says" if wrong else "",
        got=draw.choice(SAID if written else CAME) if wrong else "",
        hint=HINTS[number % 4] if wrong else "",
        where=None,
        seconds=0.125,
        output="",
        answer=None,
        mark=None,
    )


def _text(draw: random.Random, begun: bool) -> CheckResult:
    verdict = Verdict.WAITING if begun and draw.random() < 0.7 else Verdict.TODO
    return CheckResult(
        id="discussion",
        title="the choice is argued in your own words",
        objective="limits",
        visibility="person",
        verdict=verdict,
        points=0,
        max_points=2,
        expected="1 point: takes a side\n1 point: gives a true reason",
        got="",
        hint="",
        where=None,
        seconds=0.0,
        output="",
        answer=Answer(file="ex07_discussion.md", sha256="a" * 64),
        mark=None,
    )
