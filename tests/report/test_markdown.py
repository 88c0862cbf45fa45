"""Markdown of cards: what it says, that no text is more than text in it, and that it keeps to every limit."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from graders.engine.judge.outcome import Verdict
from graders.engine.report.markdown import ENDS, FOLD, LEAST, MOST_SUMMARY_BYTES, UNFOLD, card_markdown
from graders.engine.score.card import Card, card_from_json, card_to_json
from graders.engine.score.sharing import share
from tests.conftest import Golden
from tests.report.hostile import hostile_cards, longest_cards
from tests.report.situations import BUILT, FAILED, SITUATIONS, check, every_verdict, exercise, graded, one, strict

COMMENT, SUMMARY = 60_000, MOST_SUMMARY_BYTES
GOLDEN = Path(__file__).parents[1] / "golden" / "markdown"
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
BLOCKS = {
    *("paragraph_open", "paragraph_close", "inline", "fence", "html_block"),
    *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
    *(f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")),
}
INLINE = {"text", "softbreak", "strong_open", "strong_close", "code_inline"}
HTML = {FOLD.rstrip("\n"), UNFOLD.lstrip("\n")}
OUR_CODE = re.compile(r"make grade|[0-9a-f]{7}")
LOOKED_FOR = re.compile(r"@[a-z0-9]|#\d|://|\bwww\.|(?:^|[^\u200b])\$", re.IGNORECASE)
"""What GitHub looks for in text that has been rendered."""


def strange(text: str) -> list[str]:
    """Return what is in the text beyond the elements that reports are made of."""
    tokens = PARSER.parse(text)
    inner = [child for token in tokens for child in token.children or []]
    found = [token.type for token in tokens if token.type not in BLOCKS]
    found += [child.type for child in inner if child.type not in INLINE]
    found += [token.content for token in tokens if token.type == "html_block" and token.content.strip() not in HTML]
    found += [code for code in texts(inner, "code_inline") if not OUR_CODE.fullmatch(code)]
    found += [words for words in texts(inner, "text") if LOOKED_FOR.search(words)]
    found += [token.info for token in tokens if token.type == "fence" and token.info]
    folds = [token.content.strip() for token in tokens if token.type == "html_block"]
    return found + ([] if folds in ([], [FOLD.strip(), UNFOLD.strip()]) else folds)


def texts(tokens: Iterable[Token], kind: str) -> list[str]:
    return [token.content for token in tokens if token.type == kind]


def cells(text: str) -> list[list[str]]:
    """Return the rows of the table, without its head."""
    rows: list[list[str]] = []
    for token, inner in zip(tokens := PARSER.parse(text), tokens[1:], strict=False):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "td_open":
            rows[-1].append("".join(child.content for child in inner.children or []))
    return rows[1:]


@pytest.mark.parametrize("name", SITUATIONS)
def test_situation(name: str, golden: Golden) -> None:
    text = card_markdown(SITUATIONS[name], COMMENT)
    assert not strange(text)
    golden("markdown", name, text)


def test_every_verdict(golden: Golden) -> None:
    golden("markdown", "every_verdict", card_markdown(every_verdict(), COMMENT))


def first_line(card: Card) -> str:
    return card_markdown(card, COMMENT).split("\n")[0]


def test_the_first_line_says_what_this_is() -> None:
    assert first_line(SITUATIONS["fail"]).startswith("**This is practice, not the grade.** Points: 1/24 ")
    assert first_line(SITUATIONS["hidden_run_failures"]) == "**Graded.** Points: 2/4."
    card = graded(3)
    committed = card.model_copy(update={"grader": card.grader.model_copy(update={"commit": "0123456789" * 4})})
    assert first_line(committed) == "**Graded: commit `0123456`.** Points: 5/11."
    shared = first_line(share(committed, "band"))
    assert shared.startswith("**Graded: commit `0123456`.** Visible checks: 2/5 ")
    assert shared.endswith("Hidden checks: some of their points (one third or more, less than two).")


def test_what_is_withheld_leaves_no_trace() -> None:
    for policy in ("none", "band"):
        assert "secret" not in card_markdown(share(graded(3), policy), COMMENT)
    assert card_markdown(share(graded(3), "none"), COMMENT) == card_markdown(share(graded(6), "none"), COMMENT)
    assert "secret" in card_markdown(graded(3), COMMENT)


def test_the_table_has_the_points_of_each_exercise() -> None:
    for card in SITUATIONS.values():
        rows = cells(card_markdown(card, COMMENT))
        assert len(rows) == len(card.exercises)
        for row, result in zip(rows, card.exercises, strict=True):
            assert row[0].startswith(f"{result.slug}: {result.title}")
            assert row[0].endswith("(bonus)") == result.bonus
            listed = sum(each.max_points for each in result.checks)
            whole = listed if card.withheld else result.max_points
            assert row[1].startswith(f"{result.points}/{whole}" if whole else "not told here")
            ends = Counter(check.verdict for check in result.checks)
            assert row[2] == ", ".join(f"{ends[verdict]} {words}" for verdict, words in ENDS.items() if ends[verdict])


def test_an_unchanged_card_gives_an_unchanged_comment() -> None:
    card = SITUATIONS["untouched"]
    slower = card.model_copy(
        update={
            "exercises": tuple(
                each.model_copy(update={"checks": tuple(c.model_copy(update={"seconds": 9.0}) for c in each.checks)})
                for each in card.exercises
            )
        }
    )
    again = card_from_json(card_to_json(slower))
    assert again != card
    assert card_markdown(again, COMMENT) == card_markdown(card, COMMENT)


def many(number: int, words: str = "a little") -> Card:
    fails = [check(f"part {n}", FAILED.verdict, 1 + n % 5, got=f"{words} {n}") for n in range(number)]
    return strict(exercise("ex02_token_pos", "Learned positions", check(BUILT), *fails))


def test_the_worst_come_first_and_the_others_are_folded_away() -> None:
    text = card_markdown(many(7), COMMENT)
    worths = [int(worth) for worth in re.findall(r"^\*\*FAIL\*\* .*\(0/(\d)\)$", text, flags=re.MULTILINE)]
    assert worths == [5, 4, 3, 2, 2, 1, 1]
    assert text.index("(0/3)") < text.index(FOLD) < text.index("(0/2)") < text.index(UNFOLD)
    assert FOLD not in card_markdown(many(3), COMMENT)


def test_what_there_is_no_room_for_is_counted() -> None:
    for limit in (2_000, 3_000, 5_000, 20_000):
        text = card_markdown(many(90, "word " * 40), limit)
        shown = text.count("**FAIL**")
        assert 0 < shown < 90
        assert f"and {90 - shown} more: run `make grade`" in text
    assert card_markdown(many(90), SUMMARY).count("**FAIL**") == 90


def test_the_more_room_the_more_is_told() -> None:
    shown = [card_markdown(many(90, "word " * 40), limit).count("**FAIL**") for limit in range(2_000, 30_000, 500)]
    assert shown == sorted(shown)


def test_output_that_is_not_shown_is_counted() -> None:
    def printed(number: int, limit: int = COMMENT, got: str = "") -> str:
        output = "".join(f"line {n}\n" for n in range(number))
        return card_markdown(one(check("a part", Verdict.FAIL, got=got, output=output)), limit)

    shown = "- your code printed:\n\n  ```\n  line 0\n  line 1\n  line 2\n  line 3\n  line 4\n  ```\n"
    assert f"{shown}\n  (2 more lines)\n" in printed(7)
    assert f"{shown}\n  (1 more line)\n" in printed(6)
    assert shown in printed(5)
    assert "more line" not in printed(5)
    assert "- your code printed: (7 more lines)\n" in printed(7, LEAST, got="word " * 300)
    assert not strange(printed(7))
    text = card_markdown(one(check("a part", Verdict.FAIL, output="\n\nx\n\n\ny\n")), COMMENT)
    assert "- your code printed: x\n\n  (1 more line)\n" in text


def test_no_text_of_a_hostile_card_is_more_than_text() -> None:
    for card in hostile_cards(60):
        for limit in (LEAST, 6_000, COMMENT):
            text = card_markdown(card, limit)
            assert len(text.encode()) <= limit
            assert not strange(text), ascii(text)


def test_the_longest_cards_keep_to_every_limit() -> None:
    for card in longest_cards():
        for limit in (LEAST, COMMENT):
            text = card_markdown(card, limit)
            assert len(text.encode()) <= limit
            assert not strange(text), ascii(text[:3_000])
            assert text.startswith("**Graded.** Points: ")


def test_no_line_is_a_command_to_whoever_prints_it() -> None:
    for card in hostile_cards(40):
        text = card_markdown(card, COMMENT)
        assert "##[" not in text
        assert not [line for line in text.split("\n") if line.lstrip().startswith("::")]


def test_figures_that_nobody_has_are_not_shown() -> None:
    text = card_markdown(one(check("a part", points=10**1500)), LEAST)
    assert text == "**This is practice, not the grade.** The score card is too long for this place; run `make grade`.\n"


def test_so_little_room_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="got a limit of 1999"):
        card_markdown(SITUATIONS["fail"], 1_999)


def test_every_golden_file_belongs_to_a_test() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*SITUATIONS, "every_verdict"}
