"""A course of two exercises as a rubric alone, whole and public, and cards of it: no student code runs for them."""

from pathlib import Path

from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.load.rubric import Rubric, parse_rubric
from graders.engine.load.submission import ExerciseFile
from graders.engine.load.yaml_source import read_yaml
from graders.engine.score.card import Card
from graders.engine.score.marks import Entry
from graders.engine.score.scoring import NO_MARKS, score
from graders.engine.score.sharing import share
from tests.made_by import PRACTICE, STRICT

__all__ = ["FULL", "PUBLIC", "card", "practice_card", "rubric", "write"]

TEXT = """\
version: 1
limits: {{seconds: 5, memory_mib: 512}}
post: {{hidden: {policy}}}
objectives:
  count: Count things
  tell: Tell things
exercises:
  ex01_sum:
    title: Sums
    visible: {{small: 1, large: 2}}
    {ex01}
  ex02_words:
    title: Words
    bonus: true
    visible: {{first: 1}}
    {ex02}
    person:
      essay: {{title: An essay, objective: tell, points: 2, file: essay.md, criteria: [It is one]}}
"""
FULL = {"ex01": "hidden: {empty: 2, negative: 3}", "ex02": "hidden: {last: 1}"}
PUBLIC = {"ex01": "hidden_points: 5", "ex02": "hidden_points: 1"}


def write(folder: Path, kind: dict[str, str], policy: str = "band", edit: tuple[str, str] = ("", "")) -> Path:
    """Write grading.yaml into a folder, and return the folder."""
    text = TEXT.format(policy=policy, **kind)
    assert edit[0] in text
    (folder / "grading.yaml").write_text(text.replace(*edit), encoding="utf-8")
    return folder


def rubric(folder: Path, kind: dict[str, str], policy: str = "band", edit: tuple[str, str] = ("", "")) -> Rubric:
    """Return such a rubric."""
    return parse_rubric(read_yaml(write(folder, kind, policy, edit) / "grading.yaml"))


def _scored(whole: Rubric, hidden: bool, failed: set[str], got: str, sha: str, student: str, marks: object) -> Card:
    made = (STRICT if hidden else PRACTICE).model_copy(update={"commit": sha, "mode": "strict"})
    outcomes = [
        Outcome(
            exercise.slug,
            name,
            f"the title of {name}",
            "count",
            visibility,
            Verdict.FAIL if name in failed else Verdict.PASS,
            expected="1" if name in failed else "",
            got=got if name in failed else "",
        )
        for exercise in whole.exercises.values()
        for visibility in (("visible", "hidden") if hidden else ("visible",))
        for name in getattr(exercise, visibility)
    ]
    files = [ExerciseFile(slug, f"{slug}.py", b"", "0" * 64) for slug in whole.exercises]
    return score(whole, files, outcomes, made, student, marks)


def card(
    whole: Rubric,
    sha: str,
    student: str,
    policy: str = "band",
    failed: frozenset[str] | set[str] = frozenset({"large", "negative"}),
    got: str = "2",
    marks: dict[tuple[str, str], Entry] = NO_MARKS,
) -> Card:
    """Return the card of a run with hidden checks, as others may read it."""
    return share(_scored(whole, True, set(failed), got, sha, student, marks), policy)


def practice_card(whole: Rubric, sha: str, student: str) -> Card:
    """Return the card of a strict run with visible checks alone."""
    return _scored(whole, False, set(), "", sha, student, NO_MARKS)
