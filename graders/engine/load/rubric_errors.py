"""What is wrong with a rubric, in words for an instructor: what was expected, what came, which key was meant."""

import difflib
from collections.abc import Callable, Iterator, Sequence

from pydantic import ValidationError

from graders.engine.clean import one_line
from graders.engine.load.yaml_source import KeyPath

Problem = tuple[KeyPath, str]


def problems_in(error: ValidationError, keys_at: Callable[[KeyPath], Sequence[str]]) -> Iterator[Problem]:
    """The path and the words of every problem that validation found; `keys_at` tells the keys that a path may hold."""
    # A misspelt key is one mistake, though the key that was meant is missing as well: unknown keys go first.
    explained: list[KeyPath] = []
    for found in sorted(error.errors(), key=lambda found: found["type"] != "extra_forbidden"):
        path = found["loc"]
        if found["type"] == "extra_forbidden":
            keys = keys_at(path[:-1])
            explained += [(*path[:-1], key) for key in difflib.get_close_matches(str(path[-1]), keys, 1)]
            yield path, f"is not a key here{suggest(str(path[-1]), keys) or '; expected ' + ', '.join(keys)}"
        elif found["type"] == "missing":
            if path not in explained:
                yield path, f"is missing; expected {_expected(path)}"
        elif path[-1] == "[key]":
            yield path[:-1], f"has a name that cannot stand here; expected {_expected(path)}"
        else:
            yield path, f"must be {_expected(path)}; got {_shown(found['input'])}"


def suggest(name: str, known: Sequence[str]) -> str:
    return "".join(f'; did you mean "{near}"?' for near in difflib.get_close_matches(name, known, 1))


def _expected(path: KeyPath) -> str:
    match path:
        case ("version",):
            return "the number 1, the only version there is"
        case ("notebook",):
            return "the name of a notebook, such as lesson.ipynb"
        case ("bonus_beyond_maximum",) | (_, _, "bonus"):
            return "true or false"
        case (_, _, "kind"):
            return "code or answers"
        case ("limits",):
            return "keys seconds and memory_mib"
        case ("limits", "seconds"):
            return "a number of seconds above 0"
        case ("limits", "memory_mib"):
            return "a whole number of mebibytes, 1 or more"
        case ("post",):
            return "the key hidden"
        case ("post", "hidden"):
            return "none, band or points"
        case ("late",):
            return "keys deadline, percent_per_day and, where needed, grace_minutes, at_most_percent and counts"
        case ("late", "deadline"):
            return "a moment with its zone, such as 2026-12-18T23:59:00+01:00"
        case ("late", "grace_minutes"):
            return "a whole number of minutes, 0 to 10080"
        case ("late", "percent_per_day" | "at_most_percent"):
            return "a whole number of percent, 1 to 100"
        case ("late", "counts"):
            return "best or last"
        case ("objectives",):
            return "a name and a sentence for each objective"
        case ("exercises",):
            return "one exercise or more, each under its name"
        case ("exercises", _):
            return "keys title, visible and, where needed, hidden"
        case ("exercises", _, "visible"):
            return "one check or more, each with its points"
        case ("exercises", _, "hidden"):
            return "checks, each with its points"
        case ("exercises", _, "hidden_points"):
            return "a whole number of points, 1 or more"
        case ("exercises", _, "person"):
            return "items, each with title, objective, points, file and criteria"
        case (_, _, "person", _):
            return "keys title, objective, points, file and criteria"
        case (_, _, "person", _, "file"):
            return "the name of a text that students write, such as ex01_words.md"
        case (_, _, "person", _, "criteria"):
            return "a list of sentences, each saying what a point is given for"
        case ("exercises", _, "visible" | "hidden", _) | (_, _, "person", _, "points"):
            return "a whole number of points, 1 or more"
        case ("exercises", _, "[key]"):
            return "ex, two digits and words in small letters, such as ex01_some_words"
        case (*_, "[key]"):
            return "small letters, digits and underscores, a letter first"
    return "a text that is not empty"


def _shown(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str():
            return f'the text "{one_line(value)}"'
        case dict():
            return "keys with values" if value else "no keys"
        case list():
            return "a list"
    return str(value)
