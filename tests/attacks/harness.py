"""Judging an attack: what comes back must hold no point and no secret, and everything else must be as it was before.

`trial` returns the problems that an attack made, by kind: none means that it was contained. A kind that is never told
would be a blind spot: test_controls.py provokes each of them.
"""

import os
import re
import time
from collections.abc import Iterator, Sequence

import torch

from graders.engine.batch.grader import in_card
from graders.engine.clean import visible
from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.judge.session import Options, judge
from graders.engine.load.submission import ExerciseFile, Submission
from graders.engine.score.card import Card, Grader, card_to_json
from graders.engine.score.results import EARNING
from graders.engine.score.scoring import score
from tests.attacks.grounds import Grounds, printing_to
from tests.attacks.planted import HERE, SLUG
from tests.attacks.surroundings import differences, folders, look

SUBMISSIONS = HERE / "submissions"
PRELUDE = (HERE / "prelude.py").read_text(encoding="utf-8")
HONEST = (HERE / "honest.py").read_text(encoding="utf-8")
EARNS = re.compile(r"^Earns: (.+)\.$", re.MULTILINE)
"""What an attack gets by its docstring: checks that it passes as honest work would, to be asked the next one."""
STUMBLES = re.compile(r"(Stumbled|(Attribute|Import|Index|Key|Name|Syntax|Type|UnboundLocal)Error):")
"""An attack that fails over its own mistake proves nothing."""
SECONDS = 60.0
"""For an attack and the honest submission after it, five checks each: far above what they take, far below a hang."""


def attacks() -> list[str]:
    """Return the attacks by name: the folder is what they are after."""
    return sorted(str(path.relative_to(SUBMISSIONS).with_suffix("")) for path in SUBMISSIONS.rglob("*.py"))


def trial(grounds: Grounds, source: str, seconds: float = SECONDS) -> dict[str, str]:
    """Judge an attack and an honest submission after it; return the problems that there were, by kind."""
    before = look(grounds.planted, grounds.host)
    began = time.monotonic()
    try:
        with printing_to(grounds.printed):
            attacker, honest = judge_both(grounds, source)
    except Exception as error:
        return {"crash": f"{type(error).__name__}: {error}"}
    took = time.monotonic() - began
    problems = differences(before, look(grounds.planted, grounds.host))
    if took > seconds:
        problems["time"] = f"{took:.1f} s"
    problems |= dict(problems_of_words(grounds, source, attacker))
    if lost := [outcome for outcome in honest if outcome.verdict is not Verdict.PASS]:
        problems["honest"] = "; ".join(f"{each.check}: {each.verdict}, {each.got}" for each in lost)
    return problems


def judge_both(grounds: Grounds, source: str) -> list[tuple[Outcome, ...]]:
    """Return the outcomes of an attack, and of the honest submission after it."""
    planted = grounds.planted
    answers = [_submission("attacker", known(grounds) + PRELUDE + source), _submission("honest", HONEST)]
    return judge(planted.course, grounds.rubric, answers, grounds.supply, Options(seed=0, hidden=True, trace=True))


def _submission(label: str, source: str) -> Submission:
    return Submission(label, (ExerciseFile(SLUG, f"exercises/{SLUG}.py", source.encode()),), ())


def known(grounds: Grounds) -> str:
    """Return a line for each thing that an attacker knows."""
    planted = grounds.planted
    values = {
        "COURSE": str(planted.course.root),
        "PLANTED": {place: str(path) for place, path in planted.files.items() if place != "output"},
        "OUTPUT": str(planted.files["output"]),
        "FOLDERS": list(map(str, folders(planted))),
        "JUDGE": os.getpid(),
        "TOKEN_AT": torch.frombuffer(planted.token, dtype=torch.uint8).data_ptr(),
        "MARK": planted.mark,
        "IPC_KEY": planted.ipc_key,
        "WON": planted.won,
    }
    return "".join(f"{name} = {value!r}\n" for name, value in values.items())


def problems_of_words(grounds: Grounds, source: str, outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str]]:
    """Yield what the attack's outcomes, its card, and what was printed meanwhile show that they should not."""
    card = _card(grounds, outcomes)
    printed = grounds.printed.read_text(encoding="utf-8", errors="replace")
    os.truncate(grounds.printed, 0)
    expected = {name for line in EARNS.findall(source) for name in line.split(", ")}
    earned = {check.id for check in card.exercises[0].checks if check.verdict in EARNING}
    if earned != expected:
        yield "points", f"for {', '.join(sorted(earned)) or 'nothing'}"
    if stumbles := [each.got for each in outcomes if STUMBLES.match(each.got)]:
        yield "stumble", stumbles[0]
    told = "\n".join(map(repr, outcomes)) + card_to_json(card)
    if leaks := grounds.planted.leaks(told + printed):
        yield "leak", ", ".join(leaks)
    words = [text for each in outcomes for text in (each.expected, each.got, each.hint, each.output, *each.notes)]
    if steering := [text for text in words if visible(text) != text]:
        yield "steering", repr(steering)


def _card(grounds: Grounds, outcomes: Sequence[Outcome]) -> Card:
    sandbox = in_card(grounds.report)
    grader = Grader(
        version="0", seed=0, commit=None, torch="0", python="0", hidden=True, mode="external", sandbox=sandbox
    )
    return score(grounds.rubric, [ExerciseFile(SLUG, f"exercises/{SLUG}.py", b" ")], outcomes, grader)
