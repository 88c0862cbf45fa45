"""What nobody but the staff may read, and where of all that a course publishes it stands."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from graders.engine.load.rubric import load_rubric
from tests.attacks.planted import disguises
from tests.command_line import ROOT
from tests.rehearsal.act import Machine
from tests.rehearsal.record import Run
from tests.rehearsal.stage import TOKEN, Stage

SHORTEST_LINE = 24
"""Shorter lines, such as `return x + y`, say nothing about where they come from."""
PRIVATE = ("reference/*", "graders/ex*/hidden.py", "graders/ex*/wrong.yaml", "graders/ex*/right/*")
WORD = re.compile(r"\w+")


def secrets(stage: Stage) -> Mapping[str, str]:
    """Return what may stand nowhere, each with a word for what it is.

    The key and the token in any form; of the private files every line, and every name of a hidden check, that stands
    nowhere in what is released.
    """
    found = dict.fromkeys(disguises(stage.release.key), "the key") | dict.fromkeys(disguises(TOKEN), "a token")
    public = _texts(path for path in stage.release.tree.rglob("*") if path.is_file() and ".git" not in path.parts)
    words, lines = set(WORD.findall(public)), {line.strip() for line in public.splitlines()}
    for exercise in load_rubric(ROOT / "grading.yaml").exercises.values():
        found |= {name: "the name of a hidden check" for name in exercise.hidden if name not in words and "_" in name}
    for pattern in PRIVATE:
        private = _texts(path for path in sorted(ROOT.glob(pattern)) if path.is_file())
        for line in map(str.strip, private.splitlines()):
            if len(line) >= SHORTEST_LINE and line not in lines:
                found[line] = f"a line of {pattern}"
    return found


def published(stage: Stage, runs: Iterable[Run]) -> Iterator[tuple[str, str]]:
    """Yield each text that students or strangers may read: logs, summaries, artifacts, and what the API was sent."""
    for run in runs:
        yield "a log", run.text
        yield "a log, as it is shown", "".join(step.printed + step.summary for step in run.steps())
    for path in artifacts(stage.machine):
        yield f"the artifact {path.name}", path.read_bytes().decode("utf-8", "replace")
    for request in stage.github.requests:
        yield f"{request.method} {request.path}", json.dumps(request.body, ensure_ascii=False)
    for comment in stage.github.comments:
        yield "a comment", comment.body


def leaks(found: Mapping[str, str], texts: Iterable[tuple[str, str]]) -> list[str]:
    """Return where a secret stands, in words that do not hold it."""
    return sorted({f"{what} in {place}" for place, text in texts for secret, what in found.items() if secret in text})


def artifacts(machine: Machine) -> list[Path]:
    """Return every file that a run has kept."""
    return sorted(path for path in machine.artifacts.rglob("*") if path.is_file())


def _texts(paths: Iterable[Path]) -> str:
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in paths)
