"""What no run on this machine can show of the workflows: rights, secrets, triggers; and that linters find nothing.

Every rule holds for every workflow, and is shown to fail on a text that was spoiled for it.
"""

import pytest

from tests import workflow_rules as rules
from tests.tools import REPOSITORY, run_tool

WORKFLOWS = rules.workflows()
NAMES = [workflow.name for workflow in WORKFLOWS]
BY_NAME = {workflow.name: workflow for workflow in WORKFLOWS}

PIN = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
FIRST_STEP = "    steps:\n"
# For each rule: a workflow, what stands in it, and what somebody may write in its place.
SPOILED = [
    (rules.triggers, "grade.yml", "  workflow_run:", "  pull_request_target:\n  workflow_run:"),
    (rules.triggers, "grade.yml", "  workflow_run:", "  issue_comment:\n  workflow_run:"),
    (rules.triggers, "grade.yml", "workflows: [feedback]", "workflows: [feedback, tests]"),
    (rules.triggers, "feedback.yml", "  pull_request:\n", "  pull_request_target:\n"),
    (rules.permissions, "grade.yml", "permissions: {}", "permissions: write-all"),
    (rules.permissions, "grade.yml", "pull-requests: read", "pull-requests: write"),
    (rules.permissions, "grade.yml", "contents: read # to check the course out, and", "contents: write # and"),
    (rules.permissions, "feedback.yml", "contents: read", "contents: read\n      pull-requests: write"),
    (rules.permissions, "feedback.yml", "permissions: {}\n", ""),
    (rules.conditions, "grade.yml", "workflow_run.event == 'pull_request' && !github", "workflow_run.event && !github"),
    (rules.conditions, "grade.yml", "!cancelled() && needs", "always() && needs"),
    (rules.conditions, "grade.yml", "    if: needs.resolve.outputs.found == 'true'\n", ""),
    (rules.conditions, "feedback.yml", "github.event.repository.fork || ", ""),
    (rules.concurrency, "grade.yml", "cancel-in-progress: false", "cancel-in-progress: true"),
    (rules.concurrency, "grade.yml", "grade-${{ needs.resolve.outputs.head }}", "grade"),
    (rules.concurrency, "feedback.yml", "-${{ github.ref }}", "-${{ github.head_ref }}"),
    (rules.environments, "grade.yml", "name: grading", "name: production"),
    (
        rules.environments,
        "grade.yml",
        "    needs: [resolve, grade]\n",
        "    needs: [resolve, grade]\n    environment: grading\n",
    ),
    (rules.machines, "feedback.yml", "runs-on: ubuntu-24.04", "runs-on: self-hosted"),
    (rules.machines, "feedback.yml", "    timeout-minutes: 20\n", ""),
    (rules.machines, "feedback.yml", "        timeout-minutes: 10\n", ""),
    (rules.machines, "grade.yml", "timeout-minutes: 35", "timeout-minutes: 20"),
    (rules.pins, "feedback.yml", PIN, "actions/checkout@v7"),
    (rules.pins, "feedback.yml", PIN, PIN.partition(" #")[0]),
    (rules.pins, "feedback.yml", PIN, PIN.replace("actions/checkout", "someone/checkout")),
    (rules.checkouts, "feedback.yml", "persist-credentials: false", "persist-credentials: true"),
    (rules.checkouts, "feedback.yml", "        with:\n          persist-credentials: false\n", ""),
    (rules.checkouts, "grade.yml", "persist-credentials: false", "persist-credentials: false\n          ref: main"),
    (rules.scripts, "grade.yml", '--student "$STUDENT"', "--student ${{ needs.resolve.outputs.student }}"),
    (rules.scripts, "feedback.yml", "        id: practice\n", "        id: practice\n        shell: python\n"),
    (
        rules.expressions,
        "grade.yml",
        "STUDENT: ${{ needs",
        "BRANCH: ${{ github.head_ref }}\n          STUDENT: ${{ needs",
    ),
    (
        rules.expressions,
        "grade.yml",
        "${{ needs.resolve.outputs.sha }}",
        "${{ github.event.workflow_run.head_commit.id }}",
    ),
    (rules.expressions, "grade.yml", "path: ${{ runner.temp }}/card.json", "path: ${{ toJSON(github.event) }}"),
    (
        rules.expressions,
        "feedback.yml",
        "|| github.event.pull_request.head.repo.fork",
        "|| github.event.pull_request.title",
    ),
    (rules.expressions, "feedback.yml", "name: practice-card", "name: ${{ github.ref }}"),
    (rules.secrets, "grade.yml", "      SHA: ${{", "      GRADING_KEY: ${{ secrets.GRADING_KEY }}\n      SHA: ${{"),
    (rules.secrets, "grade.yml", "          STUDENT:", "          X: ${{ secrets.GRADING_KEY }}\n          STUDENT:"),
    (rules.secrets, "grade.yml", "          STUDENT:", "          X: ${{ github.token }}\n          STUDENT:"),
    (rules.secrets, "grade.yml", "          STUDENT:", "          X: ${{ toJSON(secrets) }}\n          STUDENT:"),
    (
        rules.secrets,
        "feedback.yml",
        "          CODE: ${{",
        "          GITHUB_TOKEN: ${{ github.token }}\n          CODE: ${{",
    ),
    (rules.secrets, "grade.yml", "run: python -m graders unseal", "run: env; python -m graders unseal"),
    (rules.student_code, "grade.yml", "contents: read # to check the course out, and", "statuses: write # and"),
    (rules.student_code, "grade.yml", 'case "$CODE" in', 'git fetch origin "$SHA"\n          case "$CODE" in'),
    (rules.silence, "grade.yml", '> "$RUNNER_TEMP/report.txt" ', ""),
    (rules.silence, "grade.yml", ' 2> "$RUNNER_TEMP/errors.txt"', ""),
    (rules.silence, "grade.yml", 'if [ "$code" -eq 2 ]; then cat', 'if [ "$code" -ge 2 ]; then cat'),
    (rules.silence, "grade.yml", 'echo "Graded,', 'cat "$RUNNER_TEMP/report.txt"\n          echo "Graded,'),
    (rules.caches, "grade.yml", 'python-version: "3.12"', 'python-version: "3.12"\n          cache: pip'),
    (rules.caches, "feedback.yml", FIRST_STEP, f"{FIRST_STEP}      - uses: actions/cache@{'0' * 40} # v6.1.0\n"),
    (rules.installations, "grade.yml", "pydantic pyyaml rich typer", "pydantic pyyaml rich typer requests"),
    (rules.installations, "feedback.yml", "--constraint constraints.txt ", ""),
    (rules.artifacts, "grade.yml", "retention-days: 90", "retention-days: 400"),
    (rules.artifacts, "grade.yml", "          if-no-files-found: error\n", ""),
    (rules.artifacts, "grade.yml", "name: sealed-card", "name: sealed-${{ needs.resolve.outputs.student }}"),
    (rules.artifacts, "grade.yml", "path: ${{ runner.temp }}/card #", "path: . #"),
    (rules.artifacts, "grade.yml", "name: sealed-card", "name: whole-card"),
    (rules.triggers, "class.yml", "  workflow_dispatch:", "  pull_request:\n  workflow_dispatch:"),
    (rules.permissions, "class.yml", "actions: read # to see what forks claim", "actions: write # to see"),
    (rules.conditions, "class.yml", "!github.event.repository.fork && (", "("),
    (rules.conditions, "class.yml", " || vars.COURSE != '')", " || github.event_name == 'schedule')"),
    (rules.concurrency, "class.yml", "cancel-in-progress: false", "cancel-in-progress: true"),
    (rules.machines, "class.yml", "        timeout-minutes: 40\n        env:", "        env:"),
    (rules.expressions, "class.yml", "${{ inputs.deadline }}", "${{ github.event.inputs.deadline }}"),
    (
        rules.secrets,
        "class.yml",
        "          SHARD: ${{ matrix",
        "          KEY: ${{ secrets.GRADING_KEY }}\n          SHARD: ${{ matrix",
    ),
    (rules.secrets, "class.yml", 'python -m graders sweep "$COURSE"', 'env; python -m graders sweep "$COURSE"'),
    (
        rules.student_code,
        "class.yml",
        "contents: read # to check the course out\n    environment",
        "contents: write # x\n    environment",
    ),
    (rules.silence, "class.yml", '> "$RUNNER_TEMP/report.txt" ', ""),
    (rules.silence, "class.yml", '} > "$result/log.txt" 2>&1', "}"),
    (
        rules.silence,
        "class.yml",
        "          {\n            python -m graders merge",
        "          python -m graders merge x\n          {\n            python -m graders merge",
    ),
    (rules.installations, "class.yml", "rich typer pyrage", "rich typer pyrage requests"),
    (rules.artifacts, "class.yml", "pattern: part-*", "pattern: '*'"),
    (rules.artifacts, "class.yml", "path: ${{ runner.temp }}/sealed", "path: ."),
    (rules.sealed, "class.yml", "path: ${{ runner.temp }}/class.age", "path: ${{ runner.temp }}/result"),
    (rules.sealed, "class.yml", "path: ${{ runner.temp }}/sweep.age", "path: ${{ runner.temp }}/*.age"),
    (rules.reasons, "grade.yml", "ignore[dangerous-triggers] for the reasons above", "ignore[dangerous-triggers]"),
    (rules.reasons, "grade.yml", "ignore[dangerous-triggers] for the reasons above", "ignore"),
]


