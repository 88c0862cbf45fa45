"""The record of what students were handed: the text of every stub, kept away from the files that they edit.

Students work in ``exercises/`` itself, so a file there no longer tells what it once was. Whether a file, a notebook or
a text holds work is decided against this record.
"""

import json
from collections.abc import Iterable, Mapping

from graders.engine.errors import CourseError, shown_path
from graders.engine.load.course import Course
from graders.engine.load.rubric import ExerciseRubric

REMEDY = "write it anew with `grade notebook`"


def files_of(exercise: ExerciseRubric) -> tuple[str, ...]:
    """The names of the files that an exercise hands out, each once."""
    return tuple(dict.fromkeys([exercise.file, *(item.file for item in exercise.person.values())]))


def stubs_now(course: Course, exercises: Iterable[ExerciseRubric]) -> Mapping[str, str]:
    """The text of these exercises' stubs as they lie in ``exercises/``, by file name; those that are there."""
    found = {}
    for name in (name for exercise in exercises for name in files_of(exercise)):
        path = course.exercises / name
        try:
            found[name] = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise CourseError(f"{shown_path(path)} cannot be read as text ({error})") from error
    return found


def as_record(stubs: Mapping[str, str]) -> str:
    """The record as JSON, the same bytes for the same stubs."""
    return json.dumps(stubs, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def read_record(course: Course) -> Mapping[str, str] | None:
    """The stubs by file name as they were handed out, or None if the course keeps no record."""
    path = course.handed_out
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise CourseError(f"{shown_path(path)} cannot be read ({error}); {REMEDY}") from error
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise CourseError(f"{shown_path(path)} must hold texts by file name; {REMEDY}")
    return data
