"""What a fork says of itself: the card that its own run of the visible checks has kept, and whether it runs any.

All of it is written by whoever owns the fork. It is compared with what grading finds, and counts for nothing.
"""

import io
import zipfile
import zlib
from dataclasses import dataclass

from pydantic import ValidationError

from graders.engine.deliver.github.api.answers import one
from graders.engine.deliver.github.api.download import download
from graders.engine.deliver.github.api.failure import BrokenAnswerError, EndlessError
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.clock import Clock
from graders.engine.deliver.github.sweep.answers import Artifact, Artifacts, Runs
from graders.engine.score.card import Card, card_from_json

ARTIFACT, MEMBER = "practice-card", "card.json"
"""As `feedback.yml` keeps it."""
MOST_BYTES = 4 * 1024 * 1024
"""Of the card, and of the archive that it comes in."""
NEEDS = "actions: read"


class NoCardError(Exception):
    """What was kept under the name of a card is none; the message says what it is, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Own:
    """A fork's own runs: whether there are any, and the newest artifact that may hold the card of a commit."""

    runs: bool
    artifact: Artifact | None


def own_runs(session: Session, repository: str, sha: str) -> Own:
    """Return what is known of a fork's own runs, in one request, or in two where it has kept no card."""
    data = session.read(
        f"/repos/{repository}/actions/artifacts?name={ARTIFACT}&per_page=100",
        what=f"list the artifacts of {repository}",
        needs=NEEDS,
    )
    kept = one(Artifacts, data).artifacts
    of_commit = [
        artifact
        for artifact in kept
        if artifact.name == ARTIFACT and artifact.workflow_run and artifact.workflow_run.head_sha == sha
    ]
    there = [artifact for artifact in of_commit if not artifact.expired]
    newest = max(there, key=lambda artifact: artifact.id, default=None)
    return Own(bool(kept) or _has_run(session, repository), newest)


def claimed_card(session: Session, repository: str, artifact: Artifact, api: str, clock: Clock) -> Card:
    """Return the card in an artifact; raises NoCardError for whatever else is in it, and GitHubError."""
    if artifact.size_in_bytes > MOST_BYTES:
        raise NoCardError(f"{artifact.size_in_bytes} bytes")
    place = session.place(
        f"/repos/{repository}/actions/artifacts/{artifact.id}/zip",
        what=f"show where the artifact {artifact.id} of {repository} lies",
        needs=NEEDS,
    )
    try:
        return read_card(download(place, api, MOST_BYTES, clock))
    except BrokenAnswerError as error:
        raise NoCardError(str(error)) from error
    except EndlessError as error:
        # What its maker said of its size was not so: that is no reason to look up nobody else's.
        raise NoCardError(f"more than {MOST_BYTES} bytes") from error


def read_card(archive: bytes) -> Card:
    """Return the card in a zip, of which nothing is believed; raises NoCardError for any other."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as found:
            members = found.infolist()
            if [member.filename for member in members] != [MEMBER]:
                raise NoCardError(f"not {MEMBER} alone")
            (member,) = members
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise NoCardError("packed in an unusual way")
            with found.open(member) as file:
                data = file.read(MOST_BYTES + 1)  # whatever size the archive names
    except (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, NotImplementedError, EOFError, OSError) as error:
        raise NoCardError("no archive that can be read") from error
    if len(data) > MOST_BYTES:
        raise NoCardError(f"more than {MOST_BYTES} bytes")
    try:
        return card_from_json(data.decode("utf-8"))
    except (UnicodeDecodeError, ValidationError) as error:
        raise NoCardError("no score card of this version") from error


def _has_run(session: Session, repository: str) -> bool:
    data = session.read(
        f"/repos/{repository}/actions/runs?per_page=1", what=f"list the runs of {repository}", needs=NEEDS
    )
    return one(Runs, data).total_count > 0
