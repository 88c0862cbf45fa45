"""Looks in files that students can get for anything of the files that they must not get.

What is private is told from the staff repository itself, and not by asking the release: a mistake there would be
believed here. `PUBLIC` says once more, by hand, which files of the checks everybody may read.
"""

import ast
import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import yaml

Files = Mapping[str, bytes]

PUBLIC = re.compile(
    r"exercises/.*|graders/engine/.*|graders/handout/.*|graders/(__init__|__main__)\.py|graders/card\.schema\.json"
    r"|graders/handed_out\.json|LICENSE|pyproject\.toml|constraints\.txt|\.github/workflows/(class|feedback|grade)\.yml"
    r"|graders/ex\d\d_\w+/(visible|given)\.py|graders/ex04_vit_patches/images\.py"
    r"|graders/ex05_order_matters/(gap|order|strings)\.py|graders/ex06_beyond_max_len/parts\.py"
)
RUBRIC = "grading.yaml"
"""Neither: what of it is public is decided line by line."""
LEFT_OUT = {"__pycache__", "build", "node_modules"}
SHORTEST = 25
NEVER = re.compile(
    r"(^|/)(ex\d\d_\w+/(hidden\.py|wrong\.yaml)|right|reference|tests|marks\.json|card\.json|figure\.py|drawing\.py"
    r"|__pycache__|[^/]*\.py[co]|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.ipynb_checkpoints|[^/]*\.egg-info|build"
    r"|\.venv|\.coverage|\.DS_Store|[^/]*\.key|[^/]*~|[^/]*\.(orig|rej|bak|swp))(/|$)"
)
KEY = re.compile(r"AGE-SECRET-KEY-1[0-9A-Z]{10,}")


@dataclass(frozen=True)
class Secrets:
    """What must not be found."""

    lines: Mapping[str, str]
    """Lines of private files, each with the file that it is from."""
    by_beginning: Mapping[str, tuple[str, ...]]
    """The same lines, by their first letters."""
    known: frozenset[str]
    """Lines of public files."""
    titles: frozenset[str]
    """What hidden checks say to students."""
    words: frozenset[str]
    """Names of hidden checks, of wrong answers and of right ones."""
    solutions: frozenset[str]
    """What students are to define."""
    stubs: tuple[str, ...]


def files_in(root: Path) -> Files:
    """The files below a folder, by path, but for those of git and of environments."""
    found = {}
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in LEFT_OUT and (not name.startswith(".") or name == ".github")]
        for name in files:
            path = Path(folder, name)
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


def secrets_of(root: Path) -> Secrets:
    """The secrets of a staff repository."""
    files = files_in(root)
    public = {path: data for path, data in files.items() if PUBLIC.fullmatch(path)}
    private = {path: data for path, data in files.items() if path not in public and path != RUBRIC}
    rubric = yaml.safe_load(files[RUBRIC])["exercises"]
    said = [text for path, data in public.items() for text in texts(path, data)]
    said.append(_without_lists(files[RUBRIC].decode("utf-8")))
    known = frozenset(line.strip() for text in said for line in text.splitlines())
    lines = _lines(private)
    for line in known | public.keys():
        lines.pop(line, None)
    beginnings: dict[str, tuple[str, ...]] = {}
    for line in lines:
        beginnings[line[:SHORTEST]] = (*beginnings.get(line[:SHORTEST], ()), line)
    hidden = {name for block in rubric.values() for name in block.get("hidden", {})}
    visible = {name for block in rubric.values() for name in block["visible"]}
    common = {word for text in said for word in words_in(text)}
    titles = {title for path in private if path.endswith("/hidden.py") for title in titles_in(private[path])}
    stubs = tuple(json.loads(files["graders/handed_out.json"]).values())
    return Secrets(
        lines=lines,
        by_beginning=beginnings,
        known=known,
        titles=frozenset(title for title in titles if not any(title in text for text in said)),
        words=frozenset({f"check_{name}" for name in hidden - visible} | ((hidden | _answers(private)) - common)),
        solutions=frozenset(name for stub in stubs for name in _defined(stub, indented="")),
        stubs=stubs,
    )


