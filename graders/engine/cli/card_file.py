"""Score cards as files: read as what anybody may have written, until they prove to be cards."""

from pathlib import Path

from pydantic import ValidationError

from graders.engine.cli.marks_file import first_problem
from graders.engine.errors import UsageError, shown_path
from graders.engine.score.card import Card, card_from_json

MOST_CARD_BYTES = 20_000_000


def read_card(path: Path) -> Card:
    """Return the card in that file; raises UsageError for whatever is none."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_CARD_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {error.strerror}") from error
    if len(data) > MOST_CARD_BYTES:
        raise _no_card(path, "it is larger than any")
    try:
        return card_from_json(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _no_card(path, "it is no text") from error
    except ValidationError as error:
        raise _no_card(path, first_problem(error)) from error


def _no_card(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"{shown_path(path)} is no score card ({reason}); give one that `grade --json` wrote, or the student's folder"
    )
