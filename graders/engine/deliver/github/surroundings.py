"""What a job on GitHub knows by its environment: this module reads those variables, and trusts none of them blindly."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from graders.engine.clean import one_line
from graders.engine.deliver.github import clock
from graders.engine.deliver.github.api.pace import MOST_SECONDS, Pace
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.api.transport import Transport
from graders.engine.deliver.github.names import require_full_name
from graders.engine.errors import UsageError

API = "https://api.github.com"
SERVER = "https://github.com"
TOKEN = re.compile(r"[!-~]{1,2000}")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Job:
    """Where a job runs: the repository of the course, and the page on which people see the run."""

    repository: str
    run_url: str


def open_session(variables: Mapping[str, str], seconds: float = MOST_SECONDS) -> Session:
    """Return a session with the API and the token of this environment, which may last so long.

    Raises UsageError where there is none.
    """
    if not (given := token(variables)):
        raise UsageError(
            "GITHUB_TOKEN is not set; in a workflow, give it with `env: GITHUB_TOKEN: ${{ github.token }}`"
        )
    time = clock.SYSTEM_CLOCK
    return Session(Transport(address(variables, "GITHUB_API_URL", API), given, time), Pace(time, seconds))


def token(variables: Mapping[str, str]) -> str:
    """Return the token of this environment, or an empty text; raises UsageError for what can be none."""
    given = variables.get("GITHUB_TOKEN", "")
    if given and not TOKEN.fullmatch(given):
        raise UsageError("GITHUB_TOKEN holds blanks or other characters that no token has; give the token alone")
    return given


def repository(variables: Mapping[str, str]) -> str:
    """Return the repository of the course as owner/name."""
    name = _required(variables, "GITHUB_REPOSITORY", "the repository of the course, as owner/name")
    require_full_name(name, "GITHUB_REPOSITORY")
    return name


def job(variables: Mapping[str, str]) -> Job:
    """Return where this job runs."""
    course = repository(variables)
    run = _required(variables, "GITHUB_RUN_ID", "the number of the run")
    if not re.fullmatch(r"[0-9]{1,20}", run):
        raise UsageError(f'GITHUB_RUN_ID is "{one_line(run[:200])}"; expected a number')
    server = address(variables, "GITHUB_SERVER_URL", SERVER)
    return Job(course, f"{server}/{course}/actions/runs/{run}")


def address(variables: Mapping[str, str], name: str, default: str) -> str:
    """Return the address of a server without a slash at its end; raises UsageError for what the token must not reach.

    Over http a token could be read on its way: that is for tests, on the same machine.
    """
    given = variables.get(name) or default
    try:
        parts = urlsplit(given)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    plain = re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._-]+)*/?", given)
    if not host or not plain or (given.startswith("http:") and host not in LOOPBACK):
        raise UsageError(f'{name} is "{one_line(given[:200])}"; expected an address such as {default}')
    return given.rstrip("/")


def _required(variables: Mapping[str, str], name: str, what: str) -> str:
    value = variables.get(name, "")
    if not value:
        raise UsageError(f"{name} is not set; expected {what}, which a workflow on GitHub has by itself")
    return value
