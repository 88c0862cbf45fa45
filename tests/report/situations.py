"""Cards for tests of reports: one for each situation that a student can be in."""

import datetime
import re

from graders.engine.judge.outcome import Verdict
from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.roster import Extension
from graders.engine.score.card import Card, make_card
from graders.engine.score.late import with_late
from graders.engine.score.record import Mark
from graders.engine.score.results import EARNING, Answer, CheckResult, ExerciseResult, Where
from graders.engine.score.sharing import share
from tests.made_by import PRACTICE, STRICT

OBJECTIVES = {
    "explain": "Explain why Transformers need a positional signal at all",
    "implement": "Implement absolute positional embeddings with nn.Embedding",
    "limits": "Discuss the limit max_len and the trouble of going beyond it",
}


def check(
    title: str,
    verdict: Verdict = Verdict.PASS,
    points: int = 1,
    *,
    visibility: str = "visible",
    line: int | None = None,
    cell: int | None = None,
    objective: str = "implement",
    mark: Mark | None = None,
    answer: Answer | None = None,
    **words: str,
) -> CheckResult:
    texts = {"expected": "", "got": "", "hint": "", "output": "", **words}
    earned = points if verdict in EARNING else 0
    return CheckResult.model_validate(
        {
            "id": re.sub(r"\W+", "_", title)[:40],
            "title": title,
            "objective": objective,
            "visibility": visibility,
            "verdict": verdict,
            "points": mark.points if mark else earned,
            "max_points": points,
            "where": None if line is None else Where(line=line, cell=cell),
            "seconds": 0.125,
            "mark": mark,
            "answer": answer,
            **texts,
        }
    )


def text(verdict: Verdict = Verdict.WAITING, mark: Mark | None = None, got: str = "") -> CheckResult:
    """A text of two points that a person grades."""
    return check(
        "the choice is argued",
        verdict,
        2,
        visibility="person",
        objective="limits",
        mark=mark,
        answer=Answer(file="exercises/ex07_discussion.md", sha256="a" * 64),
        expected="1 point: takes a side\n1 point: gives a reason that is true of the scheme chosen",
        got=got,
    )


def given(points: int, note: str = "A side, and no reason for it.", *, answer_changed: bool = False) -> Mark:
    return Mark(points=points, note=note, date=datetime.date(2026, 12, 1), answer_changed=answer_changed)


def exercise(
    slug: str,
    title: str,
    *checks: CheckResult,
    hidden: int = 0,
    bonus: bool = False,
    file: str | None = None,
    notes: tuple[str, ...] = (),
) -> ExerciseResult:
    """An exercise with ``checks``, and ``hidden`` more points for checks that were not run."""
    return ExerciseResult(
        slug=slug,
        title=title,
        bonus=bonus,
        points=sum(c.points for c in checks),
        max_points=sum(c.max_points for c in checks) + hidden,
        file=file or f"exercises/{slug}.py",
        sha256="0" * 64,
        notes=notes,
        checks=checks,
    )


def practice(*exercises: ExerciseResult, beyond: bool = False) -> Card:
    return make_card(exercises, OBJECTIVES.items(), PRACTICE, "ann", bonus_beyond_maximum=beyond)


def strict(*exercises: ExerciseResult, beyond: bool = False) -> Card:
    return make_card(exercises, OBJECTIVES.items(), STRICT, "ann", bonus_beyond_maximum=beyond)


def blocked(title: str, by: str, points: int = 1) -> CheckResult:
    return check(title, Verdict.BLOCKED, points, got=f"needs: {by}")


def one(*checks: CheckResult, hidden: int = 0) -> Card:
    return practice(exercise("ex02_token_pos", "Learned positions", *checks, hidden=hidden))


BUILT = "the module is built from its pinned arguments"
ROWS = "row p of the position table is added at place p"
FAILED = check(
    ROWS,
    Verdict.FAIL,
    3,
    expected="row 0 at place 0",
    got="row 1 at place 0; every place is one row late",
    hint="Count positions from 0, since the table's first row is row 0.",
    line=31,
)
LONG = check(
    "a sequence of exactly max_len tokens is accepted and one of max_len + 1 is refused",
    Verdict.FAIL,
    2,
    expected="an AssertionError from the module's own check, before any table is asked for a row",
    got="IndexError_raised_by_the_table_itself_since_nobody_looked_at_the_length_before",
    hint="Compare the length with max_len at the start of forward, so that the message names both numbers.",
    output="a line that the student's code printed and that is wider than the terminal\nshort",
    line=27,
)
HOSTILE = check(
    "markup and control characters stay what they are",
    Verdict.FAIL,
    expected="[bold]text[/bold]",
    got="[red]x[/red] \x1b[31mred\x1b[0m \x07 \u202eback \x9b2J",
    hint="a\ttab, :smile:, x[::2], two\r\n::error::lines and ##[error]more",
    output="\x1b]0;title\x07\n::error::no\rover\n[link=http://example.invalid]here[/link]",
)


