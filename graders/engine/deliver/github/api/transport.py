"""One request to GitHub's API, and its answer as bytes: the only place that holds the token.

Python's own HTTP client, not PyGithub, for what PyGithub 2.10 does underneath:

- an answer is read whole into memory before anything looks at its size;
- by default a POST is repeated after any 5xx, whether or not it took place, and a pause has an upper bound, but not
  the sum of all pauses;
- after a 301 the query is lost (so the pull requests of one branch become all of them), and a 307 or 308, which is how
  a write to a renamed repository is answered, is not followed;
- cut answers and refused certificates come out as exceptions of three libraries.

Each could be worked around, and would leave little more of it than its names for fields. So the one job that holds a
token which may write needs no package for it.
"""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from graders.engine.clean import one_line
from graders.engine.deliver.github.api.deadline import Deadline, TimedResponse
from graders.engine.deliver.github.api.failure import BrokenAnswerError, EndlessError, GitHubError
from graders.engine.deliver.github.api.proxy import proxies
from graders.engine.deliver.github.clock import Clock

SECONDS_OF_SILENCE = 20.0
SECONDS_FOR_AN_ANSWER = 120.0
MOST_BYTES = 32 * 1024 * 1024
"""A page of a hundred comments, each as long as GitHub lets it be, has less."""
CHUNK = 64 * 1024
LONGEST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; names of headers in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def data(self) -> object:
        """Return the body read as JSON; raises BrokenAnswerError for what is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise BrokenAnswerError("it sent something else than JSON") from error


class Transport:
    """Sends requests to one server, and to no other."""

    def __init__(self, base: str, token: str, clock: Clock) -> None:
        self.base = base
        self._token = token
        self._clock = clock
        self._proxies = proxies(base)

    def send(self, method: str, url: str, body: object, seconds: float) -> Answer:
        """Return the answer, which may take so many seconds, all in all.

        Raises BrokenAnswerError where none came whole, GitHubError for a strange or huge one.
        """
        if origin(url) != origin(self.base):
            raise GitHubError(
                f"GitHub's API at {one_line(self.base)} sends us to another server, {self.shown(url)}; the token "
                "is not for that one. Correct GITHUB_API_URL or GITHUB_REPOSITORY"
            )
        request = urllib.request.Request(url, method=method, headers=self._headers())
        if body is not None:
            request.data = json.dumps(body).encode("ascii")
            request.add_header("Content-Type", "application/json")
        try:
            return exchange(request, self._proxies, seconds, self._clock, MOST_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            words = self.shown(str(reason) or type(reason).__name__)
            raise BrokenAnswerError(f"no whole answer came ({words})") from error

    def shown(self, text: str) -> str:
        """Return a text of the server's as it may be shown: nobody should send the token back, nor its half at a cut.

        Whatever of an answer is told to anybody goes through here.
        """
        return one_line(text.replace(self._token, "(the token)")[:LONGEST_SHOWN])

    def _headers(self) -> dict[str, str]:
        return {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "User-Agent": "grade",
            "X-GitHub-Api-Version": "2022-11-28",
        }


def exchange(
    request: urllib.request.Request, through: dict[str, str], seconds: float, clock: Clock, most: int
) -> Answer:
    """Return the answer to a request, whatever it is, of so many bytes at most and in so many seconds.

    `through` are the proxies. Raises OSError, HTTPException or ValueError where no whole answer came, and EndlessError
    for a huge one.
    """
    seconds = min(SECONDS_FOR_AN_ANSWER, seconds)
    opener = _opener(through, Deadline(clock, seconds, SECONDS_OF_SILENCE))
    with opener.open(request, timeout=min(SECONDS_OF_SILENCE, seconds)) as response:
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status, headers, _read(response, most))


def _opener(through: dict[str, str], deadline: Deadline) -> urllib.request.OpenerDirector:
    """Not the usual one: redirects would be followed to any host, with the token, and any status but 2xx raise."""
    opener = urllib.request.OpenerDirector()
    opener.add_handler(urllib.request.ProxyHandler(through))
    opener.add_handler(_Handler(deadline))
    return opener


class _Handler(urllib.request.AbstractHTTPHandler):
    """Opens both kinds of addresses, and has all that comes held to a deadline."""

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connection(http.client.HTTPConnection), request)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connection(http.client.HTTPSConnection), request)

    def _connection(self, kind: type[http.client.HTTPConnection]) -> Callable[..., http.client.HTTPConnection]:
        def connect(host: str, **options: Any) -> http.client.HTTPConnection:
            connection = kind(host, **options)
            connection.response_class = partial(TimedResponse, self._deadline)  # type: ignore[assignment]
            return connection

        return connect


def _read(response: http.client.HTTPResponse, most: int) -> bytes:
    """Return the body, read piece by piece: what doesn't end at a time ends at a size."""
    declared = response.length
    body = bytearray()
    while piece := response.read1(CHUNK):
        body += piece
        if len(body) > most:
            raise EndlessError(f"GitHub's answer is larger than {most // 1024**2} MiB, more than any it gives")
    if declared is not None and len(body) < declared:
        raise http.client.IncompleteRead(bytes(body), declared - len(body))
    return bytes(body)


def origin(url: str) -> tuple[str, str]:
    """Return scheme and server of an address, as they are compared."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
