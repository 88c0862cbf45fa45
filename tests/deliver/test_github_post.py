"""Posting: one comment and one status that say what the card says, to the right pull request, and never more."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graders.engine.deliver.github.api import session
from graders.engine.deliver.github.posting.comment import MARK, MOST_MARKDOWN_BYTES, card_of, with_card
from graders.engine.deliver.github.posting.said import describe, words_of_none
from graders.engine.deliver.github.posting.status import LONGEST_DESCRIPTION
from graders.engine.report.markdown import card_markdown
from graders.engine.score.card import Card, card_to_json
from tests.command_line import ALL_PASSED, GRADERS_FAULT, NOTHING_GRADED, Ended
from tests.github.api_server import Fault, GitHub, serving
from tests.github.small_course import FULL, PUBLIC, card, practice_card, rubric, write
from tests.github.state import BOT, LONGEST_COMMENT, Pull, Request, Token
from tests.github.talk import COURSE, FORK, OTHER_SHA, RUN, SHA, STUDENT, TOKEN, run, run_lightly, variables

RUN_URL = f"https://github.com/{COURSE}/actions/runs/{RUN}"


@dataclass
class Place:
    """A pull request that waits for a score, and the folder with the course and the card."""

    github: GitHub
    pull: Pull
    folder: Path

    def card(self, policy: str = "band", **about: Any) -> Card:
        return card(rubric(self.folder, FULL, policy), self.pull.sha, STUDENT, policy, **about)

    def post(self, posted: Card | None, *options: object, policy: str = "band", **changed: str) -> Ended:
        write(self.folder, PUBLIC, policy)
        arguments = list(options)
        if posted is not None:
            (self.folder / "card.json").write_text(card_to_json(posted), encoding="utf-8")
            arguments.insert(0, "card.json")
        place = ["--pull", self.pull.number, "--sha", self.pull.sha, "--course", "."]
        ended, self.waits = run(
            self.folder,
            "post",
            *arguments,
            *place,
            **(variables(self.github.url) | {"GITHUB_STEP_SUMMARY": "summary.md"} | changed),
        )
        return ended

    @property
    def bodies(self) -> list[str]:
        return [comment.body for comment in self.github.comments]

    @property
    def statuses(self) -> list[tuple[str, str | None]]:
        return [(status.state, status.description) for status in self.github.statuses]

    @property
    def writes(self) -> list[str]:
        return [request.method for request in self.github.requests if request.method != "GET"]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    github = GitHub()
    pull = github.open_pull(COURSE, FORK, SHA)
    with serving(github):
        yield Place(github, pull, tmp_path)
    assert github.violations == []
    assert github.faults == []


def test_a_card_becomes_a_comment_a_status_a_summary_and_notices(place: Place) -> None:
    posted = place.card()
    ended = place.post(posted)
    assert (ended.returncode, ended.stderr) == (ALL_PASSED, "")
    (comment,) = place.github.comments
    assert (comment.author, comment.pull) == (BOT, place.pull)
    assert comment.body == MARK + card_markdown(posted, MOST_MARKDOWN_BYTES)
    (status,) = place.github.statuses
    assert (status.sha, status.context, status.state, status.target_url) == (SHA, "grade", "success", RUN_URL)
    assert status.description == describe(posted)
    assert (place.folder / "summary.md").read_text(encoding="utf-8").startswith("**Graded: commit `aaaaaaa`.**")
    lines = ended.stdout.splitlines()
    assert "::notice title=Autograding complete::Points" in ended.stdout
    assert lines[-2].startswith("The comment was written: https://github.com/staff/course/pull/1#")
    assert lines[-1] == f"The status was set: success, {describe(posted)}"
    assert place.waits.slept == [1.0]


def test_the_same_once_more_writes_nothing(place: Place) -> None:
    place.post(place.card())
    ended = place.post(place.card())
    assert place.writes == ["POST", "POST"]
    assert "The comment was left as it was" in ended.stdout
    assert "The status was left as it was" in ended.stdout


def test_another_score_edits_the_comment_and_sets_the_status(place: Place) -> None:
    place.post(place.card())
    place.github.comments[0].body = place.github.comments[0].body.replace("\n", "\r\n")  # as an editor leaves it
    assert "The comment was left as it was" in place.post(place.card()).stdout
    place.post(place.card(failed={"small", "negative"}))
    assert place.writes == ["POST", "POST", "PATCH", "POST"]
    assert len(place.bodies) == 1
    told = "points of visible checks; hidden checks: some of their points (one third or more, less than two)"
    assert place.statuses == [("success", f"Graded: 1/3 {told}"), ("success", f"Graded: 2/3 {told}")]


def test_a_run_of_its_own_sets_the_status_anew(place: Place) -> None:
    place.post(place.card())
    place.post(place.card(), GITHUB_RUN_ID="5000")
    assert [status.target_url[-4:] for status in place.github.statuses] == ["4711", "5000"]
    assert place.writes == ["POST", "POST", "POST"]


def test_only_the_newest_status_of_our_context_counts(place: Place) -> None:
    place.post(place.card())
    (first,) = place.github.statuses
    place.github.statuses.append(type(first)(1, SHA, "error", "the grader failed", RUN_URL, "grade"))
    place.github.statuses.append(type(first)(2, SHA, "success", "lint", None, "other"))
    place.post(place.card())
    assert [status.state for status in place.github.statuses] == ["success", "error", "success", "success"]
    place.github.statuses.append(type(first)(3, SHA, "failure", "lint", None, "other"))
    place.post(place.card())
    assert len(place.github.statuses) == 5


def test_comments_of_others_with_our_mark_are_left(place: Place) -> None:
    for author in ("ada", "other[bot]", "github-actions"):
        place.github.comment(place.pull, author, f"{MARK}100/100")
    quoted = place.github.comment(place.pull, BOT, f"> {MARK}a quote of ours by another workflow")
    place.post(place.card())
    assert place.writes == ["POST", "POST"]
    assert [body.endswith("100/100") for body in place.bodies] == [True] * 3 + [False] * 2
    assert quoted.body.startswith(">")


def test_of_two_comments_the_first_is_kept_up_to_date(place: Place) -> None:
    first, second = (place.github.comment(place.pull, BOT, f"{MARK}old") for _ in range(2))
    ended = place.post(place.card())
    assert first.body != second.body == f"{MARK}old"
    assert len(place.bodies) == 2
    assert "was edited" in ended.stdout


def test_of_two_writers_at_once_both_keep_to_the_older_comment(place: Place) -> None:
    def write_meanwhile(request: Request) -> None:
        if request.method == "POST" and not place.github.comments:
            place.github.comment(place.pull, BOT, f"{MARK}of the other")

    place.github.before = write_meanwhile
    ended = place.post(place.card())
    assert place.writes == ["POST", "PATCH", "POST"]
    assert place.bodies == [MARK + card_markdown(place.card(), MOST_MARKDOWN_BYTES)] * 2
    older = place.github.comments[0].id
    assert f"The comment was edited, the older of two (another run wrote one at the same time; the younger may be " \
        f"deleted): https://github.com/staff/course/pull/1#{older}" in ended.stdout  # fmt: skip
    place.post(place.card(failed=frozenset()))
    assert place.writes[3:] == ["PATCH", "POST"]


def test_a_comment_that_is_deleted_while_it_is_edited_is_written_anew(place: Place) -> None:
    place.github.comment(place.pull, BOT, f"{MARK}old")
    place.github.before = lambda request: place.github.comments.clear() if request.method == "PATCH" else None
    ended = place.post(place.card())
    assert (ended.returncode, place.writes) == (ALL_PASSED, ["PATCH", "POST", "POST"])
    assert place.bodies == [MARK + card_markdown(place.card(), MOST_MARKDOWN_BYTES)]


def test_our_comment_is_found_before_any_number_of_others(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MOST_PAGES", 3)
    place.github.most_per_page = 1
    ours = place.github.comment(place.pull, BOT, f"{MARK}old")
    for number in range(4):
        place.github.comment(place.pull, "ada", f"why only {number}?")
    assert place.post(place.card()).returncode == ALL_PASSED
    assert ours.body != f"{MARK}old"


def test_among_too_many_comments_only_the_status_is_set(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MOST_PAGES", 3)
    place.github.most_per_page = 1
    for number in range(4):
        place.github.comment(place.pull, "ada", f"why only {number}?")
    ended = place.post(place.card())
    assert (ended.returncode, place.writes, len(place.statuses)) == (ALL_PASSED, ["POST"], 1)
    assert "No comment, only the status. GitHub did not list the comments: the list has more than 3" in ended.stdout


def test_what_the_server_says_of_a_comment_is_shown_cut_and_without_the_token(place: Place) -> None:
    echo = {"id": 1, "body": "", "user": None, "html_url": f"https://github.com/?t={TOKEN}{'x' * 5000}"}
    place.github.faults.append(Fault(201, body=json.dumps(echo).encode(), method="POST", path="comments"))
    ended = place.post(place.card())  # which looks for the token in what is printed
    assert "The comment was written: https://github.com/?t=(the token)xxx" in ended.stdout
    assert "x" * 200 not in ended.stdout


def test_names_that_hold_the_token_are_shown_without_it(place: Place) -> None:
    place.pull.fork.full_name = f"{TOKEN}/course"
    assert "the pull request is from (the token)" in place.post(place.card()).stderr
    posted = place.card()
    place.github.before = lambda request: setattr(place.pull, "sha", TOKEN)
    assert "has moved on to (the token) by now" in place.post(posted).stdout


def test_our_comment_is_found_behind_pages_of_others(place: Place) -> None:
    place.github.most_per_page = 3
    for number in range(7):
        place.github.comment(place.pull, "ada", f"why only {number}?")
    ours = place.github.comment(place.pull, BOT, f"{MARK}old")
    place.post(place.card())
    assert ours.body != f"{MARK}old"
    assert len(place.bodies) == 8


def test_an_app_has_comments_of_its_own(place: Place) -> None:
    place.github.tokens[TOKEN] = Token(login="course-grader[bot]")
    theirs = place.github.comment(place.pull, BOT, f"{MARK}old")
    place.post(place.card(), "--as", "Course-Grader[bot]")
    place.post(place.card(failed=frozenset()), "--as", "course-grader[bot]")
    assert theirs.body == f"{MARK}old"
    assert [comment.author for comment in place.github.comments] == [BOT, "course-grader[bot]"]


def closed(place: Place) -> None:
    place.pull.state = "closed"


def moved(place: Place) -> None:
    place.pull.sha = OTHER_SHA


def deleted(place: Place) -> None:
    place.pull.fork = None


@pytest.mark.parametrize("graded", [True, False])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (closed, "Nothing was posted: pull request 1 is closed by now."),
        (moved, "Nothing was posted: pull request 1 has moved on to bbbbbbbbbbbb by now"),
        (deleted, "Nothing was posted: the repository that pull request 1 came from has been deleted."),
    ],
)
def test_what_happened_meanwhile_ends_it_quietly(
    place: Place, change: Callable[[Place], None], words: str, graded: bool
) -> None:
    # After the command has begun: the pull request is read again.
    place.github.before = lambda request: change(place)
    options = () if graded else ("--not-graded", 3)
    ended = place.post(place.card() if graded else None, *options)
    assert (ended.returncode, ended.stderr, place.writes) == (ALL_PASSED, "", [])
    assert words in ended.stdout
    assert not (place.folder / "summary.md").exists()


def forged(change: Callable[[Card], Card]) -> Callable[[Place], Card]:
    return lambda place: change(place.card())


def grader(**changes: object) -> Callable[[Place], Card]:
    return forged(lambda made: made.model_copy(update={"grader": made.grader.model_copy(update=changes)}))


REFUSED = [
    (grader(commit=OTHER_SHA), f"- it is of the commit {OTHER_SHA}, not of {SHA}"),
    (grader(commit=None), "- it is of the commit none"),
    (grader(mode="external"), "- the mode of the run was external; expected strict"),
    (
        forged(lambda made: made.model_copy(update={"student": "eve"})),
        "- it is of eve, and the pull request is from ada",
    ),
    (forged(lambda made: made.model_copy(update={"student": None})), "- it is of nobody"),
    (
        lambda place: card(rubric(place.folder, FULL), SHA, STUDENT, "points"),
        "- it tells more of hidden checks than `post: {hidden: band}`",
    ),
    (lambda place: practice_card(rubric(place.folder, FULL), SHA, STUDENT), "- no hidden check ran"),
    (
        lambda place: card(rubric(place.folder, FULL, edit=("large: 2", "large: 3")), SHA, STUDENT),
        "- exercise ex01_sum: check large: expected 2 points, got 3",
    ),
    (
        lambda place: card(
            (whole := rubric(place.folder, FULL)).model_copy(
                update={"exercises": {"ex01_sum": whole.exercises["ex01_sum"]}}
            ),
            SHA,
            STUDENT,
        ),
        "- it lacks the exercises ex02_words",
    ),
]


@pytest.mark.parametrize(("make", "words"), REFUSED)
def test_a_card_that_is_not_of_this_is_not_posted(place: Place, make: Callable[[Place], Card], words: str) -> None:
    ended = place.post(make(place))
    assert (ended.returncode, ended.stdout, place.writes) == (NOTHING_GRADED, "", [])
    assert words in ended.stderr
    assert "Post the card that `grade share` made" in ended.stderr


def test_a_band_is_told_only_where_the_course_says_so(place: Place) -> None:
    ended = place.post(place.card("band"), policy="none")
    assert "it tells more of hidden checks than `post: {hidden: none}`" in ended.stderr
    ended = place.post(place.card("none"), policy="none")
    assert (ended.returncode, place.statuses) == (
        ALL_PASSED,
        [("success", "Graded: 1/3 points of visible checks; hidden checks: not told here")],
    )


def test_a_course_may_tell_all(place: Place) -> None:
    ended = place.post(place.card("points"), policy="points")
    assert ended.returncode == ALL_PASSED
    assert "negative" in place.bodies[0]


def test_with_the_default_no_hidden_check_is_named_anywhere(place: Place) -> None:
    ended = place.post(place.card())
    told = [*place.bodies, str(place.statuses), ended.stdout, (place.folder / "summary.md").read_text("utf-8")]
    for name in ("negative", "empty", "last"):
        assert not [text for text in told if name in text]


def test_external_isolation_has_to_be_said(place: Place) -> None:
    made = grader(mode="external")(place)
    assert place.post(made, "--isolation", "external").returncode == ALL_PASSED
    assert "was strict; expected external" in place.post(place.card(), "--isolation", "external").stderr


def test_a_name_is_the_same_in_large_letters(place: Place) -> None:
    place.pull.fork.full_name = "ADA/course"
    assert place.post(place.card()).returncode == ALL_PASSED


@pytest.mark.parametrize("held", ["", "{}", "[" * 5000, '{"version": 2}', "\udcff"])
def test_what_is_no_card_is_refused_before_anything_is_asked(place: Place, held: str) -> None:
    (place.folder / "forged.json").write_bytes(held.encode(errors="surrogateescape"))
    ended = place.post(None, "forged.json")
    assert (ended.returncode, place.github.requests) == (NOTHING_GRADED, [])
    assert "is no score card" in ended.stderr


HOSTILE = (
    f"</details><img src=https://evil.example/x.png>\n@everyone #1 {MARK}\n<!-- grade: end of note -->\n```\n"
    "::error::x\n| a | b |\n|---|---|\n[x](javascript:alert(1)) \x1b[31m \u202e ﷽" + "`" * 40
)


def test_words_of_a_student_stay_words(place: Place) -> None:
    hostile = HOSTILE[:400]
    ended = place.post(place.card(got=hostile))
    (body,) = place.bodies
    assert body.startswith(MARK)
    assert card_of(body) == body.removeprefix(MARK)
    assert "\x1b" not in body
    assert "\u202e" not in body
    # Whatever stands outside of blocks of code shows no tag, mention or link of theirs.
    outside = outside_blocks(body)
    for sign in ("<img", "@everyone", "javascript:", "</details><"):
        assert sign not in outside
    assert not [line for line in ended.stdout.splitlines() if line.startswith("::error::")]


def outside_blocks(body: str) -> str:
    """Return the lines of Markdown that stand in no block of code."""
    kept: list[str] = []
    fence = ""
    for line in body.split("\n"):
        start = line.strip()
        ticks = len(start) - len(start.lstrip("`"))
        if not fence and ticks >= 3:
            fence = start[:ticks]
        elif fence and start == fence:
            fence = ""
        elif not fence:
            kept.append(line)
    assert not fence
    return "\n".join(kept)


def test_the_largest_card_fits(place: Place) -> None:
    place.post(place.card(failed={"small", "large", "first"}, got="💡<&" * 660))
    (body,) = place.bodies
    assert len(body) <= LONGEST_COMMENT
    assert len(body.encode()) <= 62_000


def test_a_locked_conversation_still_gets_a_status(place: Place) -> None:
    place.pull.locked = True
    ended = place.post(place.card())
    assert (ended.returncode, place.bodies, len(place.statuses)) == (ALL_PASSED, [], 1)
    assert "No comment, only the status. GitHub did not write a comment: the conversation is locked" in ended.stdout


def test_a_comment_that_fails_does_not_keep_the_status_away(place: Place) -> None:
    place.github.tokens[TOKEN] = Token(writes=("statuses",))
    ended = place.post(place.card())
    assert (ended.returncode, place.bodies, len(place.statuses)) == (GRADERS_FAULT, [], 1)
    assert "the token may not do that; it needs the permission `pull-requests: write`" in ended.stderr
    assert "The status was set: success" in ended.stderr


def test_a_status_that_fails_is_said_with_what_was_done(place: Place) -> None:
    place.github.tokens[TOKEN] = Token(writes=("pull-requests",))
    ended = place.post(place.card())
    assert (ended.returncode, len(place.bodies), place.statuses) == (GRADERS_FAULT, 1, [])
    assert "The comment was written" in ended.stderr
    assert "`statuses: write`" in ended.stderr


def test_without_an_answer_nothing_is_posted_and_the_fault_is_not_the_submissions(place: Place) -> None:
    place.github.faults += [Fault(503)] * 5
    ended = place.post(place.card())
    assert (ended.returncode, ended.stdout, place.writes) == (GRADERS_FAULT, "", [])
    assert ended.stderr.startswith("Nothing was done: GitHub did not read the pull request, in 5 tries")


def test_all_at_once(place: Place) -> None:
    """Limits, a failure after the write, a cut answer and a broken line in one run: one comment and one status."""
    place.github.faults += [
        Fault(502),
        Fault(403, {"retry-after": "3"}, method="GET"),
        Fault(how="cut", path="comments", method="GET"),
        Fault(502, method="POST", path="comments", act=True),
        Fault(429, {"retry-after": "9"}, method="POST", path="statuses"),
        Fault(how="reset", method="POST", path="statuses", act=True),
    ]
    ended = place.post(place.card())
    assert ended.returncode == ALL_PASSED
    assert (len(place.bodies), len(place.statuses)) == (1, 1)


@pytest.mark.parametrize(
    ("code", "state", "words"),
    [
        (2, "failure", "Nothing in it could be graded."),
        (
            3,
            "error",
            "The grader failed. That is no fault of yours, and costs nothing: the course staff can run it again once "
            "that is mended.",
        ),
        (4, "error", "The sandbox was not complete, so no code was run. That is no fault of yours"),
        (137, "error", "The grader failed."),
    ],
)
def test_what_was_not_graded_is_said(place: Place, code: int, state: str, words: str) -> None:
    ended = place.post(None, "--not-graded", code)
    assert ended.returncode == ALL_PASSED
    (body,) = place.bodies
    assert body.startswith(MARK)
    assert f"**Commit {SHA} was not graded.** {words}" in body
    assert f"[The run]({RUN_URL})" in body
    assert [status.state for status in place.github.statuses] == [state]
    assert words in (place.folder / "summary.md").read_text(encoding="utf-8")


def test_the_last_score_stays_below_a_note_and_a_new_one_takes_its_place(place: Place) -> None:
    first = place.card(got=HOSTILE[:400])
    place.post(first)
    score = card_of(place.bodies[0])
    place.pull.sha = OTHER_SHA
    for code in (3, 4, 4):
        place.post(None, "--not-graded", code)
        (body,) = place.bodies
        assert body.endswith(score)
        assert body.count("was not graded") == 1
        assert "Below is the last score there is" in body
    assert "The sandbox was not complete" in body
    assert place.writes == ["POST", "POST", "PATCH", "POST", "PATCH"]
    last = place.card()
    place.post(last)
    assert place.bodies == [MARK + card_markdown(last, MOST_MARKDOWN_BYTES)]


def test_a_note_above_the_longest_comment_fits() -> None:
    renewed = words_of_none(3, SHA, RUN_URL).renew(with_card("x" * LONGEST_COMMENT)(""))
    assert len(renewed) == LONGEST_COMMENT
    assert card_of(renewed).startswith("xxx")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "give a score card, or --not-graded"),
        (("card.json", "--not-graded", 3), "give a score card, or --not-graded"),
        (("--not-graded", 0), "`grade` has written a card; give the card"),
        (("--not-graded", 1), "`grade` has written a card; give the card"),
        (("--not-graded", 3, "--as", "a b"), "expected an account"),
    ],
)
def test_arguments_that_do_not_fit(place: Place, options: tuple[object, ...], words: str) -> None:
    ended = place.post(None, *options)
    assert (ended.returncode, place.github.requests) == (NOTHING_GRADED, [])
    assert words in ended.stderr


@pytest.mark.parametrize("sha", ["a" * 39, "A" * 40, "main", f"{SHA}\n", "../" + "a" * 37])
def test_a_commit_has_its_whole_digest(place: Place, sha: str) -> None:
    place.pull.sha = sha
    ended = place.post(None, "--not-graded", 3)
    assert (ended.returncode, place.github.requests) == (NOTHING_GRADED, [])
    assert "expected the whole digest of a commit, 40 of the digits" in ended.stderr


def test_a_summary_that_cannot_be_written_keeps_neither_comment_nor_status_away(place: Place) -> None:
    ended = place.post(place.card(), GITHUB_STEP_SUMMARY=str(place.folder))
    assert (ended.returncode, place.writes) == (NOTHING_GRADED, ["POST", "POST"])
    assert ended.stderr.startswith("The summary was not written: GITHUB_STEP_SUMMARY ")
    assert "The comment was written" in ended.stdout
    place.github.tokens[TOKEN] = Token(writes=())
    ended = place.post(place.card(failed=frozenset()), GITHUB_STEP_SUMMARY=str(place.folder))
    assert ended.returncode == GRADERS_FAULT


@pytest.mark.parametrize("failed", [frozenset(), frozenset({"small", "large", "first", "negative", "empty", "last"})])
@pytest.mark.parametrize("policy", ["none", "band", "points"])
def test_a_description_is_short(place: Place, policy: str, failed: frozenset[str]) -> None:
    assert len(describe(place.card(policy, failed=failed))) <= LONGEST_DESCRIPTION


def test_posting_needs_nothing_that_grading_needs(place: Place) -> None:
    write(place.folder, FULL)
    (place.folder / "card.json").write_text(card_to_json(place.card()), encoding="utf-8")
    write(place.folder, PUBLIC)
    done = run_lightly(
        *(place.folder, "post", "card.json", "--pull", 1, "--sha", SHA, "--course", "."),
        **variables(place.github.url),
    )
    assert (done.returncode, done.stderr) == (ALL_PASSED, "")
    assert (len(place.bodies), len(place.statuses)) == (1, 1)
    assert TOKEN not in done.stdout
