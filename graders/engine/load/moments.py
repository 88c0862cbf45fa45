"""Moments as people and other programs write them: ISO, and with a zone, as nobody knows when else it was."""

import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

FIRST_YEAR, LAST_YEAR = 2000, 2999
"""Beyond these nobody hands anything in, and arithmetic on dates has no end to run into."""


def moment(text: str) -> datetime.datetime:
    """The moment in UTC; raises ValueError with what was expected and what came."""
    expected = "expected a moment as 2026-11-30T23:59+01:00"
    try:
        found = datetime.datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ValueError(f"{text[:50]!a} is no moment; {expected}") from error
    if found.tzinfo is None:
        raise ValueError(f"{text[:50]!a} has no time zone; {expected}, or with Z at the end for UTC")
    if not FIRST_YEAR <= found.year <= LAST_YEAR:
        raise ValueError(f"{text[:50]!a} lies in another age; {expected}")
    return found.astimezone(datetime.UTC)


def in_utc(time: datetime.datetime) -> datetime.datetime:
    """Return the same moment in UTC, so that equal moments are written alike; raises ValueError beyond the calendar."""
    try:
        return time.astimezone(datetime.UTC)
    except OverflowError as error:
        raise ValueError("a moment lies within the years 1 to 9999, in UTC too") from error


Moment = Annotated[AwareDatetime, AfterValidator(in_utc)]
