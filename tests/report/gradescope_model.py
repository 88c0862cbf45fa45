"""What Gradescope documents of `results.json`, and nothing else: tests read what we write with these."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Format = Literal["text", "html", "simple_format", "md", "ansi"]
Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]


class Documented(BaseModel):
    """Only what Gradescope documents, in the types that it documents; of numbers, only integers."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Test(Documented):
    """One test."""

    __test__ = False
    score: Annotated[int, Field(ge=0)] | None = None
    max_score: Annotated[int, Field(ge=0)] | None = None
    status: Literal["passed", "failed"] | None = None
    name: str | None = None
    name_format: Format | None = None
    number: str | None = None
    output: str | None = None
    output_format: Format | None = None
    tags: list[str] | None = None
    visibility: Visibility | None = None
    extra_data: dict[str, Any] | None = None


class Results(Documented):
    """The whole file."""

    score: Annotated[int, Field(ge=0)] | None = None
    execution_time: int | None = None
    output: str | None = None
    output_format: Format | None = None
    test_output_format: Format | None = None
    test_name_format: Format | None = None
    visibility: Visibility | None = None
    stdout_visibility: Visibility | None = None
    extra_data: dict[str, Any] | None = None
    tests: list[Test] | None = None
    leaderboard: list[dict[str, Any]] | None = None
