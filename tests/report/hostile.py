"""Cards of texts that try to be more than texts, as many and as long as a card may have them."""

import datetime
import random
from collections.abc import Callable, Iterator

from graders.engine.judge.outcome import Verdict
from graders.engine.score.card import Card, Grader, make_card
from graders.engine.score.record import LONGEST_NAME, LONGEST_NOTE, LONGEST_WORDS, Mark
from graders.engine.score.results import EARNING, PERSONAL, Answer, CheckResult, ExerciseResult, Where
from tests.made_by import PRACTICE, STRICT

Text = Callable[[int], str]
"""Makes a text of so many characters at most."""
PIECES = [
    *"ab .:,%&<>|/\\()[]{}^#*_-+=~`\"'@$!\n\t\r\x00\x07\x1b\x7f\x85\u200b\u202e\u2028\ufeff\U0001f600\U000e0041",
    *("</details>", "<details>", "<summary>", "<img src=x onerror=y>", "<!--", "-->", "]]>", "<![CDATA[", "&#0;"),
    *("\n\n", "\n```\n", "\n~~~~\n", "````", "\n| a | b |\n|---|---|\n", "\n---\n", "\n# a\n", "\n- a\n", "\n    a\n"),
    *(
        "@everyone",
        "#1",
        "https://a.b/c",
        "www.a.b",
        "[x](http://a.b)",
        "![x](y)",
        "[x]: y\n",
        "$x$",
        "**a**",
        "<a@b.c>",
    ),
    *(
        "\n::error::x\n",
        "::set-output name=points::100",
        "::stop-commands::x",
        "##[error]x",
        "%0A::error::x",
        "%3A%2C%25",
    ),
    *(",file=a.py,line=1::x", ",line=7", "::", "\r\n::add-mask::0", "title=100/100"),
]
LETTERS = "\U0001f600`\x00\n"


def hostile_cards(number: int) -> Iterator[Card]:
    """Yield cards in which every text is made of such pieces: of practice and graded ones in turn."""
    draw = random.Random(20262)
    for place in range(number):
        yield make(draw, lambda most: _pieces(draw, most), 6, STRICT if place % 2 else PRACTICE)


def longest_cards() -> Iterator[Card]:
    """Yield cards of ninety checks in which every text is one character over and over, as long as it may be."""
    for letter in LETTERS:
        yield make(random.Random(ord(letter)), letter.__mul__, 90, STRICT)


def _pieces(draw: random.Random, most: int) -> str:
    return "".join(draw.choices(PIECES, k=draw.randrange(12)))[:most]


def make(draw: random.Random, text: Text, checks: int, grader: Grader) -> Card:
    """Return a card of two exercises, one of them bonus, with texts that `text` makes of a length."""
    names = ["a", "b"]
    halves = [checks - checks // 3, checks // 3]
    exercises = [
        _exercise(draw, text, name, half, grader.hidden, bonus=name == "b")
        for name, half in zip(names, halves, strict=True)
    ]
    titles = [("o", text(LONGEST_WORDS)), ("p", text(LONGEST_WORDS))]
    return make_card(exercises, titles, grader, None, bonus_beyond_maximum=draw.random() < 0.5)


def _exercise(draw: random.Random, text: Text, name: str, checks: int, hidden: bool, *, bonus: bool) -> ExerciseResult:
    found = tuple(_check(draw, text, f"{name}{number}", hidden) for number in range(checks))
    slug = (name + text(LONGEST_NAME))[:LONGEST_NAME]
    return ExerciseResult(
        slug=slug,
        title=text(LONGEST_WORDS),
        bonus=bonus,
        points=sum(check.points for check in found),
        max_points=sum(check.max_points for check in found) + (0 if hidden else 5),
        file=draw.choice([None, text(LONGEST_WORDS)]),
        sha256=None,
        notes=tuple(text(LONGEST_WORDS) for _ in range(3)),
        checks=found,
    )


def _check(draw: random.Random, text: Text, name: str, hidden: bool) -> CheckResult:
    kind = draw.choice(["visible", "hidden" if hidden else "visible", "person"])
    verdict = draw.choice(sorted(PERSONAL if kind == "person" else Verdict))
    most = draw.randrange(1, 5)
    note = text(LONGEST_NOTE).translate(dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "."))
    mark = Mark(points=draw.randrange(most + 1), note=note, date=datetime.date(2026, 12, 1), answer_changed=True)
    return CheckResult(
        id=(name + text(LONGEST_NAME))[:LONGEST_NAME],
        title=text(LONGEST_WORDS),
        objective=draw.choice("op"),
        visibility=kind,
        verdict=verdict,
        points=mark.points if verdict is Verdict.MARKED else most if verdict in EARNING else 0,
        max_points=most,
        expected=text(LONGEST_WORDS),
        got=text(LONGEST_WORDS),
        hint=text(LONGEST_WORDS),
        where=draw.choice([None, Where(line=3, cell=None), Where(line=3, cell=2)]),
        seconds=0.25,
        output=text(LONGEST_WORDS),
        answer=Answer(file=text(LONGEST_WORDS), sha256=None) if kind == "person" else None,
        mark=mark if verdict is Verdict.MARKED else None,
    )
