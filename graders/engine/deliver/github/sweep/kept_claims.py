"""The claims of a class, `claims/STEM.json`: cards as forks made them, each for the commit that was swept."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from graders.engine.load.handed_in.listing import SweepItem
from graders.engine.score.card import Card, card_from_json, card_to_json
from graders.engine.score.names import file_stem

FOLDER = "claims"
MOST_BYTES = 16 * 1024 * 1024


class KeptClaims:
    """The folder of claims in the folder of a sweep."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._folder.mkdir(exist_ok=True)

    def has(self, student: str, sha: str) -> bool:
        """Return whether the claim for that commit is there."""
        return _commit_of(self._path(student)) == sha

    def keep(self, student: str, sha: str, card: Card) -> None:
        """Write a claim, whole or not at all. It is for that commit, whatever the card says."""
        graded = card.grader.model_copy(update={"commit": sha})
        path = self._path(student)
        draft = path.with_suffix(".part")
        draft.write_text(card_to_json(card.model_copy(update={"grader": graded})), encoding="utf-8")
        draft.replace(path)

    def drop_others(self, items: Iterable[SweepItem]) -> None:
        """Remove the claims for commits that do not count, or no longer do."""
        ours = {self._path(item.student): item.sha for item in items if item.sha is not None}
        for path in self._folder.iterdir():
            if path not in ours or _commit_of(path) != ours[path]:
                path.unlink()

    def _path(self, student: str) -> Path:
        return self._folder / f"{file_stem(student)}.json"


def _commit_of(path: Path) -> str | None:
    try:
        with open(path, "rb") as file:
            return card_from_json(file.read(MOST_BYTES).decode("utf-8")).grader.commit
    except (OSError, UnicodeDecodeError, ValidationError):
        return None