def untouched() -> Card:
    return practice(
        exercise(
            "ex01_sinusoidal",
            "The fixed encoding",
            check(BUILT, Verdict.TODO, 2, got="TODO 1 is not done yet\nTODO 2 is not done yet"),
            blocked("the table has max_len rows", BUILT),
            blocked("position 0 is sine 0 and cosine 0", BUILT, 3),
            hidden=9,
        ),
        exercise(
            "ex02_token_pos",
            "Learned positions",
            check(BUILT, Verdict.TODO, 2, got="TODO 1 is not done yet"),
            blocked(ROWS, BUILT, 3),
            hidden=20,
        ),
        exercise(
            "ex03_bert_segments",
            "Tokens, positions and segments",
            check(BUILT, Verdict.TODO, 2, got="TODO 1 is not done yet"),
            blocked("missing segment ids mean segment 0", BUILT, 2),
            hidden=16,
        ),
    )


def hidden_full_marks() -> Card:
    last = check("gradients reach the used rows only", points=2, visibility="hidden")
    return strict(exercise("ex02_token_pos", "Learned positions", check(BUILT), check(ROWS), last))


def hidden_failures() -> Card:
    first = exercise("ex01_sinusoidal", "The fixed encoding", check(BUILT))
    late = check(
        "gradients reach the used rows only",
        Verdict.FAIL,
        2,
        visibility="hidden",
        expected="0 in rows 5 to 8",
        got="0.25 in row 5",
        line=40,
    )
    return strict(first, exercise("ex02_token_pos", "Learned positions", check(BUILT), late))


def with_bonus(points: int, bonus: int, *, beyond: bool = False) -> Card:
    """A strict card with so many points of 40, and so many bonus points of 20."""
    plain = [check("a part that passes", points=points), check("another", Verdict.FAIL, 40 - points, got="nothing")]
    extra = [check("a part beyond", points=bonus), check("the rest", Verdict.FAIL, 20 - bonus, got="nothing")]
    return strict(
        exercise("ex02_token_pos", "Learned positions", *plain),
        exercise("ex06_beyond", "Beyond max_len", *extra, bonus=True),
        beyond=beyond,
    )


def in_notebook(*checks: CheckResult, notes: tuple[str, ...] = ()) -> Card:
    return practice(
        exercise("ex02_token_pos", "Learned positions", *checks, file="positional_embedding.ipynb", notes=notes)
    )


def discussion(*checks: CheckResult) -> Card:
    return practice(exercise("ex07_discussion", "A chatbot", check("a choice is named"), *checks))


def graded(passed: int, *, bonus: bool = False) -> Card:
    """A strict card with two visible checks, and six hidden ones of a point each, of which so many pass."""
    secrets = [
        check(f"secret {n}", Verdict.PASS if n < passed else Verdict.FAIL, visibility="hidden", got="a secret")
        for n in range(6)
    ]
    extra = exercise("ex06_beyond", "Beyond max_len", check(ROWS, points=4), secrets[0], bonus=True)
    plain = exercise("ex02_token_pos", "Learned positions", check(BUILT, points=2), FAILED, *secrets)
    return strict(plain, extra) if bonus else strict(plain)


def solved() -> Card:
    """A strict card of nothing but passes."""
    secret = check("a secret", points=2, visibility="hidden")
    return strict(
        exercise("ex01_sinusoidal", "The fixed encoding", secret),
        exercise("ex02_token_pos", "Learned positions", check(BUILT), secret),
    )


LATE = LatePolicy(
    deadline=datetime.datetime(2026, 12, 18, 22, 59, tzinfo=datetime.UTC),
    grace_minutes=15,
    percent_per_day=10,
    at_most_percent=50,
)


def handed_in(card: Card, day: int, hour: int, extension: Extension | None = None) -> Card:
    """The card of work that came in December at that hour."""
    return with_late(card, LATE, datetime.datetime(2026, 12, day, hour, tzinfo=datetime.UTC), extension)


