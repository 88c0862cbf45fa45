"""A file that GitHub's API says another server has: it is fetched without the token, which is for the API alone."""

import http.client
import urllib.request
from urllib.parse import urlsplit

from graders.engine.deliver.github.api.failure import BrokenAnswerError, GitHubError
from graders.engine.deliver.github.api.proxy import proxies
from graders.engine.deliver.github.api.transport import exchange
from graders.engine.deliver.github.clock import Clock

SECONDS = 60.0


def download(url: str, api: str, most: int, clock: Clock) -> bytes:
    """Return the file at that address, of so many bytes at most. No redirect is followed from there.

    Raises BrokenAnswerError where none came whole, GitHubError for a strange address, and EndlessError for a file that
    is larger.
    """
    # An API on this machine, as in tests, has its files there too.
    if urlsplit(url).scheme not in {"https", urlsplit(api).scheme}:
        raise GitHubError("GitHub sends us to an address for a file that is none of https; nothing was asked there")
    request = urllib.request.Request(url, headers={"User-Agent": "grade"})
    try:
        answer = exchange(request, proxies(url), SECONDS, clock, most)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise BrokenAnswerError(f"no whole file came ({type(error).__name__})") from error
    if answer.status != 200:
        raise BrokenAnswerError(f"the server that has the file answered {answer.status}")
    return answer.body
