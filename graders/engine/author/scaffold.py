"""Writes the files of a new exercise: a skeleton that runs, with a TODO wherever an author has to decide."""

import keyword
import os
import re
from collections.abc import Mapping
from pathlib import Path

from graders.engine.author.rubric_block import with_exercise
from graders.engine.clean import one_line
from graders.engine.errors import CourseError, UsageError
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric

SLUG = re.compile(r"ex(\d\d)_[a-z0-9_]+", re.ASCII)
TEMPLATES = Path(__file__).with_name("templates")
VISIBLE, HIDDEN = ["shape"], ["values"]
"""The checks of the templates, without their prefix."""


def scaffold(course: Course, rubric: Rubric, slug: str, title: str) -> list[str]:
    """Write a new exercise, its block in the rubric last, and return the paths written, relative to the course.

    All or nothing: with nothing written, raises UsageError if the name or the title cannot be used or anything of that
    name is there, and CourseError if the rubric has no place for it or a file cannot be written.
    """
    _require_usable(course, rubric, slug, title)
    texts = _texts(course, rubric, slug)
    raw = course.rubric.read_bytes().decode("utf-8")
    _write(course, slug, texts, with_exercise(raw, slug, title, VISIBLE, HIDDEN).encode())
    return [path.relative_to(course.root).as_posix() for path in (*texts, course.rubric)]


def _require_usable(course: Course, rubric: Rubric, slug: str, title: str) -> None:
    if not SLUG.fullmatch(slug):
        raise UsageError(
            f'"{one_line(slug)}" can\'t name an exercise; expected ex, two digits and words in small letters, '
            "such as ex08_some_words"
        )
    if any("\ud800" <= character <= "\udfff" for character in title):  # bytes of a command line that are no UTF-8
        raise UsageError(f'the title "{one_line(title)}" holds something that is no text; write it anew')
    if not title.strip():
        raise UsageError("the title is empty; expected a few words, such as 'Rotary positions'")
    if not rubric.objectives:
        raise CourseError(f"{course.rubric.name} has no objectives; every check names one, so add one first")
    if slug in rubric.exercises:
        raise UsageError(f"{course.rubric.name} has an exercise {slug} already; choose another name")
    for path in (course.stub(slug), course.reference(slug), course.wrong(slug).parent):
        if os.path.lexists(path):  # a link to nothing is in the way as well
            where = path.relative_to(course.root).as_posix()
            raise UsageError(f"{where} is there already; choose another name, or move it away")


def _texts(course: Course, rubric: Rubric, slug: str) -> Mapping[Path, str]:
    places = {
        course.stub(slug): "stub.py",
        course.reference(slug): "reference.py",
        course.checks(slug, "visible"): "visible.py",
        course.checks(slug, "hidden"): "hidden.py",
        course.wrong(slug): "wrong.yaml",
    }
    words = {"ex00_skeleton": slug, "Skeleton": class_name(slug), "some_objective": next(iter(rubric.objectives))}
    return {path: _filled(TEMPLATES / template, words) for path, template in places.items()}


def _filled(template: Path, words: Mapping[str, str]) -> str:
    text = template.read_text(encoding="utf-8")
    for placeholder, word in words.items():
        text = text.replace(placeholder, word)
    return text


def class_name(slug: str) -> str:
    """The slug's words as the name of a class, or Exercise and its number where they make none."""
    number, _, words = slug.removeprefix("ex").partition("_")
    name = "".join(word.capitalize() for word in words.split("_"))
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"Exercise{number}"


def _write(course: Course, slug: str, texts: Mapping[Path, str], grading: bytes) -> None:
    """Write the files and then the rubric, or, if one cannot be written, remove those that were."""
    folder = course.wrong(slug).parent
    draft = course.rubric.with_name(f".{course.rubric.name}.{os.getpid()}")
    begun: list[Path] = []
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                begun.append(path)
                file.write(text)
        begun.append(draft)
        draft.write_bytes(grading)
        draft.replace(course.rubric)
    except OSError as error:
        for path in begun:
            path.unlink(missing_ok=True)
        if folder.is_dir():
            folder.rmdir()
        raise CourseError(f"{slug} could not be written ({error.strerror}: {error.filename})") from error