SITUATIONS: dict[str, Card] = {
    "untouched": untouched(),
    "one_exercise_full_marks": one(check(BUILT, points=2), check(ROWS, points=3)),
    "hidden_points_left": one(check(BUILT, points=2), check(ROWS, points=4), hidden=9),
    "one_hidden_point_left": one(check(BUILT), hidden=1),
    "all_points_hidden": practice(
        exercise("ex01_sinusoidal", "The fixed encoding", check(BUILT)),
        exercise("ex02_token_pos", "Learned positions", hidden=25),
    ),
    "fail": one(check(BUILT), FAILED, hidden=20),
    "error": one(
        check(
            BUILT,
            Verdict.ERROR,
            2,
            expected="a module",
            got="AttributeError: 'TokenPosEmbedding' object has no attribute 'pos'",
            hint="Give the position table the name pos.",
            line=18,
            output="building\n",
        ),
        hidden=20,
    ),
    "todo_with_output": one(
        check(
            BUILT,
            Verdict.TODO,
            got="TODO 2 is not done yet",
            output="1\n2\n3\n\n5\n6\n7\n",
        )
    ),
    "timeout": one(
        check(
            BUILT,
            Verdict.TIMEOUT,
            expected="an answer within 5 seconds",
            got="no answer; the run was stopped",
            hint="Look for a loop that never ends.",
        )
    ),
    "crashed": one(
        check(
            BUILT,
            Verdict.CRASHED,
            expected="an answer",
            got="the process ended by itself with exit code 3",
            hint="Remove calls of exit and os._exit.",
        ),
        check(ROWS),
    ),
    "blocked": one(check(BUILT, Verdict.FAIL, expected="max_len = 9", got="max_len = 10"), blocked(ROWS, BUILT, 3)),
    "only_blocked": one(check(BUILT, Verdict.BROKEN), blocked(ROWS, BUILT, 3)),
    "broken": one(
        check(BUILT),
        check(ROWS, Verdict.BROKEN, 3, got="KeyError: 'pos.weight' in the check itself"),
        check("dropout acts in training only", Verdict.BROKEN, got="the grader did not run this check"),
    ),
    "waiting": practice(
        exercise(
            "ex07_discussion",
            "A chatbot with a context of 4096 tokens",
            check("the choice is argued", Verdict.WAITING, 2),
            check("a choice is named"),
            hidden=3,
        )
    ),
    "hidden_run_full_marks": hidden_full_marks(),
    "hidden_run_waiting": strict(
        exercise("ex07_discussion", "A chatbot", check("the choice is argued", Verdict.WAITING, 1))
    ),
    "hidden_run_failures": hidden_failures(),
    "hostile_text": one(HOSTILE),
    "without_file": practice(exercise("ex02_token_pos", "Learned positions", FAILED).model_copy(update={"file": None})),
    "bonus": practice(
        exercise("ex02_token_pos", "Learned positions", check(BUILT, points=2), hidden=9),
        exercise("ex06_beyond", "Beyond max_len", check(ROWS, points=4), bonus=True, hidden=16),
    ),
    "bonus_up_to_the_maximum": with_bonus(35, 12),
    "one_bonus_point_counts": with_bonus(39, 12),
    "bonus_makes_up": with_bonus(20, 12),
    "bonus_beyond_the_maximum": with_bonus(35, 12, beyond=True),
    "bonus_only": practice(
        exercise("ex06_beyond", "Beyond max_len", check(BUILT, points=4), FAILED, bonus=True, hidden=13)
    ),
    "notebook": in_notebook(
        check(BUILT, Verdict.ERROR, got="NameError: name 'torch' is not defined", line=3, cell=5),
        notes=(
            "cell 2 was left out: it installs packages",
            "exercises/ex02_token_pos.py and positional_embedding.ipynb both hold work for this exercise",
        ),
    ),
    "text_not_written": discussion(
        text(Verdict.TODO, got="the text in exercises/ex07_discussion.md is not written yet")
    ),
    "text_not_readable": discussion(text(Verdict.ERROR, got="exercises/ex07_discussion.md is a folder")),
    "text_waiting": discussion(text()),
    "text_marked": discussion(text(Verdict.MARKED, given(1))),
    "text_marked_in_full": discussion(text(Verdict.MARKED, given(2, ""))),
    "text_changed_since": discussion(text(Verdict.MARKED, given(1, answer_changed=True))),
    "overridden": one(
        check(
            ROWS,
            Verdict.MARKED,
            3,
            expected="row 0 at place 0",
            got="row 1",
            hint="Count from 0.",
            line=12,
            mark=given(2, "Two of three: the idea is right.\nSee the lecture, [red]slide 12[/red] \u202e."),
        ),
        check(BUILT, Verdict.MARKED, 2, got="nothing", mark=given(2, "Said in other words.", answer_changed=True)),
    ),
    "objectives": strict(
        exercise(
            "ex02_token_pos",
            "Learned positions",
            check(BUILT),
            *(check(f"part {n}", Verdict.FAIL if n == 3 else Verdict.PASS, got="nothing") for n in range(4)),
            check("a sentence", Verdict.FAIL, got="nothing", objective="explain"),
            check("our fault", Verdict.BROKEN, objective="explain"),
            text(),
        )
    ),
    "in_time": handed_in(solved(), 18, 12),
    "late": handed_in(with_bonus(35, 12), 20, 9),
    "late_after_an_extension": handed_in(graded(5), 21, 9, Extension(hours=48)),
    "withheld": share(graded(3), "band"),
    "withheld_untold": share(graded(3), "none"),
    "withheld_with_bonus": share(graded(5, bonus=True), "band"),
    "withheld_all_passed": share(solved(), "band"),
}


def every_verdict() -> Card:
    marks = {Verdict.MARKED: Mark(points=0, note="why", date=datetime.date(2026, 12, 1), answer_changed=True)}
    ends = (check(f"this check ends with {end}", end, got="the words", mark=marks.get(end)) for end in Verdict)
    return one(*ends)
