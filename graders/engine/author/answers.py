"""Known answers of an exercise as submissions: reference, stub, right ones, and wrong ones made from wrong.yaml."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.engine.errors import CourseError, shown_path
from graders.engine.load.course import Course
from graders.engine.load.submission import ExerciseFile, Submission
from graders.engine.load.yaml_source import YamlSource, read_yaml

KEYS = {"says", "fails", "edits", "code"}
TAKEN = {"reference", "stub"}
LONGEST_SAYING = 300


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A plausible mistake: what it says to the student, the checks it must fail, and its source."""

    name: str
    says: str
    fails: tuple[str, ...]
    source: str


def known_answer(slug: str, name: str, source: str | bytes, suffix: str = ".py") -> Submission:
    """Return one file's text as a submission of one exercise."""
    data = source.encode() if isinstance(source, str) else source
    return Submission(name, (ExerciseFile(slug, f"{name}{suffix}", data),), ())


def read_source(path: Path) -> str:
    """Return a file's text; raises CourseError where it isn't UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CourseError(f"{shown_path(path)} is not UTF-8; save the file with that encoding") from error


def wrong_answers(course: Course, slug: str) -> tuple[list[WrongAnswer], list[str]]:
    """Return the wrong answers of an exercise, and a line for each entry that can't be used.

    Raises CourseError where there is no reading the table or the reference.
    """
    source = read_yaml(course.wrong(slug))
    reference = read_source(course.reference(slug))
    answers: list[WrongAnswer] = []
    problems: list[str] = []
    for name, entry in source.data.items():
        try:
            answers.append(_answer(source, name, entry, reference, course.reference(slug)))
        except CourseError as error:
            problems.append(str(error))
    return answers, problems


def _answer(source: YamlSource, name: str, entry: Any, reference: str, file: Path) -> WrongAnswer:
    at = source.at((name,))
    if name in TAKEN:
        raise CourseError(f"{at} has the name of another answer; call it after its mistake")
    if not isinstance(entry, dict) or (set(entry) - KEYS) or not {"says", "fails"} <= set(entry):
        raise CourseError(f"{at} must have says, fails, and either edits or code")
    if ("edits" in entry) == ("code" in entry):
        raise CourseError(f"{at} must have either edits or code, and not both")
    says, fails = entry["says"], entry["fails"]
    if not isinstance(says, str) or not says.strip() or len(says) > LONGEST_SAYING:
        raise CourseError(f"{at} needs a text under says, of at most {LONGEST_SAYING} characters")
    if not isinstance(fails, list) or not fails or not all(isinstance(check, str) for check in fails):
        raise CourseError(f"{at} needs a list of check names under fails")
    if "code" in entry and not isinstance(entry["code"], str):
        raise CourseError(f"{at} needs a text under code, the whole file")
    text = entry["code"] if "code" in entry else _edit(reference, entry["edits"], at, file)
    return WrongAnswer(name, says.strip(), tuple(fails), text)


def _edit(text: str, edits: Any, at: str, file: Path) -> str:
    """Apply each edit to the text of the reference; what is replaced must stand there exactly once."""
    if not isinstance(edits, list) or not edits or not all(_is_edit(edit) for edit in edits):
        raise CourseError(f"{at} needs a list of edits, each with a text under replace and another under by")
    for edit in edits:
        old, new = edit["replace"], edit["by"]
        if (count := text.count(old)) != 1:
            raise CourseError(f"{at} replaces {old!r}, which stands {count} times in {file.name}; it must be once")
        text = text.replace(old, new)
    return text


def _is_edit(edit: object) -> bool:
    if not isinstance(edit, dict) or set(edit) != {"replace", "by"}:
        return False
    old, new = edit["replace"], edit["by"]
    return isinstance(old, str) and isinstance(new, str) and old not in ("", new)
