"""Talking to GitHub: what is tried again and after how long, what never is, and what is said in the end."""

import json
from collections.abc import Iterator

import pytest

from graders.engine.deliver.github import surroundings
from graders.engine.deliver.github.api import transport
from graders.engine.deliver.github.api.download import download
from graders.engine.deliver.github.api.failure import (
    BrokenAnswerError,
    GitHubError,
    LockedError,
    NotThereError,
    RefusedError,
)
from graders.engine.deliver.github.api.pace import MOST_SECONDS
from graders.engine.deliver.github.api.proxy import proxies
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.api.transport import Transport
from graders.engine.deliver.github.posting.comment import keep_comment, with_card
from graders.engine.deliver.github.posting.post import Target, post
from graders.engine.deliver.github.posting.said import Said, words_of_none
from graders.engine.deliver.github.posting.status import keep_status
from graders.engine.errors import UsageError
from tests.github.api_server import DROPS, Fault, GitHub, serving
from tests.github.state import BOT, Artifact, Token
from tests.github.storage import storing
from tests.github.talk import COURSE, FORK, SHA, TOKEN, Waits, talk, variables

READING = {"what": "list the pull requests", "needs": "pull-requests: read"}
SAID = Said("success", "Graded: 3/4 points", "https://github.com/staff/course/actions/runs/1")


@pytest.fixture
def github() -> Iterator[GitHub]:
    """A course with one pull request; whatever is said to it has to be as GitHub describes it."""
    github = GitHub()
    github.open_pull(COURSE, FORK, SHA)
    with serving(github):
        yield github
    assert github.violations == []


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def session(github: GitHub, waits: Waits) -> Session:
    return talk(github.url, waits.clock)


def pulls(session: Session) -> list[object]:
    """Return the numbers of all pull requests."""
    pages = session.pages(f"/repos/{COURSE}/pulls", {"state": "open"}, **READING)
    return [pull["number"] for page in pages for pull in page]


def comment(session: Session, body: str = "a card\n") -> tuple[str, str]:
    return keep_comment(session, COURSE, 1, BOT, with_card(body))


def bodies(github: GitHub) -> list[str]:
    return [comment.body for comment in github.comments]


def methods(github: GitHub) -> list[str]:
    return [request.method for request in github.requests]


