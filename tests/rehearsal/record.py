"""What a run of a workflow did, read from the log that act writes: jobs, their steps, and what each of them said."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

ANNOTATIONS = ("notice", "warning", "error")


@dataclass(frozen=True)
class Command:
    """A workflow command that the runner obeyed, such as an annotation."""

    name: str
    words: str
    properties: dict[str, str]


@dataclass(frozen=True)
class Step:
    """What became of a step; `result` is empty for one that did not come to an end."""

    id: str
    name: str
    result: str = ""
    printed: str = ""
    commands: tuple[Command, ...] = ()
    summary: str = ""


@dataclass(frozen=True)
class Job:
    """A job that ran, with its steps in order; one that was skipped is not there."""

    id: str
    result: str = ""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Run:
    """A workflow run that has ended; `text` is all that it wrote, as it was written."""

    exit_code: int
    text: str
    seconds: float
    jobs: dict[str, Job] = field(default_factory=dict)

    @property
    def results(self) -> dict[str, str]:
        """How each job ended that ran."""
        return {name: job.result for name, job in self.jobs.items()}

    @property
    def annotations(self) -> list[Command]:
        return [command for step in self.steps() for command in step.commands if command.name in ANNOTATIONS]

    @property
    def summary(self) -> str:
        return "".join(step.summary for step in self.steps())

    def steps(self) -> Iterator[Step]:
        for job in self.jobs.values():
            yield from job.steps


def read_log(lines: Sequence[str]) -> dict[str, Job]:
    """Return the jobs that a log tells of, by their names in the workflow."""
    jobs: dict[str, Job] = {}
    for line in lines:
        if line.startswith("{") and "jobID" in (entry := json.loads(line)):
            name = entry["jobID"]
            jobs[name] = _with(jobs.get(name, Job(name)), entry)
    return jobs


def _with(job: Job, entry: dict[str, Any]) -> Job:
    if "jobResult" in entry:
        return replace(job, result=entry["jobResult"])
    if "stepID" not in entry or entry.get("stage") != "Main":
        return job
    # The steps of a composite action have ids of two parts; they are its own.
    number, nested = entry["stepID"][0], len(entry["stepID"]) > 1
    steps = {step.id: step for step in job.steps}
    step = steps.get(number, Step(number, entry["step"]))
    steps[number] = _told(step, entry, nested)
    return replace(job, steps=tuple(steps.values()))


def _told(step: Step, entry: dict[str, Any], nested: bool) -> Step:
    if entry.get("raw_output"):
        return replace(step, printed=step.printed + entry["msg"])
    if entry.get("command") == "summary":
        return replace(step, summary=step.summary + entry["content"])
    if "command" in entry:
        # The runner's own words say where a value went: `name` is of an output or a variable.
        properties = entry.get("kvPairs") or {}
        named = {"name": entry["name"]} if "name" in entry else {}
        command = Command(entry["command"], entry.get("arg", ""), {**properties, **named})
        return replace(step, commands=(*step.commands, command))
    if "stepResult" in entry and not nested:
        return replace(step, result=entry["stepResult"])
    return step
