"""The status of a commit in the context `grade`: whether it was graded, not how well, with the points as a description.

success: graded. failure: nothing in it could be graded. error: the grader failed, and a later run may do better.
"""

from graders.engine.deliver.github.api.answers import Status, many
from graders.engine.deliver.github.api.session import Session, settle
from graders.engine.deliver.github.posting.said import Said

CONTEXT = "grade"
LONGEST_DESCRIPTION = 140


def keep_status(session: Session, repository: str, sha: str, said: Said) -> bool:
    """See that the newest status of the commit in our context says this; return whether it had to be set."""
    body = {
        "state": said.state,
        "description": said.description[:LONGEST_DESCRIPTION],
        "target_url": said.target_url,
        "context": CONTEXT,
    }
    # Over all tries: a write that was not clear, and is found in its place at the next look, was ours.
    done = False

    def look_and_write() -> bool:
        nonlocal done
        newest = _newest(session, repository, sha)
        if newest is None or {name: getattr(newest, name) for name in body} != body:
            done = True
            session.write(
                "POST", f"/repos/{repository}/statuses/{sha}", body, what="set the status", needs="statuses: write"
            )
        return done

    return settle(session, look_and_write)


def _newest(session: Session, repository: str, sha: str) -> Status | None:
    """Return the newest status in our context; GitHub lists the newest first."""
    pages = session.pages(
        f"/repos/{repository}/commits/{sha}/statuses", {}, what="list the statuses", needs="statuses: read"
    )
    statuses = (status for page in pages for status in many(Status, page) if status.context == CONTEXT)
    return next(statuses, None)