PASSING = [
    pytest.param(Fault(502), [1.0], id="502"),
    pytest.param(Fault(500, body=b"<html>Unicorn!</html>"), [1.0], id="a page instead of data"),
    pytest.param(Fault(200, body=b"[{]"), [1.0], id="no JSON"),
    pytest.param(Fault(200, body=b"[" * 100_000), [1.0], id="brackets in brackets"),
    pytest.param(Fault(how="cut"), [1.0], id="cut"),
    pytest.param(Fault(200, {"content-length": "99"}, body=b"[]"), [1.0], id="cut where it could end"),
    pytest.param(Fault(how="reset"), [1.0], id="reset"),
    pytest.param(Fault(429, {"retry-after": "7"}), [7.0], id="429"),
    pytest.param(Fault(403, {"retry-after": "30"}, "wait"), [30.0], id="403 with retry-after"),
    pytest.param(
        Fault(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000050"}, "API rate limit exceeded"),
        [51.0],
        id="403 with a time",
    ),
    pytest.param(
        Fault(429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000000"}),
        [1.0],
        id="a time that has passed",
    ),
    pytest.param(Fault(403, message="You have exceeded a secondary rate limit."), [60.0], id="secondary limit"),
    pytest.param(Fault(429, {"retry-after": "Wed, 21 Oct 2026"}), [60.0], id="a date"),
]


@pytest.mark.parametrize(("fault", "slept"), PASSING)
def test_a_read_is_repeated_after_what_passes(
    github: GitHub, session: Session, waits: Waits, fault: Fault, slept: list[float]
) -> None:
    github.faults.append(fault)
    assert pulls(session) == [1]
    assert waits.slept == slept
    assert methods(github) == ["GET", "GET"]


def test_pauses_grow_and_tries_end(github: GitHub, session: Session, waits: Waits) -> None:
    github.faults += [Fault(503)] * 9
    with pytest.raises(GitHubError, match=r"did not list the pull requests, in 5 tries: it answered 503; run this"):
        pulls(session)
    assert waits.slept == [1.0, 2.0, 4.0, 8.0]
    assert len(github.requests) == 5
    github.faults.clear()


@pytest.mark.parametrize("seconds", ["3600", "999999999999"])
def test_a_limit_that_lasts_is_for_a_later_run(github: GitHub, session: Session, waits: Waits, seconds: str) -> None:
    github.faults.append(Fault(403, {"retry-after": seconds}))
    with pytest.raises(GitHubError, match=f"another try makes sense in {seconds} seconds.*run it again later"):
        pulls(session)
    assert waits.slept == []


def test_all_pauses_together_have_a_bound(github: GitHub, session: Session, waits: Waits) -> None:
    github.faults += [Fault(429, {"retry-after": "100"}) for _ in range(2)]
    with pytest.raises(GitHubError, match=r"a rate limit is reached.*longer than this command waits \(150 seconds"):
        pulls(session)
    assert waits.slept == [100.0]


def test_answers_and_pauses_together_have_a_bound(github: GitHub, session: Session, waits: Waits) -> None:
    """A job that runs out of time is cancelled, and says nothing."""
    github.before = lambda request: waits.slept.append(35.0)
    github.faults += [Fault(503) for _ in range(4)]
    with pytest.raises(GitHubError, match="it answered 503; another try makes sense in 8 seconds, which is longer"):
        pulls(session)
    assert waits.slept == [35.0, 1.0, 35.0, 2.0, 35.0, 4.0, 35.0]


def test_what_is_still_to_do_when_the_time_is_over_is_not_begun(github: GitHub, session: Session, waits: Waits) -> None:
    waits.slept.append(MOST_SECONDS)
    with pytest.raises(GitHubError, match="did not list the comments: it was not asked, as 150 seconds had gone by"):
        comment(session)
    assert github.requests == []


def test_a_comment_that_takes_too_long_leaves_time_for_the_status(
    github: GitHub, session: Session, waits: Waits
) -> None:
    github.before = lambda request: waits.slept.append(60.0 if "comments" in request.path else 0.0)
    posted = post(session, Target(COURSE, 1, SHA), BOT, words_of_none(3, SHA, SAID.target_url))
    assert not posted.complete
    assert len(github.statuses) == 1


REFUSED = [
    (401, "Bad credentials", "does not know the token in GITHUB_TOKEN, or that has expired"),
    (403, "Resource not accessible by integration", "it needs the permission `pull-requests: read`"),
    (404, "Not Found", "look at GITHUB_REPOSITORY"),
    (410, "Issues are disabled", "it is gone, or switched off"),
    (422, "Validation Failed", "takes what was sent for wrong"),
    (418, "I'm a teapot", "status 418"),
]


@pytest.mark.parametrize(("status", "said", "words"), REFUSED)
def test_a_refusal_is_told_once_with_what_to_do(
    github: GitHub, session: Session, waits: Waits, status: int, said: str, words: str
) -> None:
    github.faults.append(Fault(status, message=said))
    with pytest.raises(GitHubError) as caught:
        pulls(session)
    assert words in str(caught.value)
    assert said in str(caught.value)
    assert (waits.slept, len(github.requests)) == ([], 1)


def test_what_the_server_says_is_shown_on_one_line_cut_and_without_the_token(github: GitHub, session: Session) -> None:
    github.faults.append(Fault(404, message=f"\x1b[2J\n::error::{TOKEN} {'x' * 5000}"))
    with pytest.raises(GitHubError) as caught:
        pulls(session)
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert TOKEN not in str(caught.value)
    assert "(the token)" in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("before", range(170, 200, 7))
def test_no_part_of_the_token_is_shown_where_a_message_is_cut(github: GitHub, session: Session, before: int) -> None:
    github.faults += [
        Fault(404, message="x" * before + TOKEN),
        Fault(307, {"location": f"http://other.example/?{'x' * (before - 22)}{TOKEN}"}),
        Fault(307, {"location": f"http://other.example/?t={TOKEN}"}),
    ]
    for _ in range(3):
        with pytest.raises(GitHubError) as caught:
            pulls(session)
        assert TOKEN[:4] not in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"[]", b'"x"', b'{"message": 7}', b"\xff"])
