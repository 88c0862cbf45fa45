"""Which pull request a run was for: the open one with that commit from that fork, and none that looks like it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graders.engine.deliver.github.api.failure import GitHubError
from graders.engine.deliver.github.event import MOST_BYTES, event_from_json
from graders.engine.deliver.github.resolve import Found, NotFound, output_lines, resolve
from graders.engine.errors import UsageError
from tests.command_line import ALL_PASSED, GRADERS_FAULT, NOTHING_GRADED
from tests.github.api_server import Fault, GitHub, serving
from tests.github.state import Pull
from tests.github.talk import COURSE, FORK, OTHER_SHA, SHA, STUDENT, Waits, run, run_lightly, talk, variables

HOSTILE = 'a";$(touch owned);`x`\n::set-output name=found::true\nfound=true &head=x:y #é'


@pytest.fixture
def github() -> Iterator[GitHub]:
    github = GitHub()
    with serving(github):
        yield github
    assert github.violations == []


@pytest.fixture
def pull(github: GitHub) -> Pull:
    github.open_pull(COURSE, "bob/course", OTHER_SHA)
    return github.open_pull(COURSE, FORK, SHA)


def asked(github: GitHub, event: dict[str, Any]) -> Found | NotFound:
    return resolve(event_from_json(json.dumps(event).encode()), talk(github.url, Waits().clock), COURSE)


def found(pull: Pull) -> Found:
    return Found(pull.number, pull.sha, pull.fork.owner, pull.fork.id)


def test_the_pull_request_of_the_commit(github: GitHub, pull: Pull) -> None:
    assert asked(github, github.event(pull)) == found(pull)
    (request,) = github.requests
    assert request.query == {"state": "all", "head": "ada:main", "per_page": "100"}


@pytest.mark.parametrize("conclusion", ["failure", "cancelled", "timed_out", None, "something new"])
def test_how_the_run_ended_does_not_matter(github: GitHub, pull: Pull, conclusion: str | None) -> None:
    event = github.event(pull)
    event["workflow_run"]["conclusion"] = conclusion
    assert asked(github, event) == found(pull)


@pytest.mark.parametrize("branch", [HOSTILE, "refs/heads/x", "🦆" * 200, "a b&c=d#e", "..", "%2e%0a"])
def test_branches_and_titles_are_only_texts(github: GitHub, pull: Pull, branch: str) -> None:
    pull.branch = pull.title = branch
    assert asked(github, github.event(pull)) == found(pull)
    assert github.requests[-1].query["head"] == f"ada:{branch}"


@pytest.mark.parametrize("branch", [None, "renamed-since"])
def test_all_open_ones_are_looked_through_where_the_branch_does_not_help(
    github: GitHub, pull: Pull, branch: str | None
) -> None:
    github.most_per_page = 2
    for number in range(7):
        github.open_pull(COURSE, f"student{number}/course", OTHER_SHA)
    event = github.event(pull)
    event["workflow_run"]["head_branch"] = branch
    assert asked(github, event) == found(pull)


def closed(github: GitHub, pull: Pull) -> None:
    pull.state = "closed"


def moved(github: GitHub, pull: Pull) -> None:
    pull.sha = "c" * 40


def retargeted(github: GitHub, pull: Pull) -> None:
    pull.base = "other"


def deleted(github: GitHub, pull: Pull) -> None:
    pull.fork = None


def copied(github: GitHub, pull: Pull) -> None:
    """Another student opens a pull request with the same commit from their own fork."""
    github.pulls.remove(pull)
    github.open_pull(COURSE, "eve/course", SHA)


def elsewhere(github: GitHub, pull: Pull) -> None:
    pull.to = github.repository("staff/another")


NONE = [
    (closed, "pull request 2 is closed; reopen it to have aaaaaaaaaaaa graded"),
    (moved, "pull request 2 has moved on from aaaaaaaaaaaa to cccccccccccc, which has a run of its own"),
    (retargeted, "no open pull request to main has aaaaaaaaaaaa as its last commit"),
    (deleted, "no open pull request to main has aaaaaaaaaaaa as its last commit"),
    (copied, "no open pull request to main has aaaaaaaaaaaa as its last commit"),
    (elsewhere, "no open pull request to main has aaaaaaaaaaaa as its last commit"),
]


@pytest.mark.parametrize(("change", "reason"), NONE)
def test_none_to_grade(github: GitHub, pull: Pull, change: Callable[[GitHub, Pull], None], reason: str) -> None:
    event = github.event(pull)
    change(github, pull)
    assert asked(github, event) == NotFound(reason)


def test_a_push_and_a_deleted_fork_need_no_request(github: GitHub, pull: Pull) -> None:
    event = github.event(pull)
    event["workflow_run"]["event"] = "push"
    reason = "the run was started by the event push, not by a pull request"
    assert asked(github, event) == NotFound(reason)
    pull.fork = None
    assert asked(github, github.event(pull)) == NotFound("the repository that the run was for has been deleted")
    assert github.requests == []


def test_a_pull_request_within_the_course_is_the_staffs(github: GitHub, pull: Pull) -> None:
    """As a bot opens them."""
    pull.fork = pull.to
    reason = "the run was for a branch of the course itself, not for a fork"
    assert asked(github, github.event(pull)) == NotFound(reason)
    assert github.requests == []


def test_one_odd_pull_request_hides_no_other(github: GitHub, pull: Pull) -> None:
    odd = github.open_pull(COURSE, "-odd-/..", OTHER_SHA, branch="\x00\n")
    odd.fork.full_name = "\n::error::/x y"
    event = github.event(pull)
    event["workflow_run"]["head_branch"] = "gone"
    assert asked(github, event) == found(pull)
    pull.fork.full_name = "a b\nfound=true/c"
    event["workflow_run"]["head_repository"]["id"] = pull.fork.id
    with pytest.raises(GitHubError, match="which is no name of a repository") as caught:
        asked(github, event)
    assert str(caught.value).isprintable()


def without(*way: str) -> Callable[[dict[str, Any]], None]:
    def change(event: dict[str, Any]) -> None:
        for part in way[:-1]:
            event = event[part]
        del event[way[-1]]

    return change


def put(value: object, *way: str) -> Callable[[dict[str, Any]], None]:
    def change(event: dict[str, Any]) -> None:
        for part in way[:-1]:
            event = event[part]
        event[way[-1]] = value

    return change


NO_EVENTS = [
    put("requested", "action"),
    without("action"),
    without("workflow_run"),
    without("repository"),
    put([], "workflow_run"),
    put(SHA[:-1], "workflow_run", "head_sha"),
    put(SHA.upper(), "workflow_run", "head_sha"),
    put(f"{SHA}\n", "workflow_run", "head_sha"),
    put(f"{SHA}\nfound=true", "workflow_run", "head_sha"),
    put(7, "workflow_run", "head_sha"),
    put("x" * 1001, "workflow_run", "head_branch"),
    put("", "workflow_run", "head_branch"),
    put("1", "workflow_run", "head_repository", "id"),
    put(True, "workflow_run", "head_repository", "id"),
    put(-1, "workflow_run", "head_repository", "id"),
    put(10**30, "workflow_run", "head_repository", "id"),
    put(None, "workflow_run", "head_repository", "owner"),
    put("staff/course\n", "repository", "full_name"),
    put("course", "repository", "full_name"),
    put(None, "repository", "default_branch"),
]


@pytest.mark.parametrize("change", NO_EVENTS)
def test_an_event_that_is_not_right_is_refused(
    github: GitHub, pull: Pull, change: Callable[[dict[str, Any]], None]
) -> None:
    event = github.event(pull)
    change(event)
    with pytest.raises(UsageError, match=r"EVENT is not the event of a finished workflow run") as caught:
        asked(github, event)
    assert str(caught.value).isprintable()
    assert github.requests == []


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"\xff\xfe{}", b"{" * 5000, b'{"action": "completed"'])
def test_what_is_no_event_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="is not the event of a finished workflow run"):
        event_from_json(data)


def test_the_command_refuses_a_huge_file_and_none(github: GitHub, tmp_path: Path) -> None:
    (tmp_path / "huge.json").write_text(" " * (MOST_BYTES + 1), encoding="utf-8")
    for name, words in (("huge.json", "huge.json is too large"), ("none.json", "none.json cannot be read")):
        ended, _ = run(tmp_path, "resolve", name, "--output", "output", **variables(github.url))
        assert (ended.returncode, github.requests) == (NOTHING_GRADED, [])
        assert words in ended.stderr


def test_the_event_is_of_the_course_or_refused(github: GitHub, pull: Pull) -> None:
    event = github.event(pull)
    event["repository"]["full_name"] = "eve/course"
    with pytest.raises(UsageError, match="the event is one of eve/course, but GITHUB_REPOSITORY is staff/course"):
        asked(github, event)


def test_a_repository_that_has_taken_the_name_is_another(github: GitHub, pull: Pull) -> None:
    event = github.event(pull)
    event["repository"]["id"] = 1
    assert isinstance(asked(github, event), NotFound)


def test_outputs_are_a_line_each(github: GitHub, pull: Pull) -> None:
    assert output_lines(found(pull)).splitlines() == [
        "found=true",
        "pull=2",
        f"sha={SHA}",
        f"student={STUDENT}",
        f"head={pull.fork.id}",
    ]
    assert output_lines(NotFound(HOSTILE)) == "found=false\n"


def test_the_command_appends_and_says_what_it_found(github: GitHub, pull: Pull, tmp_path: Path) -> None:
    pull.branch = HOSTILE
    event, output = tmp_path / "event.json", tmp_path / "output"
    event.write_text(json.dumps(github.event(pull)), encoding="utf-8")
    output.write_text("former=1\n", encoding="utf-8")
    ended, _ = run(tmp_path, "resolve", event, "--output", output, **variables(github.url))
    assert (ended.returncode, ended.stderr) == (ALL_PASSED, "")
    assert ended.stdout == f"Pull request 2 of ada, commit {SHA}.\n"
    assert output.read_text(encoding="utf-8") == f"former=1\n{output_lines(found(pull))}"


def test_the_command_says_why_there_is_none(github: GitHub, pull: Pull, tmp_path: Path) -> None:
    pull.state = "closed"
    event, output = tmp_path / "event.json", tmp_path / "output"
    event.write_text(json.dumps(github.event(pull)), encoding="utf-8")
    ended, _ = run(tmp_path, "resolve", event, "--output", output, **variables(github.url))
    assert (ended.returncode, output.read_text(encoding="utf-8")) == (ALL_PASSED, "found=false\n")
    assert ended.stdout.startswith("Nothing to grade: pull request 2 is closed")


def test_the_command_writes_no_answer_where_github_gave_none(github: GitHub, pull: Pull, tmp_path: Path) -> None:
    event, output = tmp_path / "event.json", tmp_path / "output"
    event.write_text(json.dumps(github.event(pull)), encoding="utf-8")
    github.faults.append(Fault(401, message="Bad credentials"))
    ended, _ = run(tmp_path, "resolve", event, "--output", output, **variables(github.url))
    assert (ended.returncode, output.exists()) == (GRADERS_FAULT, False)
    assert "does not know the token" in ended.stderr


def test_the_command_says_what_is_not_set_or_cannot_be_written(github: GitHub, pull: Pull, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps(github.event(pull)), encoding="utf-8")
    unset = variables(github.url) | {"GITHUB_TOKEN": ""}
    ended, _ = run(tmp_path, "resolve", event, "--output", "output", **unset)
    assert (ended.returncode, github.requests) == (NOTHING_GRADED, [])
    assert "GITHUB_TOKEN is not set" in ended.stderr
    ended, _ = run(tmp_path, "resolve", event, "--output", tmp_path, **variables(github.url))
    assert ended.returncode == NOTHING_GRADED
    assert "cannot be written: Is a directory" in ended.stderr


def test_it_needs_nothing_that_grading_needs(github: GitHub, pull: Pull, tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text(json.dumps(github.event(pull)), encoding="utf-8")
    done = run_lightly(tmp_path, "resolve", "event.json", "--output", "outputs", **variables(github.url))
    assert (done.returncode, done.stderr) == (ALL_PASSED, "")
    assert "found=true" in (tmp_path / "outputs").read_text(encoding="utf-8")
