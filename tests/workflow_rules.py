"""What workflows may do, as functions from a workflow to what is wrong with it: rights, secrets, triggers, hand-overs.

Nothing that runs workflows on a machine of ours imitates these, so they are read off the text. A workflow comes with
the name of its file and its whole text, since comments count in some rules.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.tools import REPOSITORY

FOLDER = REPOSITORY / ".github" / "workflows"
Job = Mapping[str, Any]
Step = Mapping[str, Any]

TRIGGERS = {
    "ci.yml": {"push": None, "pull_request": None},
    "class.yml": {
        "schedule": [{"cron": "37 3 * * *"}],
        "workflow_dispatch": {
            "inputs": {
                "course": {
                    "description": "OWNER/REPO of the course; without it, the variable COURSE, or this repository",
                    "type": "string",
                },
                "deadline": {
                    "description": "When it was due, as 2026-11-30T23:59+01:00; without it, as grading.yaml says",
                    "type": "string",
                },
            }
        },
    },
    "feedback.yml": {"push": {"branches": ["**"]}, "pull_request": None},
    "grade.yml": {"workflow_run": {"workflows": ["feedback"], "types": ["completed"]}},
}
READ = {"contents": "read"}
PERMISSIONS = {
    ("ci.yml", "test"): READ,
    ("class.yml", "sweep"): {**READ, "pull-requests": "read", "actions": "read"},
    ("class.yml", "grade"): READ,
    ("class.yml", "merge"): READ,
    ("feedback.yml", "practice"): READ,
    ("grade.yml", "resolve"): {**READ, "pull-requests": "read"},
    ("grade.yml", "grade"): READ,
    ("grade.yml", "post"): {**READ, "pull-requests": "write", "statuses": "write"},
}
CONDITIONS = {
    ("ci.yml", "test"): None,
    ("class.yml", "sweep"): "!github.event.repository.fork "
    "&& (github.event_name == 'workflow_dispatch' || vars.COURSE != '')",
    # As their needs are met, and so never in a fork either.
    ("class.yml", "grade"): "needs.sweep.outputs.students != '0'",
    ("class.yml", "merge"): None,
    ("feedback.yml", "practice"): "github.event.repository.fork || github.event.pull_request.head.repo.fork",
    ("grade.yml", "resolve"): "github.event.workflow_run.event == 'pull_request' && !github.event.repository.fork "
    "&& github.event.workflow_run.head_repository.id != github.event.repository.id "
    "&& github.event.workflow_run.conclusion != 'action_required'",
    ("grade.yml", "grade"): "needs.resolve.outputs.found == 'true'",
    ("grade.yml", "post"): "!cancelled() && needs.resolve.outputs.found == 'true' "
    "&& (needs.grade.result == 'success' || needs.grade.result == 'failure')",
}
# For a whole workflow where no job is named.
CONCURRENCY = {
    ("ci.yml", None): ("tests-${{ github.ref }}", True),
    ("class.yml", None): ("class", False),
    ("feedback.yml", None): ("feedback-${{ github.ref }}", True),
    ("grade.yml", "resolve"): ("resolve-${{ github.event.workflow_run.id }}", True),
    ("grade.yml", "grade"): ("grade-${{ needs.resolve.outputs.head }}", True),
    ("grade.yml", "post"): ("post-${{ needs.resolve.outputs.pull }}", False),
}
GRADING = {"name": "grading", "deployment": False}
ENVIRONMENTS = {("grade.yml", "grade"): GRADING, ("class.yml", "grade"): GRADING, ("class.yml", "merge"): GRADING}
# Where a secret or a token is given, and the whole of what runs with it there.
HOLDERS = {
    ("class.yml", "sweep", "GITHUB_TOKEN"): r'mkdir -m 700 "\S+" roster=\(\) '
    r"if \[ -e roster\.csv \]; then roster=\(--roster roster\.csv\); fi "
    r'python -m graders sweep "\$COURSE" --deadline "\$DEADLINE" --out "\S+" "\$\{roster\[@\]\}" '
    r'--output "\$GITHUB_OUTPUT" > "\S+" 2> "\S+" \|\| \{ code=\$\?; tail -n 2 "\S+"; exit "\$code"; \} '
    r'tail -n 1 "\S+"',
    ("class.yml", "grade", "GRADING_KEY"): r'python -m graders unseal-folder "\S+" "\S+" '
    r'if \[ -e graders/hidden\.age \]; then python -m graders unseal "\$RUNNER_TEMP/course"; fi',
    ("class.yml", "merge", "GRADING_KEY"): r'for part in "\$RUNNER_TEMP"/parts/\*\.age; do '
    r'python -m graders unseal-folder "\$part" "\$\{part%\.age\}"; done rm "\$RUNNER_TEMP"/parts/\*\.age',
    (
        "grade.yml",
        "resolve",
        "GITHUB_TOKEN",
    ): r'python -m graders resolve "\$GITHUB_EVENT_PATH" --output "\$GITHUB_OUTPUT"',
    ("grade.yml", "grade", "GITHUB_TOKEN"): r'python -m graders fetch "\$GITHUB_REPOSITORY" "\$SHA" '
    r'"\$RUNNER_TEMP/submission" \|\| \{ echo "failed=\$\?" >> "\$GITHUB_OUTPUT"; exit 1; \}',
    ("grade.yml", "grade", "GRADING_KEY"): r'python -m graders unseal "\$RUNNER_TEMP/course"',
    ("grade.yml", "post", "GITHUB_TOKEN"): r'case "\$CODE" in 0\) python -m graders post "\S+" [^;|&]*;; '
    r"\*\) python -m graders post [^;|&]*;; esac",
}
VALUES = {"GITHUB_TOKEN": "${{ github.token }}", "GRADING_KEY": "${{ secrets.GRADING_KEY }}"}
# A private course's forks are for no job's own token.
OTHER_VALUES = {("class.yml", "sweep", "GITHUB_TOKEN"): "${{ secrets.SWEEP_TOKEN || github.token }}"}
ARTIFACTS = {
    ("class.yml", "sweep"): {"sweep"},
    ("class.yml", "grade"): {"part-${{ matrix.shard }}"},
    ("class.yml", "merge"): {"class"},
    ("feedback.yml", "practice"): {"practice-card"},
    ("grade.yml", "grade"): {"card", "sealed-card"},
}
TAKEN = {
    ("class.yml", "grade"): [{"name": "sweep", "path": "${{ runner.temp }}/sealed"}],
    ("class.yml", "merge"): [{"pattern": "part-*", "merge-multiple": True, "path": "${{ runner.temp }}/parts"}],
    ("grade.yml", "post"): [{"name": "card", "path": "${{ runner.temp }}/card"}],
}
# All that expressions may name. Nothing of this can be chosen by whoever opens a pull request, but for the name of the
# branch in `github.ref`, which only ever stands in the name of a group.
HARMLESS = re.compile(
    r"always|cancelled|success|failure|true|false|github\.token"
    r"|github\.event\.(?:workflow_run\.(?:event|id|conclusion|head_repository\.id)|repository\.(?:fork|id))"
    r"|github\.event\.pull_request\.head\.repo\.fork"
    r"|needs\.\w+\.(?:result|outputs\.\w+)|steps\.\w+\.(?:outcome|outputs\.\w+)|env\.CODE|matrix\.python|runner\.temp"
    r"|secrets\.GRADING_KEY|secrets\.SWEEP_TOKEN"
    # What only the staff can set: whoever may write to a repository starts its workflows and sets its variables.
    r"|inputs\.(?:course|deadline)|vars\.(?:COURSE|RECIPIENT)|github\.(?:event_name|repository)|matrix\.shard|fromJSON"
)
PIP = "python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt"
LIGHT = ("pydantic", "pyyaml", "rich", "typer")
INSTALLATIONS = (
    f"{PIP} --editable .",
    f'{PIP} --editable ".[staff]"',
    f"{PIP} {' '.join(LIGHT)}",
    f"{PIP} {' '.join(LIGHT)} pyrage",
)
MOST_MINUTES = 60
# Commands of which every word goes to a file.
CLASS_LOG = re.compile(r'\{ (?:[^{}]|"\$\{\w+\[@\]\}")* \} > "\$result/log\.txt" 2>&1')


@dataclass(frozen=True)
class Workflow:
    """One workflow as it is parsed, under the name of its file."""

    name: str
    text: str
    data: dict[str, Any]

    @property
    def jobs(self) -> Mapping[str, Job]:
        """The jobs by their names."""
        jobs: Mapping[str, Job] = self.data["jobs"]
        return jobs

    def steps(self) -> Iterator[tuple[str, Job, Step]]:
        """Every step, with its job."""
        for name, job in self.jobs.items():
            for step in job["steps"]:
                yield name, job, step


def parse(name: str, text: str) -> Workflow:
    """Return the workflow with that text."""
    data = yaml.safe_load(text)
    data["on"] = data.pop(True)  # what YAML takes `on` for
    return Workflow(name, text, data)


def workflows() -> list[Workflow]:
    """All of this repository's."""
    paths: list[Path] = sorted(FOLDER.glob("*.yml"))
    return [parse(path.name, path.read_text(encoding="utf-8")) for path in paths]


