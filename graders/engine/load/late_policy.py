"""What a course says about work that comes late: the block `late` of grading.yaml."""

import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from graders.engine.load.moments import FIRST_YEAR, LAST_YEAR


def _moment(value: object) -> object:
    """Return the moment that a text stands for. YAML reads some of them as moments, those without quotes."""
    moment = datetime.datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
    if isinstance(moment, datetime.datetime) and not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"a deadline lies within the years {FIRST_YEAR} to {LAST_YEAR}")
    return moment


class LatePolicy(BaseModel):
    """When work is late, and what that costs.

    Work is due at the deadline, or with an extension at a later moment. It is late if it was handed in more than the
    grace after that; then each day counts that has begun since it was *due*: the grace is a pardon, no extension.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    deadline: Annotated[AwareDatetime, BeforeValidator(_moment)]
    grace_minutes: Annotated[int, Field(ge=0, le=10_080)] = 0
    percent_per_day: Annotated[int, Field(ge=1, le=100)]
    """Of the points that would count otherwise, bonus included."""
    at_most_percent: Annotated[int, Field(ge=1, le=100)] = 100
    counts: Literal["best", "last"] = "best"
    """Which of several attempts: the one with most points after all is taken off, or the last."""
