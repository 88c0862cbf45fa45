"""What every record of a score is made of: strict, frozen, and of fields that are no longer than people read."""

import datetime
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

LONGEST_WORDS = 2000
LONGEST_NOTE = 1000
LONGEST_NAME = 200


class Record(BaseModel):
    """A frozen record that takes nothing for something else."""

    # Strict, so that "3", 3.0 and True are no points.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def require_name(text: str) -> str:
    """Return a name of a person; raises ValueError for one that nobody could read, or tell from another."""
    if not text.strip() or not text.isprintable():
        raise ValueError("a name has letters, and no control or invisible characters")
    if text != unicodedata.normalize("NFC", text):
        raise ValueError("a name has its accents composed (Unicode's form NFC), so that it equals itself everywhere")
    return text


def require_note(text: str) -> str:
    """Return a note; raises ValueError for one with characters that steer what shows it."""
    for place, letter in enumerate(text):
        if unicodedata.category(letter) in {"Cc", "Cs"} and letter not in "\n\t":
            raise ValueError(f"character {place + 1} is a control character ({letter!a}); take it out")
    return text


# Words are cut where they enter, in the judge; this bound only stops a text that nobody cut.
Words = Annotated[str, Field(max_length=LONGEST_WORDS)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Student = Annotated[Name, AfterValidator(require_name)]
Note = Annotated[str, Field(max_length=LONGEST_NOTE), AfterValidator(require_note)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Points = Annotated[int, Field(ge=0)]
# At least one: an exercise can be 0/15, never 0/0.
MaxPoints = Annotated[int, Field(ge=1)]


class Mark(Record):
    """What a person gave for one check, which counts in the place of what was found by machine."""

    points: Points
    note: Note
    date: datetime.date
    answer_changed: bool
    """Whether the answer is another one by now than the person saw."""