def _differs(what: str, found: object, expected: object) -> list[str]:
    return [] if found == expected else [f"{what}: {found!r}; expected {expected!r}"]


def triggers(workflow: Workflow) -> list[str]:
    """Only what is known: never an event that lends rights to a fork's own words."""
    return _differs("on", workflow.data["on"], TRIGGERS.get(workflow.name))


def permissions(workflow: Workflow) -> list[str]:
    """None for a workflow as a whole, and exactly so many for each job."""
    found = _differs("permissions", workflow.data.get("permissions"), {})
    for name, job in workflow.jobs.items():
        found += _differs(f"permissions of {name}", job.get("permissions"), PERMISSIONS.get((workflow.name, name)))
    return found


def conditions(workflow: Workflow) -> list[str]:
    """When each job runs."""
    found = []
    for name, job in workflow.jobs.items():
        condition = job.get("if")
        words = " ".join(condition.split()) if condition else None
        found += _differs(f"if of {name}", words, CONDITIONS.get((workflow.name, name), "a condition that is known"))
    return found


def concurrency(workflow: Workflow) -> list[str]:
    """What ends what: newer practice and newer gradings the older ones; a posting is never ended."""
    found = []
    for name, part in [(None, workflow.data), *workflow.jobs.items()]:
        group = part.get("concurrency")
        pair = (group["group"], group["cancel-in-progress"]) if group else None
        found += _differs(f"concurrency of {name or 'all'}", pair, CONCURRENCY.get((workflow.name, name)))
    return found