def test_a_refusal_without_words_is_told_as_well(github: GitHub, session: Session, body: bytes) -> None:
    github.faults.append(Fault(404, body=body))
    with pytest.raises(GitHubError, match="it knows no such thing"):
        pulls(session)


@pytest.mark.parametrize("record", ["{}", "[1]", '[{"number": "1"}]', "null"])
def test_an_answer_that_is_not_as_described_is_an_error(github: GitHub, session: Session, record: str) -> None:
    github.faults.append(Fault(200, body=record.encode()))
    with pytest.raises(GitHubError, match=r"not as it is described \(Comment: [^ ]"):
        comment(session)


def test_an_answer_without_an_end_is_refused(github: GitHub, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MOST_BYTES", 1 << 20)
    github.faults.append(Fault(how="endless"))
    with pytest.raises(GitHubError, match="larger than 1 MiB"):
        pulls(session)


def test_a_server_that_says_nothing_is_not_waited_for(
    github: GitHub, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "SECONDS_OF_SILENCE", 0.5)
    github.faults.append(Fault(how="silent"))
    assert pulls(session) == [1]
    assert len(github.requests) == 2


@pytest.mark.parametrize("how", DROPS)
def test_an_answer_drop_by_drop_ends_at_a_time(
    github: GitHub, waits: Waits, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Each piece comes in time, and all of them together do not."""
    monkeypatch.setattr(transport, "SECONDS_FOR_AN_ANSWER", 0.2)
    github.faults.append(Fault(how=how))
    assert pulls(talk(github.url, waits.running_clock)) == [1]
    assert waits.slept == [1.0]
    assert len(github.requests) == 2


def test_an_answer_gets_no_more_than_the_time_that_is_left(github: GitHub, waits: Waits) -> None:
    session = talk(github.url, waits.running_clock)
    waits.slept.append(MOST_SECONDS - 0.5)
    github.faults.append(Fault(how="a slow body"))
    with pytest.raises(GitHubError, match=r"no whole answer came \(it took longer than 0 seconds\); another try makes"):
        pulls(session)
    assert len(github.requests) == 1


def test_nobody_at_the_address(waits: Waits) -> None:
    with serving(GitHub()) as url:
        pass
    with pytest.raises(GitHubError, match=r"in 5 tries: no whole answer came \(.*refused"):
        pulls(talk(url, waits.clock))


def test_a_list_of_several_pages_is_read_whole(github: GitHub, session: Session) -> None:
    github.most_per_page = 2
    for number in range(2, 6):
        github.open_pull(COURSE, f"student{number}/course", SHA)
    assert sorted(pulls(session)) == [1, 2, 3, 4, 5]
    assert [request.query.get("page") for request in github.requests] == [None, "2", "3"]
    assert {request.query["per_page"] for request in github.requests} == {"100"}


def test_a_list_without_an_end_is_left(github: GitHub, session: Session) -> None:
    github.faults += [Fault(200, {"link": f'<{github.url}/repos/{COURSE}/pulls>; rel="next"'}, body=b"[]")] * 200
    with pytest.raises(GitHubError, match="more than 100 pages"):
        pulls(session)
    github.faults.clear()


@pytest.mark.parametrize("how", ["link", "location"])
def test_the_token_is_sent_to_no_other_server(github: GitHub, session: Session, how: str) -> None:
    other = GitHub()
    other.open_pull(COURSE, FORK, SHA)
    with serving(other) as place:
        headers = {"link": f'<{place}/x>; rel="next"'} if how == "link" else {"location": f"{place}/x"}
        github.faults.append(Fault(200 if how == "link" else 307, headers, body=b"[]"))
        with pytest.raises(GitHubError, match="sends us to another server"):
            pulls(session)
    assert other.requests == []


@pytest.mark.parametrize(
    "place", ["https://evil.example/x", "//evil.example/x", "http://127.0.0.1@evil.example/x", "ftp://127.0.0.1/x"]
)
def test_no_address_of_another_server_looks_like_ours(github: GitHub, session: Session, place: str) -> None:
    github.faults.append(Fault(301, {"location": place}))
    with pytest.raises(GitHubError, match="sends us to another server"):
        pulls(session)


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine has is not looked at."""
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.usefixtures("no_proxy")
@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY"])
def test_no_proxy_gets_the_token_over_plain_http(
    github: GitHub, waits: Waits, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    other = GitHub()
    with serving(other) as place:
        monkeypatch.setenv(name, place)
        assert pulls(talk(github.url, waits.clock)) == [1]
    assert other.requests == []


@pytest.mark.usefixtures("no_proxy")
def test_a_proxy_for_https_is_asked_for_a_tunnel(waits: Waits, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(GitHub()) as place:
        monkeypatch.setenv("HTTPS_PROXY", place)
        far = Transport("https://api.example.invalid", TOKEN, waits.clock)
        with pytest.raises(BrokenAnswerError, match="Tunnel connection failed: 501 Unsupported method"):
            far.send("GET", f"{far.base}/", None, 10.0)


@pytest.mark.usefixtures("no_proxy")
@pytest.mark.parametrize(
    "proxy", ["http://proxy.example:3128", "proxy.example:3128", "http://ada:pass:@word@10.0.0.1/", "http://[::1]:80"]
)
def test_addresses_of_proxies(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    assert proxies("https://api.github.com") == {"https": proxy}
    monkeypatch.setenv("no_proxy", "github.com")
    assert proxies("https://api.github.com") == {}


@pytest.mark.usefixtures("no_proxy")
@pytest.mark.parametrize(
    "proxy",
    [
        "http://ada:pass/word@proxy.example",
        "http://ada:pass word@proxy.example",
        "http://ada:password@proxy.example:65536",
        "http://proxy.example:password",
        "http:///ada:password@proxy.example",
        "socks5://ada:password@proxy.example",
        "password word",
    ],
)
def test_what_is_no_address_of_a_proxy_is_not_quoted(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(UsageError, match="HTTPS_PROXY is no address of a proxy") as caught:
        surroundings.open_session(variables("https://api.github.com"))
    assert "pass" not in str(caught.value)


def test_an_address_that_is_none_is_said(github: GitHub, session: Session) -> None:
    github.faults.append(Fault(301, {"location": "http://[/x"}))
    with pytest.raises(GitHubError, match="to an address that is none"):
        pulls(session)


def test_addresses_in_a_circle_are_left(github: GitHub, session: Session) -> None:
    github.faults += [Fault(301, {"location": f"/repos/{COURSE}/pulls"})] * 9
    with pytest.raises(GitHubError, match="from address to address"):
        pulls(session)
    github.faults.clear()


def test_a_renamed_repository_is_followed_with_query_and_body(github: GitHub, session: Session) -> None:
    github.renamed["staff/old"] = COURSE
    github.open_pull("staff/other", "bob/other", SHA)
    pages = session.pages("/repos/staff/old/pulls", {"head": "ada:main"}, **READING)
    assert [pull["number"] for page in pages for pull in page] == [1]
    assert github.requests[-1].query["head"] == "ada:main"
    assert keep_comment(session, "staff/old", 1, BOT, with_card("a card"))[0] == "written"
    assert keep_comment(session, "staff/old", 1, BOT, with_card("another"))[0] == "edited"
    assert [(comment.pull.to.full_name, comment.body[-7:]) for comment in github.comments] == [(COURSE, "another")]


def test_a_query_that_a_redirect_drops_is_kept(github: GitHub, session: Session) -> None:
    github.open_pull(COURSE, "bob/course", SHA)
    github.faults.append(Fault(301, {"location": f"/repos/{COURSE}/pulls"}))
    pages = session.pages(f"/repos/{COURSE}/pulls", {"head": "ada:main"}, **READING)
    assert [pull["number"] for page in pages for pull in page] == [1]


def test_a_second_stands_between_writes(github: GitHub, session: Session, waits: Waits) -> None:
    comment(session)
    keep_status(session, COURSE, SHA, SAID)
    assert waits.slept == [1.0]
    waits.slept.append(0.25)
    comment(session, "another card\n")
    assert waits.slept == [1.0, 0.25, 0.75]


UNCLEAR = [
    pytest.param(Fault(502, method="POST"), 2, id="502 before"),
    pytest.param(Fault(502, method="POST", act=True), 1, id="502 after"),
    pytest.param(Fault(504, method="POST", act=True), 1, id="504 after"),
    pytest.param(Fault(how="cut", method="POST"), 1, id="cut"),
    pytest.param(Fault(how="reset", method="POST"), 2, id="reset before"),
    pytest.param(Fault(how="reset", method="POST", act=True), 1, id="reset after"),
]


@pytest.mark.parametrize(("fault", "posts"), UNCLEAR)
def test_a_write_that_is_not_clear_is_looked_for_and_done_once(
    github: GitHub, session: Session, fault: Fault, posts: int
) -> None:
    github.faults.append(fault)
    assert comment(session)[0] == "written"
    assert len(github.comments) == 1
    assert methods(github).count("POST") == posts
    assert methods(github)[:3] == ["GET", "POST", "GET"]


@pytest.mark.parametrize(("fault", "posts"), UNCLEAR)
def test_a_status_that_is_not_clear_is_set_once(github: GitHub, session: Session, fault: Fault, posts: int) -> None:
    github.faults.append(fault)
    assert keep_status(session, COURSE, SHA, SAID) is True
    assert [status.description for status in github.statuses] == [SAID.description]
    assert methods(github).count("POST") == posts


def test_an_edit_that_is_not_clear_is_looked_for(github: GitHub, session: Session) -> None:
    comment(session, "old\n")
    github.faults.append(Fault(502, method="PATCH", act=True))
    assert comment(session, "new\n")[0] == "edited"
    assert methods(github).count("PATCH") == 1


def test_a_write_refused_for_a_limit_is_repeated(github: GitHub, session: Session, waits: Waits) -> None:
    github.faults += [
        Fault(403, {"retry-after": "5"}, method="POST"),
        Fault(403, message="You have exceeded a secondary rate limit", method="POST"),
    ]
    assert comment(session)[0] == "written"
    assert waits.slept == [5.0, 120.0]
    assert methods(github) == ["GET", "POST", "POST", "POST", "GET"]


def test_a_write_that_stays_unclear_ends(github: GitHub, session: Session) -> None:
    github.faults += [Fault(502, method="POST")] * 9
    with pytest.raises(GitHubError, match=r"may not have managed to write a comment: it answered 502, in 5 tries"):
        comment(session)
    assert github.comments == []
    github.faults.clear()


@pytest.mark.parametrize("status", [403, 422])
def test_a_locked_conversation_has_an_exception_of_its_own(github: GitHub, session: Session, status: int) -> None:
    github.faults.append(Fault(status, message="Unable to create comment because issue is locked.", method="POST"))
    with pytest.raises(LockedError, match="the conversation is locked"):
        comment(session)


def test_a_token_that_may_not_write(github: GitHub, session: Session) -> None:
    github.tokens[TOKEN] = Token(writes=())
    with pytest.raises(GitHubError, match="`pull-requests: write`"):
        comment(session)
    with pytest.raises(GitHubError, match="`statuses: write`"):
        keep_status(session, COURSE, SHA, SAID)


def test_requests_look_as_github_wants_them(github: GitHub, session: Session) -> None:
    comment(session)
    headers = github.requests[1].headers
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["x-github-api-version"] == "2022-11-28"
    assert headers["content-type"] == "application/json"
    assert json.dumps(github.requests[1].body).isascii()


@pytest.mark.parametrize(
    "change",
    [
        {"GITHUB_TOKEN": ""},
        {"GITHUB_TOKEN": f"{TOKEN}\nX-Other: 1"},
        {"GITHUB_TOKEN": "tökén"},
        {"GITHUB_API_URL": "http://api.github.com"},
        {"GITHUB_API_URL": "http://localhost.example.org"},
        {"GITHUB_API_URL": "https://user@api.github.com"},
        {"GITHUB_API_URL": "https://api.github.com/?x=1"},
        {"GITHUB_API_URL": "https://api.github.com/a\nb"},
        {"GITHUB_API_URL": "file:///etc/passwd"},
        {"GITHUB_API_URL": "https://api.github.com:port"},
        {"GITHUB_API_URL": "https://["},
        {"GITHUB_API_URL": "nothing"},
    ],
)
def test_an_environment_that_is_not_right(change: dict[str, str]) -> None:
    (name,) = change
    with pytest.raises(UsageError, match=name) as caught:
        surroundings.open_session(variables("https://api.github.com") | change)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("url", ["https://api.github.com", "https://git.school.example/api/v3/", "http://127.0.0.1:80"])
def test_addresses_that_are_right(url: str) -> None:
    assert surroundings.address({"X": url}, "X", "") == url.rstrip("/")


@pytest.mark.parametrize("name", ["", "course", "staff/course/x", "staff/..", "../course", "staff/course\n", "a b/c"])
def test_a_repository_that_is_none(name: str) -> None:
    with pytest.raises(UsageError, match="GITHUB_REPOSITORY"):
        surroundings.repository({"GITHUB_REPOSITORY": name})


def test_a_job_says_where_its_run_is_seen() -> None:
    job = surroundings.job(variables("https://api.github.com"))
    assert job.run_url == "https://github.com/staff/course/actions/runs/4711"
    with pytest.raises(UsageError, match="GITHUB_RUN_ID"):
        surroundings.job(variables("https://api.github.com") | {"GITHUB_RUN_ID": "1/../2"})


# ------------------------------------------------------------ what another server has


PLACE = "/repos/staff/course/actions/artifacts/7/zip"


def test_an_address_on_another_server_is_told_and_not_asked(github: GitHub, session: Session) -> None:
    github.renamed["staff/former"] = COURSE
    github.repository(COURSE).artifacts.append(Artifact(7, SHA, b"a file"))
    with storing(github):
        place = session.place(PLACE.replace("course", "former"), what="show a file", needs="actions: read")
        assert place == f"{github.storage}/7?signature=of-this-file"
        assert download(place, github.url, 6, Waits().running_clock) == b"a file"
        with pytest.raises(GitHubError, match="is larger than 0 MiB"):
            download(place, github.url, 5, Waits().running_clock)
    with pytest.raises(GitHubError, match="none of https"):
        download(place, "https://api.github.com", 6, Waits().running_clock)
    with pytest.raises(BrokenAnswerError, match="no whole file came"):
        download(place, github.url, 6, Waits().running_clock)


def test_a_file_that_is_nowhere_has_no_address(github: GitHub, session: Session) -> None:
    with pytest.raises(NotThereError):
        session.place(PLACE, what="show a file", needs="actions: read")
    github.faults.append(Fault(302, path="/7/zip"))
    with pytest.raises(GitHubError, match="it names no place"):
        session.place(PLACE, what="show a file", needs="actions: read")


@pytest.mark.parametrize(
    ("status", "kind"), [(403, RefusedError), (404, NotThereError), (409, RefusedError), (451, RefusedError)]
)
def test_what_may_not_be_had_is_told_apart_from_what_fails(
    status: int, kind: type[GitHubError], github: GitHub, session: Session
) -> None:
    github.faults.append(Fault(status, message="Repository access blocked"))
    with pytest.raises(kind) as refused:
        pulls(session)
    assert not isinstance(refused.value, LockedError)


def test_how_many_requests_are_left_is_known_as_soon_as_it_is_said(github: GitHub, session: Session) -> None:
    assert session.pace.requests_left is None
    github.faults.append(Fault(200, {"x-ratelimit-remaining": "17"}, body=b"[]"))
    assert pulls(session) == []
    assert session.pace.requests_left == 17
    github.faults.append(Fault(200, {"x-ratelimit-remaining": "many"}, body=b"[]"))
    assert pulls(session) == []
    assert session.pace.requests_left == 17
