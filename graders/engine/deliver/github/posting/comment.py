"""The one comment of ours on a pull request: this module finds it, and writes it or writes it anew.

It begins with a mark that nobody sees, and was written by the account that this job has: anybody can copy the mark,
but not both. A note that a later commit could not be graded stands between the mark and the last card, which stays.
"""

from collections.abc import Callable

from graders.engine.deliver.github.api.answers import Comment, many, one
from graders.engine.deliver.github.api.failure import NotThereError, UnclearError
from graders.engine.deliver.github.api.session import Session, settle

MARK = "<!-- grade: score card -->\n"
NOTE = "<!-- grade: note -->\n"
END_OF_NOTE = "<!-- grade: end of note -->\n"
ABOVE_CARD = "\nBelow is the last score there is, of an earlier run.\n\n---\n\n"
MOST_MARKDOWN_BYTES = 60_000
"""Of a card in Markdown. GitHub counts 65,536 characters for a comment; the rest is for what stands around a card."""
MOST_CHARACTERS = 65_536
WRITING = "pull-requests: write"
WRITTEN, EDITED, LEFT = "written", "edited", "left as it was"
EDITED_OLDER = "edited, the older of two (another run wrote one at the same time; the younger may be deleted)"


def with_card(card: str) -> Callable[[str], str]:
    """Return how a former comment becomes one with this card: nothing of it stays."""
    return lambda former: MARK + card


def with_note(note: str) -> Callable[[str], str]:
    """Return how a former comment gets this note: instead of a former note, and above the card where there is one."""

    def renew(former: str) -> str:
        card = card_of(former)
        head = MARK + NOTE + note + (ABOVE_CARD if card else "") + END_OF_NOTE
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
) -> tuple[str, str]:
    """See that the comment of ours is what `renew` makes of the former one; return what that took, and its address."""
    # Over all tries: a write that was not clear, and is found in its place at the next look, was ours.
    done = LEFT

    def look_and_write() -> tuple[str, str]:
        nonlocal done
        former = _find(session, repository, pull, author)
        body = renew(_text(former))
        if former is not None and _text(former).rstrip() == body.rstrip():
            return done, former.html_url
        if former is not None:
            done = EDITED
            return done, _edit(session, repository, former, body).html_url
        done = WRITTEN
        written = _write(session, repository, pull, body)
        # Another job may have looked and written in the same moment. Later ones keep to the older comment, so both do.
        first = _find(session, repository, pull, author)
        if first is None or first.id >= written.id:
            return done, written.html_url
        done = EDITED_OLDER
        return done, _edit(session, repository, first, renew(_text(first))).html_url

    return settle(session, look_and_write)


def _find(session: Session, repository: str, pull: int, author: str) -> Comment | None:
    """Return our comment, the first one if there are several: GitHub lists the oldest first.

    Raises EndlessError where none is ours in as much as is read.
    """
    pages = session.pages(
        f"/repos/{repository}/issues/{pull}/comments", {}, what="list the comments", needs="pull-requests: read"
    )
    ours = (comment for page in pages for comment in many(Comment, page) if _is_ours(comment, author))
    return next(ours, None)


def _is_ours(comment: Comment, author: str) -> bool:
    return comment.user is not None and comment.user.login.lower() == author.lower() and _text(comment).startswith(MARK)


def _text(comment: Comment | None) -> str:
    """Return what a comment says, with the ends of lines as we write them: an editor may have put others."""
    return "" if comment is None or comment.body is None else comment.body.replace("\r\n", "\n")


def _write(session: Session, repository: str, pull: int, body: str) -> Comment:
    path = f"/repos/{repository}/issues/{pull}/comments"
    return one(Comment, session.write("POST", path, {"body": body}, what="write a comment", needs=WRITING))


def _edit(session: Session, repository: str, former: Comment, body: str) -> Comment:
    """Edit a comment; raises UnclearError where it is gone, so that the next look tells what is there instead."""
    path = f"/repos/{repository}/issues/comments/{former.id}"
    try:
        return one(Comment, session.write("PATCH", path, {"body": body}, what="edit the comment", needs=WRITING))
    except NotThereError as error:
        raise UnclearError(str(error)) from error
