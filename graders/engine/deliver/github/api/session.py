"""A conversation with GitHub's API: this module says what is tried again, what is followed, and what is an end.

A read is repeated after whatever may pass. A write is repeated only after a refusal for a rate limit, where it has not
taken place; where that is not clear, whoever asked for it has to look first (`settle`).
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode, urljoin, urlsplit

from graders.engine.deliver.github.api.failure import BrokenAnswerError, EndlessError, GitHubError, UnclearError
from graders.engine.deliver.github.api.pace import Pace, usual_pause
from graders.engine.deliver.github.api.refusal import is_limit, message, refusal
from graders.engine.deliver.github.api.transport import Answer, Transport

TRIES = 5
MOST_REDIRECTS = 3
MOST_PAGES = 100
PER_PAGE = 100
REDIRECTS = frozenset({301, 302, 307, 308})
ELSEWHERE = 302
"""What the API says of a file that another server has."""
PASSING = frozenset({500, 502, 503, 504})
NEXT_PAGE = re.compile(r'<([^<>]*)>\s*;\s*rel="next"')

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Got:
    """What a read brought, the header `link`, which leads on from a page of a list, and `place`, where it lies."""

    data: object
    link: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Later:
    """Nothing came that counts: why, and after how many seconds it may be otherwise."""

    reason: str
    seconds: float


class Session:
    """Reads and writes. `what` ends the sentence "GitHub did not ..."; `needs` is a permission of the token."""

    def __init__(self, transport: Transport, pace: Pace) -> None:
        self._transport = transport
        self.pace = pace

    def read(self, path: str, *, what: str, needs: str) -> object:
        """Return what the API has at that path, which begins with a slash."""
        return self._read(self._transport.base + path, what, needs).data

    def pages(self, path: str, query: Mapping[str, str], *, what: str, needs: str) -> Iterator[object]:
        """Yield every page of a list; raises EndlessError after so many that there can't be more."""
        asked = urlencode({**query, "per_page": str(PER_PAGE)})
        url = f"{self._transport.base}{path}?{asked}"
        for _ in range(MOST_PAGES):
            page = self._read(url, what, needs)
            yield page.data
            following = NEXT_PAGE.search(page.link)
            if following is None:
                return
            url = _joined(url, following[1], what)
        raise EndlessError(
            f"GitHub did not {what}: the list has more than {MOST_PAGES} pages, more than any course has"
        )

    def place(self, path: str, *, what: str, needs: str) -> str:
        """Return the address on another server at which the API says that something lies. It is not asked."""
        place = self._read(self._transport.base + path, what, needs, ELSEWHERE).place
        if not place:
            raise GitHubError(f"GitHub did not {what}: it names no place; tell the course staff if that happens again")
        return place

    def shown(self, text: str) -> str:
        """Return a text of GitHub's on one line, not endless, and without the token."""
        return self._transport.shown(text)

    def write(self, method: str, path: str, body: Mapping[str, object], *, what: str, needs: str) -> object:
        """Return the answer to a write; raises UnclearError where it may have taken place or not."""
        url = self._transport.base + path
        for attempt in range(TRIES):
            self.pace.before_write()
            try:
                answer = self._follow(method, url, body, what)
                if answer.status in (200, 201):
                    return answer.data()
            except BrokenAnswerError as error:
                raise UnclearError(f"GitHub may not have managed to {what}: {error}") from error
            finally:
                self.pace.after_write()
            if answer.status in PASSING:
                raise UnclearError(f"GitHub may not have managed to {what}: it answered {answer.status}")
            if not is_limit(answer):
                raise self._refusal(answer, what, needs)
            if attempt < TRIES - 1:
                self._wait(self._after_limit(answer, attempt), what)
        raise GitHubError(f"GitHub did not {what}: it asked us to wait {TRIES} times; run this again later")

    def _read(self, url: str, what: str, needs: str, wanted: int = 200) -> Got:
        for attempt in range(TRIES):
            came = self._try(url, attempt, what, needs, wanted)
            if isinstance(came, Got):
                return came
            reason = came.reason
            if attempt < TRIES - 1:
                self._wait(came, what)
        raise GitHubError(f"GitHub did not {what}, in {TRIES} tries: {reason}; run this again later")

    def _try(self, url: str, attempt: int, what: str, needs: str, wanted: int) -> Got | Later:
        """Read once; raises GitHubError for a refusal that stays one."""
        try:
            answer = self._follow("GET", url, None, what, REDIRECTS - {wanted})
            if answer.status == wanted == ELSEWHERE:
                return Got(None, place=answer.headers.get("location", ""))
            if answer.status == 200:
                return Got(answer.data(), answer.headers.get("link", ""))
        except BrokenAnswerError as error:
            return Later(str(error), usual_pause(attempt))
        if is_limit(answer):
            return self._after_limit(answer, attempt)
        if answer.status in PASSING:
            return Later(f"it answered {answer.status}", usual_pause(attempt))
        raise self._refusal(answer, what, needs)

    def _follow(self, method: str, url: str, body: object, what: str, followed: Collection[int] = REDIRECTS) -> Answer:
        """Send a request, to wherever the repository has moved: the same request, as nothing has been done so far."""
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._transport.send(method, url, body, self.pace.seconds_left(what))
            self.pace.heard(answer.headers)
            target = answer.headers.get("location", "")
            if answer.status not in followed or not target:
                return answer
            moved = _joined(url, target, what)
            query = urlsplit(url).query
            url = f"{moved}?{query}" if query and not urlsplit(moved).query else moved
        raise GitHubError(f"GitHub did not {what}: it sends us from address to address; look at GITHUB_REPOSITORY")

    def _after_limit(self, answer: Answer, attempt: int) -> Later:
        return Later("a rate limit is reached", self.pace.asked_pause(answer.headers, attempt))

    def _wait(self, later: Later, what: str) -> None:
        self.pace.wait(later.seconds, f"GitHub did not {what}: {later.reason}")

    def _refusal(self, answer: Answer, what: str, needs: str) -> GitHubError:
        return refusal(answer, what, needs, self.shown(message(answer)))


def _joined(url: str, target: str, what: str) -> str:
    try:
        return urljoin(url, target)
    except ValueError as error:
        raise GitHubError(f"GitHub did not {what}: it sends us to an address that is none") from error


def settle(session: Session, look_and_write: Callable[[], T]) -> T:
    """Return what a function returns that looks first and writes what is missing; call it again while it is unclear."""
    for attempt in range(TRIES):
        try:
            return look_and_write()
        except UnclearError as error:
            unclear = str(error)
        if attempt < TRIES - 1:
            session.pace.wait(usual_pause(attempt), unclear)
    raise GitHubError(f"{unclear}, in {TRIES} tries; run this again later")