def environments(workflow: Workflow) -> list[str]:
    """The secret's environment is used by the one job that opens the hidden checks."""
    found = []
    for name, job in workflow.jobs.items():
        expected = ENVIRONMENTS.get((workflow.name, name))
        found += _differs(f"environment of {name}", job.get("environment"), expected)
    return found


def machines(workflow: Workflow) -> list[str]:
    """Every job on a machine that GitHub throws away, and none for ever, nor for longer than its steps allow."""
    found = []
    for name, job in workflow.jobs.items():
        found += _differs(f"runs-on of {name}", job["runs-on"], "ubuntu-24.04")
        minutes = job.get("timeout-minutes", 0)
        if not 0 < minutes <= MOST_MINUTES:
            found.append(f"{name} may run for {minutes} minutes; expected 1 to {MOST_MINUTES}")
        if (
            workflow.name in ("grade.yml", "class.yml")
            and sum(step.get("timeout-minutes", 0) for step in job["steps"]) >= minutes
        ):
            found.append(
                f"the steps of {name} may take {minutes} minutes together, and then the job counts as cancelled"
            )
    for name, _, step in workflow.steps():
        if re.search(r"graders (?:grade|class)\b", step.get("run", "")) and not step.get("timeout-minutes"):
            found.append(f"a step of {name} runs student code, and has no limit of its own")
    return found


