"""All that is said of one commit, for its places: comment, status, summary, annotations; with a card or without one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from graders.engine.deliver.github.posting.comment import MOST_MARKDOWN_BYTES, with_card, with_note
from graders.engine.errors import NO_SANDBOX, NOTHING_GRADED
from graders.engine.report.annotations import annotations
from graders.engine.report.markdown import MOST_SUMMARY_BYTES, card_markdown
from graders.engine.report.words import BANDS, what_counts
from graders.engine.score.card import Card


@dataclass(frozen=True, slots=True)
class Said:
    """What a status says."""

    state: Literal["success", "failure", "error"]
    description: str
    target_url: str


@dataclass(frozen=True, slots=True)
class Words:
    """What goes where."""

    renew: Callable[[str], str]
    """How the former comment becomes the new one."""
    status: Said
    summary: str
    commands: tuple[str, ...]
    """Annotations, as commands of a workflow."""
    student: str | None
    """Whom the card is of, an empty text for nobody; None where there is no card."""


def words_of_card(card: Card, run_url: str) -> Words:
    """Return what is said of a commit that was graded."""
    return Words(
        renew=with_card(card_markdown(card, MOST_MARKDOWN_BYTES)),
        status=Said("success", describe(card), run_url),
        summary=card_markdown(card, MOST_SUMMARY_BYTES),
        commands=tuple(annotations(card)),
        student=card.student or "",
    )


def words_of_none(code: int, sha: str, run_url: str) -> Words:
    """Return what is said of a commit for which `grade` ended with that exit code, and without a card."""
    if code == NOTHING_GRADED:
        what = "Nothing in it could be graded. The log of the run says what was expected and what came."
        status = Said("failure", "Not graded: nothing in this commit could be graded", run_url)
    else:
        fault = "The sandbox was not complete, so no code was run." if code == NO_SANDBOX else "The grader failed."
        comfort = "That is no fault of yours, and costs nothing: the course staff can run it again once that is mended."
        what = f"{fault} {comfort}"
        status = Said("error", "Not graded: the grader failed, which is no fault of yours", run_url)
    note = f"**Commit {sha} was not graded.** {what} [The run]({run_url})\n"
    return Words(with_note(note), status, summary=note, commands=(), student=None)


def describe(card: Card) -> str:
    """Return the points that a card shows, and what it tells of those that it withholds."""
    points, whole = what_counts(card)
    if card.withheld is None:
        return f"Graded: {points}/{whole} points"
    band = "not told here" if card.withheld.band is None else BANDS[card.withheld.band]
    return f"Graded: {points}/{whole} points of visible checks; hidden checks: {band}"
