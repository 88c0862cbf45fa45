"""The rubric: which exercises there are, which checks, and what each check is worth."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from graders.engine.errors import CourseError
from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.rubric_errors import Problem, problems_in, suggest
from graders.engine.load.yaml_source import KeyPath, YamlSource, read_yaml

Visibility = Literal["visible", "hidden"]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
SLUG = r"^ex[0-9]{2}_[a-z0-9_]+$"
Slug = Annotated[str, Field(pattern=SLUG)]
Text = Annotated[str, Field(min_length=1)]
Points = Annotated[int, Field(ge=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class Limits(_Strict):
    """What one check may use."""

    seconds: Annotated[float, Field(gt=0)]
    memory_mib: Annotated[int, Field(gt=0)]


class Post(_Strict):
    """What is told of hidden checks where others can read it, beside the name of a student's account."""

    hidden: Literal["none", "band", "points"] = "band"
    """Nothing, which third of the points it is, or all there is."""


class PersonItem(_Strict):
    """Something that a person grades: a text in a file of its own, and what a point is given for."""

    title: Text
    objective: Name
    points: Points
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+\.md$")]
    criteria: Annotated[list[Text], Field(min_length=1)]


class _Block(_Strict):
    """An exercise as the file has it, where its slug is the key and not a value."""

    title: Text
    kind: Literal["code", "answers"] = "code"
    """A Python file, or a sheet of written answers in YAML."""
    bonus: bool = False
    """Whether its points come on top of the maximum."""
    visible: Annotated[dict[Name, Points], Field(min_length=1)]
    hidden: dict[Name, Points] = {}
    hidden_points: Points | None = None
    """What the hidden checks are worth together, where they are not listed: in the course that students get."""
    person: dict[Name, PersonItem] = {}


class ExerciseRubric(_Block):
    """One exercise: its name, and points by check, without the prefix ``check_``."""

    slug: Slug

    @property
    def visible_points(self) -> int:
        return sum(self.visible.values())

    @property
    def points(self) -> int:
        hidden = self.hidden_points or sum(self.hidden.values())
        return self.visible_points + hidden + sum(item.points for item in self.person.values())

    @property
    def file(self) -> str:
        """The name of the file that students hand in."""
        return f"{self.slug}{SUFFIXES[self.kind]}"


GROUPS = ("visible", "hidden", "person")
WORDS = {"visible": "a visible check", "hidden": "a hidden check", "person": "something that a person grades"}
SUFFIXES = {"code": ".py", "answers": ".yaml"}


class _File(_Strict):
    version: Literal[1]
    notebook: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+\.ipynb$")] | None = None
    """The notebook in which all exercises can be done, where there is one."""
    bonus_beyond_maximum: bool = False
    """Whether bonus points may lift a total above the maximum, or only make up for points lost elsewhere."""
    limits: Limits
    post: Post = Post()
    late: LatePolicy | None = None
    """What handing in late costs; nothing, where this is not there."""
    objectives: dict[Name, Text]
    exercises: Annotated[Mapping[Slug, _Block], Field(min_length=1)]

    @field_validator("version", mode="before")
    @classmethod
    def _no_lookalike(cls, version: object) -> object:
        if type(version) is not int:  # True and 1.0 equal 1, which is all that Literal asks
            raise ValueError("not an integer")
        return version


class Rubric(_File):
    """The whole rubric, exercises by slug in the order of the file."""

    exercises: Annotated[Mapping[Slug, ExerciseRubric], Field(min_length=1)]

    @property
    def points(self) -> int:
        """The maximum, without bonus."""
        return sum(exercise.points for exercise in self.exercises.values() if not exercise.bonus)

    @property
    def is_public(self) -> bool:
        """Whether hidden checks are counted here and not named, as in the course that students get."""
        return any(exercise.hidden_points for exercise in self.exercises.values())


def load_rubric(path: Path) -> Rubric:
    """The rubric in that file; raises one CourseError with a line for every problem in it."""
    return parse_rubric(read_yaml(path))


def parse_rubric(source: YamlSource) -> Rubric:
    """The rubric in a YAML file that has been read; raises as `load_rubric` does."""
    problems = list(_named_twice(source))
    try:
        file = _File.model_validate(source.data)
        problems += _strange_objectives(file)
        problems += _hidden_twice(file)
    except ValidationError as error:
        problems += problems_in(error, _keys)
    if problems:
        problems.sort(key=lambda problem: source.line_of(problem[0]))
        raise CourseError("\n".join(f"{source.at(path)} {words}" for path, words in problems))
    exercises = {slug: ExerciseRubric(slug=slug, **dict(block)) for slug, block in file.exercises.items()}
    return Rubric(**{**dict(file), "exercises": exercises})


def match_checks(
    source: YamlSource, exercise: ExerciseRubric, visibility: Visibility, found: Sequence[str], file: str
) -> list[str]:
    """A line for every check that only the rubric has, or only ``file``, whose functions are ``found``.

    Both may hold for one misspelt check: which of the two names is the right one is for a person to say.
    """
    at = ("exercises", exercise.slug, visibility)
    functions = {f"check_{name}": name for name in getattr(exercise, visibility)}
    unpaid = [function for function in found if function not in functions]
    missing = [
        f"{source.at((*at, name))} has points but {file} has no {function}{suggest(function, unpaid)}"
        for function, name in functions.items()
        if function not in found
    ]
    return missing + [
        f'{source.at(at)} gives no points to {function} of {file}; add "{name}: 1" or other points'
        for function in unpaid
        for name in [function.removeprefix("check_")]
    ]


def _named_twice(source: YamlSource) -> Iterator[Problem]:
    for slug, block in _mapping(source.data.get("exercises")).items():
        groups = [(kind, name) for kind in GROUPS for name in _mapping(_mapping(block).get(kind))]
        for place, (kind, name) in enumerate(groups):
            for other in (earlier for earlier, same in groups[:place] if same == name):
                line = source.line_of(("exercises", slug, other, name))
                words = f"is the name of {WORDS[other]} too, in line {line}; rename one of them"
                yield ("exercises", slug, kind, name), words


def _hidden_twice(file: _File) -> Iterator[Problem]:
    for slug, block in file.exercises.items():
        if block.hidden and block.hidden_points:
            yield ("exercises", slug, "hidden_points"), "stands beside a list of hidden checks; keep the list alone"


def _strange_objectives(file: _File) -> Iterator[Problem]:
    for slug, block in file.exercises.items():
        for name, item in block.person.items():
            if item.objective not in file.objectives:
                words = f"must be one of {', '.join(file.objectives)}; got {item.objective}"
                yield ("exercises", slug, "person", name, "objective"), words


def _mapping(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}


def _keys(path: KeyPath) -> list[str]:
    models: Mapping[int, type[BaseModel]] = {0: _File, 2: _Block, 4: PersonItem}
    blocks: Mapping[KeyPath, type[BaseModel]] = {("post",): Post, ("late",): LatePolicy}
    model = blocks.get(path, Limits) if len(path) == 1 else models[len(path)]
    return list(model.model_fields)
