"""The one comment of ours on a pull request: this module finds it, and writes it or writes it anew.

It begins with a mark that nobody sees, and was written by the account that this job has: anybody can copy the mark,
but not both. A note that a later commit could not be graded stands between the mark and the last card, which stays.
"""

from collections.abc import Callable
from typing import Literal

from graders.engine.deliver.github.answers import Comment, many, one
from graders.engine.deliver.github.session import Session, settle

MARK = "<!-- grade: score card -->\n"
NOTE = "<!-- grade: note -->\n"
END_OF_NOTE = "<!-- grade: end of note -->\n"
MOST_CARD_BYTES = 60_000
"""Of a card in Markdown. GitHub counts 65,536 characters for a comment; the rest is for what stands around a card."""
MOST_CHARACTERS = 65_536
WRITING = "pull-requests: write"

Written = Literal["written", "edited", "left as it was"]


def with_card(card: str) -> Callable[[str], str]:
    """Return how a former comment becomes one with this card: nothing of it stays."""
    return lambda former: MARK + card


def with_note(note: str, above_card: str) -> Callable[[str], str]:
    """Return how a former comment gets this note: instead of a former note, and above the card where there is one."""

    def renew(former: str) -> str:
        card = card_of(former)
        head = MARK + NOTE + note + (above_card if card else "") + END_OF_NOTE
        return head + card[: MOST_CHARACTERS - len(head)]

    return renew


def card_of(body: str) -> str:
    """Return what follows the mark and a note: the last card, or an empty text.

    A card may quote anything. So a note is one only directly after the mark, and ends where the first end of a note is.
    """
    rest = body.removeprefix(MARK)
    return rest.partition(END_OF_NOTE)[2] if rest.startswith(NOTE) else rest


def keep_comment(
    session: Session, repository: str, pull: int, author: str, renew: Callable[[str], str]
) -> tuple[Written, str]:
    """See that the comment of ours is what `renew` makes of the former one; return what that took, and its address."""
    done: Written = "left as it was"

    def look_and_write() -> tuple[Written, str]:
        nonlocal done
        former = _find(session, repository, pull, author)
        body = renew(_text(former))
        if former is not None and _text(former).rstrip() == body.rstrip():
            return done, former.html_url
        done = "written" if former is None else "edited"
        return done, _write(session, repository, pull, former, body).html_url

    return settle(session, look_and_write)


def _find(session: Session, repository: str, pull: int, author: str) -> Comment | None:
    """Return our comment, the first one if there are several."""
    pages = session.pages(
        f"/repos/{repository}/issues/{pull}/comments", {}, what="list the comments", needs="pull-requests: read"
    )
    comments = [comment for page in pages for comment in many(Comment, page) if _is_ours(comment, author)]
    return min(comments, key=lambda comment: comment.id, default=None)


def _is_ours(comment: Comment, author: str) -> bool:
    return comment.user is not None and comment.user.login.lower() == author.lower() and _text(comment).startswith(MARK)


def _text(comment: Comment | None) -> str:
    """Return what a comment says, with the ends of lines as we write them: an editor may have put others."""
    return "" if comment is None or comment.body is None else comment.body.replace("\r\n", "\n")


def _write(session: Session, repository: str, pull: int, former: Comment | None, body: str) -> Comment:
    if former is None:
        path = f"/repos/{repository}/issues/{pull}/comments"
        answer = session.write("POST", path, {"body": body}, what="write a comment", needs=WRITING)
    else:
        path = f"/repos/{repository}/issues/comments/{former.id}"
        answer = session.write("PATCH", path, {"body": body}, what="edit the comment", needs=WRITING)
    return one(Comment, answer)
