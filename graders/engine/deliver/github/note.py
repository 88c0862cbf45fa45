"""What is said where there is no card: the words for each exit code of `grade` that means nothing was graded."""

from dataclasses import dataclass

from graders.engine.deliver.github.status import Said

NOTHING_GRADED, NO_SANDBOX = 2, 4
ABOVE_CARD = "\nBelow is the last score there is, of an earlier run.\n\n---\n\n"


@dataclass(frozen=True, slots=True)
class Note:
    """The same for the two places: a paragraph of Markdown, and a status."""

    markdown: str
    status: Said


def note_for(code: int, sha: str, run_url: str) -> Note:
    """Return what is said of a commit for which `grade` ended with that exit code."""
    if code == NOTHING_GRADED:
        what = "Nothing in it could be graded. The log of the run says what was expected and what came."
        return _note(sha, run_url, what, Said("failure", "Not graded: nothing in this commit could be graded", run_url))
    fault = "The sandbox was not complete, so no code was run." if code == NO_SANDBOX else "The grader failed."
    what = f"{fault} That is no fault of yours, and costs nothing: the course staff can run it again."
    return _note(
        sha, run_url, what, Said("error", "Not graded: the grader failed, which is no fault of yours", run_url)
    )


def _note(sha: str, run_url: str, what: str, status: Said) -> Note:
    return Note(f"**Commit {sha} was not graded.** {what} [The run]({run_url})\n", status)