def leaks(files: Files, secrets: Secrets) -> list[str]:
    """A line for everything of the secrets that is in these files."""
    found = {f"{path} is there" for path in files if NEVER.search(path)}
    for path, data in files.items():
        for text in texts(path, data):
            found |= {f"{path} names {word}" for word in words_in(text) & secrets.words}
            found |= {f'{path} says "{title}"' for title in secrets.titles if title in text}
            found |= {f"{path} has a key" for _ in KEY.finditer(text)}
            solved = set() if _is_stub(text, secrets) else _defined(text) & secrets.solutions
            found |= {f"{path} defines {name}" for name in solved}
            new = {line.strip() for line in text.splitlines()} - secrets.known
            quoted = {private for line in new for private in _quoted(line, secrets.by_beginning)}
            found |= {f"{path} has a line of {secrets.lines[line]}: {line}" for line in quoted}
        if path.endswith(RUBRIC):
            blocks = yaml.safe_load(data)["exercises"]
            found |= {f"{path} lists hidden checks of {slug}" for slug, block in blocks.items() if "hidden" in block}
    return sorted(found)


def git_objects(repository: Path) -> tuple[Files, list[str]]:
    """Every object that a repository holds, by digest, reachable or not; and every path in its history."""
    listed = _git(repository, "cat-file", "--batch-all-objects", "--batch")
    objects, place = {}, 0
    while place < len(listed):
        end = listed.index(b"\n", place)
        name, kind, size = listed[place:end].decode().split()
        place = end + 1 + int(size) + 1
        if kind != "tree":
            objects[f"{kind} {name}"] = listed[end + 1 : place - 1]
    paths = _git(repository, "rev-list", "--objects", "--all").decode().splitlines()
    return objects, [line.partition(" ")[2] for line in paths if " " in line]


def _git(repository: Path, *arguments: str) -> bytes:
    git = ["git", "-C", str(repository), *arguments]
    return subprocess.run(git, capture_output=True, check=True, timeout=60).stdout


def texts(path: str, data: bytes) -> Iterator[str]:
    """What a file says, as it stands; and, of JSON, each text in it, and each list of lines as one text."""
    text = data.decode("utf-8", "replace")
    yield text
    if path.endswith((".json", ".ipynb")) or text[:1] in ("{", "["):
        try:
            waiting = [json.loads(text)]
        except ValueError:
            return
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                waiting += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                waiting += value
                if value and all(isinstance(part, str) for part in value):
                    yield "".join(value)
            elif isinstance(value, str):
                yield value


def words_in(text: str) -> set[str]:
    """The words and names in a text."""
    return set(re.findall(r"\w+", text))


def titles_in(source: bytes) -> Iterator[str]:
    """What each check in a file says to students."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("check_"):
            yield (ast.get_docstring(node) or node.name).splitlines()[0]


def _lines(files: Files) -> dict[str, str]:
    return {
        line.strip(): path
        for path, data in files.items()
        for text in texts(path, data)
        for line in text.splitlines()
        if len(line.strip()) >= SHORTEST
    }


def _without_lists(rubric: str) -> str:
    """What everybody may read of a rubric as it is written here: all but its lists of hidden checks."""
    return re.sub(r"^    hidden:\n(?:      .*\n)+", "", rubric, flags=re.MULTILINE)


def _answers(files: Files) -> set[str]:
    """The names of wrong answers, and of right ones."""
    names = {name for path in files if path.endswith("/wrong.yaml") for name in yaml.safe_load(files[path])}
    return names | {PurePosixPath(path).stem for path in files if "/right/" in path}


def _quoted(line: str, by_beginning: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The private lines that stand in this one, wherever in it."""
    for place in range(len(line) - SHORTEST + 1):
        for private in by_beginning.get(line[place : place + SHORTEST], ()):
            if line.startswith(private, place):
                yield private


def _defined(text: str, indented: str = r"[ \t]*") -> set[str]:
    return set(re.findall(rf"^{indented}(?:class|def|async def)[ \t]+([A-Za-z]\w*)", text, flags=re.MULTILINE))


def _is_stub(text: str, secrets: Secrets) -> bool:
    """Whether it is a stub, or all of it is in one: a notebook has them without their first words."""
    return any(text.strip() in stub for stub in secrets.stubs)
