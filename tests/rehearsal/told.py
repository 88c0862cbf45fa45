"""The play as text, to be read from top to bottom: for each student what GitHub shows, and what the staff know."""

import textwrap
from collections.abc import Iterator

from graders.engine.deliver.github.posting.comment import MARK
from tests.github.state import GitHub
from tests.rehearsal.play import Scene
from tests.rehearsal.record import Run
from tests.rehearsal.stage import COURSE, Stage

WIDTH = 110
QUOTED = "    | "
PRACTICE = {
    "push": "Practice, in the student's own fork at a push",
    "pull_request": "Practice, in the course for the pull request",
}


def opening(stage: Stage) -> str:
    """Return what comes before the students."""
    files = stage.release.said.splitlines()[0].partition(": ")[2]
    return "\n".join(
        [
            *_heading("A course of five students, from release to posted scores", "="),
            f"The staff make a key, and release {files} files as {COURSE}, hidden checks sealed to the key.",
            "Each student forks that, works, pushes, and opens a pull request.",
            "",
        ]
    )


def told(stage: Stage, scene: Scene) -> str:
    """Return a student's part, without what differs from one time to the next."""
    student, pull = scene.student, scene.pull
    lines = _heading(f"{pull.number}. {student.login} {student.story}", "-")
    lines += ["", f"{PRACTICE[student.practice]}: {_results(scene.practice)}", *_summary(scene.practice, "")]
    lines += [*_annotations(scene.practice), "", f"The grade: {_results(scene.grading)}"]
    for comment in stage.github.comments:
        if comment.pull is pull:
            lines += [f"Comment of {comment.author} on pull request {pull.number}:", *_quoted(comment.body)]
            lines += _summary(scene.grading, comment.body.removeprefix(MARK))
    lines += [*_statuses(stage.github, pull.sha), *_annotations(scene.grading), *_known_to_the_staff(scene)]
    return "\n".join(part for line in lines for part in _wrapped(_without_chance(stage, scene, line))) + "\n"


def _known_to_the_staff(scene: Scene) -> Iterator[str]:
    whole = scene.whole
    bonus = f"{whole.bonus.points}/{whole.bonus.max_points}"
    yield f"The staff open the sealed card: {whole.points}/{whole.max_points}, bonus {bonus}, total {whole.total}."


def _heading(words: str, line: str) -> list[str]:
    return [words, line * len(words)]


def _results(run: Run) -> str:
    return ", ".join(f"{job} {result}" for job, result in run.results.items())


def _summary(run: Run, comment: str) -> Iterator[str]:
    if comment and run.summary.strip() == comment.strip():
        yield "Summary of the run: as the comment."
    else:
        yield from ("Summary of the run:", *_quoted(run.summary))


def _annotations(run: Run) -> Iterator[str]:
    yield f"Annotations: {len(run.annotations)}"
    for command in run.annotations:
        where = ":".join(command.properties[name] for name in ("file", "line") if name in command.properties)
        yield f"    {command.name} {where or command.properties.get('title', '')} - {command.words.splitlines()[0]}"


def _statuses(github: GitHub, sha: str) -> Iterator[str]:
    for status in github.statuses:
        if status.sha == sha:
            yield f"Status {status.context} of the commit: {status.state}, {status.description}"


def _quoted(text: str) -> Iterator[str]:
    return (QUOTED + line for line in text.splitlines())


def _wrapped(line: str) -> list[str]:
    prefix = QUOTED if line.startswith(QUOTED) else ""
    further = prefix or "        "
    words = line.removeprefix(prefix)
    parts = textwrap.wrap(
        words, WIDTH, initial_indent=prefix, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )
    return [part.rstrip() for part in parts or [prefix]]


def _without_chance(stage: Stage, scene: Scene, text: str) -> str:
    commit = scene.pull.sha
    for digest in (commit, commit[:12], commit[:7]):
        text = text.replace(digest, f"(commit of {scene.student.login})")
    return text.replace(stage.machine.server, "https://github.example").replace(str(stage.scratch), "(scratch)")
