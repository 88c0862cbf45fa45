"""Score cards as files: read as what anybody may have written, until they prove to be cards."""

from pathlib import Path

from pydantic import ValidationError

from graders.engine.cli.files import read_at_most
from graders.engine.errors import UsageError, first_problem, shown_path
from graders.engine.score.card import Card, card_from_json

MOST_CARD_BYTES = 20_000_000


def read_card(path: Path) -> Card:
    """Return the card in that file; raises UsageError for whatever is none."""
    data = read_at_most(path, MOST_CARD_BYTES)
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