def pins(workflow: Workflow) -> list[str]:
    """Every action is GitHub's own, at a commit, with its version beside it."""
    uses = [line.strip() for line in workflow.text.splitlines() if re.search(r"\buses:", line)]
    pinned = re.compile(r"(?:- )?uses: actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    return [f"not pinned: {line}" for line in uses if not pinned.fullmatch(line)]


def one_pin_each(all_of_them: list[Workflow]) -> list[str]:
    """The same action is the same commit in all workflows."""
    seen: dict[str, set[str]] = {}
    for workflow in all_of_them:
        for action, commit in re.findall(r"uses: (\S+)@(\S+ # \S+)", workflow.text):
            seen.setdefault(action, set()).add(commit)
    return [f"{action} is pinned to several: {commits}" for action, commits in seen.items() if len(commits) > 1]


def checkouts(workflow: Workflow) -> list[str]:
    """Only what the event is about is checked out, in its own place, and no token is left there."""
    return [
        f"a checkout of {name} with {step.get('with')}"
        for name, _, step in workflow.steps()
        if step.get("uses", "").startswith("actions/checkout@") and step.get("with") != {"persist-credentials": False}
    ]


def scripts(workflow: Workflow) -> list[str]:
    """No expression in what a shell runs: values come through the environment."""
    found = [
        f"an expression in a script of {name}" for name, _, step in workflow.steps() if "${{" in step.get("run", "")
    ]
    return found + [f"a step of {name} chooses a shell" for name, _, step in workflow.steps() if "shell" in step]


def expressions(workflow: Workflow) -> list[str]:
    """Nothing that somebody else has worded is named in any expression."""
    found = []
    for place, text in _texts(workflow.data, ""):
        inside = re.findall(r"\$\{\{(.*?)\}\}", text, re.DOTALL)
        if place.endswith(".if") and not inside:
            inside = [text]
        for expression in inside:
            for name in re.findall(r"[A-Za-z_][\w.*-]*", re.sub(r"'[^']*'", "", expression)):
                group = name == "github.ref" and place.endswith("concurrency.group")
                if not group and not HARMLESS.fullmatch(name):
                    found.append(f"{place}: {name}")
    return found


def secrets(workflow: Workflow) -> list[str]:
    """A secret, or a token, is in the environment of the one step that needs it, and of nothing else."""
    allowed = {
        f".jobs.{name}.steps.{number}.env.{variable}": OTHER_VALUES.get(
            (workflow.name, name, variable), VALUES[variable]
        )
        for name, job in workflow.jobs.items()
        for number, step in enumerate(job["steps"])
        for variable in VALUES
        if (run := HOLDERS.get((workflow.name, name, variable))) and re.fullmatch(run, _one_line(step.get("run", "")))
    }
    held = {
        place: text
        for place, text in _texts(workflow.data, "")
        if re.search(r"\bsecrets\b|github\.token|TOKEN\b|\bKEY\b|GRADING_KEY", place + " " + text)
        and not place.endswith(".run")
    }
    return [*_differs("secrets", held, allowed), *_inherited(workflow)]


def _inherited(workflow: Workflow) -> list[str]:
    return [f"{name} hands secrets on" for name, job in workflow.jobs.items() if "secrets" in job or "uses" in job]


def student_code(workflow: Workflow) -> list[str]:
    """Where it runs there is no right to write; and what may write neither fetches nor runs any."""
    found = []
    for name, job in workflow.jobs.items():
        runs = "\n".join(step.get("run", "") for step in job["steps"])
        writes = [right for right, how in job.get("permissions", {}).items() if how == "write"]
        if writes and re.search(
            r"graders (?:grade|fetch|class|sweep)|git (?:fetch|clone|checkout)|pip install .*(?:-e|editable)", runs
        ):
            found.append(f"{name} may write ({', '.join(writes)}), and takes or runs what was handed in")
    return found


def silence(workflow: Workflow) -> list[str]:
    """The log of the grading says nothing that the student or a hidden check said, and why nothing was graded."""
    found = []
    for name, _, step in workflow.steps():
        run = _one_line(step.get("run", ""))
        if re.search(r"--hidden|graders class\b", run) and not re.search(
            r'> "\$RUNNER_TEMP/report\.txt" 2> "\$RUNNER_TEMP/errors\.txt" \|\|', run
        ):
            found.append(f"what the grading in {name} prints goes to its log")
        # What names a whole class.
        if re.search(r"graders (?:merge|gradebook|report)\b", CLASS_LOG.sub("", run)):
            found.append(f"what is said of a class in {name} goes to its log")
    if workflow.text.count("report.txt") > 1:
        found.append("the report is used again")
    reason = 'if [ "$code" -eq 2 ]; then cat "$RUNNER_TEMP/errors.txt"; fi'
    if workflow.text.replace(reason, "").count("errors.txt") > 1:
        found.append("errors are shown that may be of a hidden check")
    return found


def caches(workflow: Workflow) -> list[str]:
    """None at all: the one a pull request fills could be read by another."""
    return [
        f"a cache in {name}"
        for name, _, step in workflow.steps()
        if "cache" in step.get("uses", "") or any("cache" in key for key in step.get("with", {}))
    ]


def installations(workflow: Workflow) -> list[str]:
    """The course with its pins, or the few packages that talk to GitHub; the same few in each job."""
    found = []
    for name, _, step in workflow.steps():
        run = _one_line(step.get("run", ""))
        if "pip " in run:
            found += [] if run in INSTALLATIONS else [f"{name} installs otherwise: {run}"]
    return found


def artifacts(workflow: Workflow) -> list[str]:
    """Fixed names, a short life, an error where there is nothing; whoever takes any puts them into a place apart."""
    found = []
    for name, job in workflow.jobs.items():
        names, taken = set(), []
        for step in job["steps"]:
            given = step.get("with", {})
            if "upload-artifact" in step.get("uses", ""):
                names.add(given.get("name"))
                if given.get("if-no-files-found") != "error" or not 0 < given.get("retention-days", 0) <= 90:
                    found.append(f"{name} keeps {given}")
            if "download-artifact" in step.get("uses", ""):
                taken.append(dict(given))
        found += _differs(f"{name} takes", taken, TAKEN.get((workflow.name, name), []))
        found += _differs(f"artifacts of {name}", names, ARTIFACTS.get((workflow.name, name), set()))
    return found


def sealed(workflow: Workflow) -> list[str]:
    """Whatever a sweep or a class leaves for others to download is sealed: it names students and hidden checks."""
    return [
        f"{name} keeps {step['with']['path']}"
        for name, _, step in workflow.steps()
        if workflow.name == "class.yml"
        and "upload-artifact" in step.get("uses", "")
        and not re.fullmatch(r"\$\{\{ runner\.temp \}\}/[^\n*]+\.age", step["with"]["path"])
    ]


def reasons(workflow: Workflow) -> list[str]:
    """Whatever a linter is told to pass over has its reason on the same line."""
    silenced = [
        line.strip() for line in workflow.text.splitlines() if re.search(r"zizmor: ignore|shellcheck disable", line)
    ]
    return [line for line in silenced if not re.search(r"\[[\w-]+\] \w+ \w+ \w+", line)]


def _one_line(run: str) -> str:
    return " ".join(run.replace("\\\n", " ").split())


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Every text in it, and where."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, f"{place}.{number}")
    elif isinstance(value, str):
        yield place, value


RULES = (
    *(triggers, permissions, conditions, concurrency, environments, machines, pins, checkouts, scripts, expressions),
    *(secrets, student_code, silence, caches, installations, artifacts, sealed, reasons),
)