def test_every_workflow_is_known():
    assert set(NAMES) == set(rules.TRIGGERS)


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("workflow", WORKFLOWS, ids=NAMES)
def test_the_rules_hold(workflow, rule):
    assert rule(workflow) == [], rule.__doc__


@pytest.mark.parametrize(("rule", "name", "there", "instead"), SPOILED)
def test_a_rule_finds_what_was_spoiled(rule, name, there, instead):
    text = BY_NAME[name].text
    assert there in text
    assert rule(rules.parse(name, text.replace(there, instead, 1))) != []


def test_every_rule_was_seen_to_fail():
    assert {rule for rule, *_ in SPOILED} == set(rules.RULES)


def test_an_action_has_one_pin():
    assert rules.one_pin_each(WORKFLOWS) == []
    text = BY_NAME["grade.yml"].text
    other = rules.parse("grade.yml", text.replace("# v7.0.1", "# v7.0.0", 1))
    assert rules.one_pin_each([BY_NAME["ci.yml"], other]) != []


def test_zizmor():
    run_tool("zizmor", "--offline", "--no-progress", "--persona=pedantic", ".github")


def test_actionlint():
    run_tool("actionlint", *(f".github/workflows/{name}" for name in NAMES))


@pytest.mark.parametrize("schema", ["vendor.github-workflows", "custom.github-workflows-require-timeout"])
def test_the_schemas_of_workflows(schema):
    run_tool("check-jsonschema", "--builtin-schema", schema, *(f".github/workflows/{name}" for name in NAMES))


def test_the_schema_of_what_keeps_the_pins_new():
    run_tool("check-jsonschema", "--builtin-schema", "vendor.dependabot", ".github/dependabot.yml")


def test_a_new_version_of_an_action_is_not_taken_at_once():
    text = (REPOSITORY / ".github" / "dependabot.yml").read_text(encoding="utf-8")
    assert "cooldown:\n      default-days: 14\n" in text
