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
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from graders.engine.clean import one_line
from graders.engine.deliver.github.failure import BrokenAnswerError, GitHubError
from graders.engine.deliver.github.pace import Clock

SECONDS_OF_SILENCE = 20.0
SECONDS_FOR_AN_ANSWER = 120.0
MOST_BYTES = 32 * 1024 * 1024
"""A page of a hundred comments, each as long as GitHub lets it be, has less."""
CHUNK = 64 * 1024


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
        self._opener = urllib.request.OpenerDirector()
        # Not the usual ones: redirects would be followed to any host, with the token, and any status but 2xx raise.
        for handler in (urllib.request.ProxyHandler(), urllib.request.HTTPHandler(), urllib.request.HTTPSHandler()):
            self._opener.add_handler(handler)

    def send(self, method: str, url: str, body: object = None) -> Answer:
        """Return the answer; raises BrokenAnswerError where none came whole, GitHubError for a strange or huge one."""
        if origin(url) != origin(self.base):
            raise GitHubError(
                f"GitHub's API at {one_line(self.base)} sends us to another server, {one_line(url[:200])}; the token "
                "is not for that one. Correct GITHUB_API_URL or GITHUB_REPOSITORY"
            )
        request = urllib.request.Request(url, method=method, headers=self._headers())
        if body is not None:
            request.data = json.dumps(body).encode("ascii")
            request.add_header("Content-Type", "application/json")
        try:
            with self._opener.open(request, timeout=SECONDS_OF_SILENCE) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status, headers, self._read(response))
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            words = one_line(self.without_token(str(reason) or type(reason).__name__))[:200]
            raise BrokenAnswerError(f"no whole answer came ({words})") from error

    def without_token(self, text: str) -> str:
        """Return a text that may be shown: nobody should send the token back, and nobody is shown if they do."""
        return text.replace(self._token, "(the token)")

    def _headers(self) -> dict[str, str]:
        return {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "User-Agent": "grade",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Return the body, read piece by piece: what comes drop by drop ends at a time, what doesn't end at a size."""
        declared = response.length
        last = self._clock.monotonic() + SECONDS_FOR_AN_ANSWER
        body = bytearray()
        while piece := response.read1(CHUNK):
            body += piece
            if len(body) > MOST_BYTES:
                raise GitHubError(f"GitHub's answer is larger than {MOST_BYTES // 1024**2} MiB, more than any it gives")
            if self._clock.monotonic() > last:
                raise TimeoutError(f"it took longer than {SECONDS_FOR_AN_ANSWER:.0f} seconds")
        if declared is not None and len(body) < declared:
            raise http.client.IncompleteRead(bytes(body), declared - len(body))
        return bytes(body)


def origin(url: str) -> tuple[str, str]:
    """Return scheme and server of an address, as they are compared."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
