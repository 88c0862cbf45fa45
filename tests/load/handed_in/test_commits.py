"""A class as a list of commits: tables that people write, and the list that a sweep writes."""

import datetime
import json
import pickle
import subprocess
from typing import get_args

import pytest

from graders.engine.errors import SubmissionError, UsageError
from graders.engine.load.handed_in.commits import commit_of
from graders.engine.load.handed_in.finding import find_handed_in
from graders.engine.load.handed_in.listing import KindOfFinding, SweepItem, SweepList, SweptFinding, sweep_to_json
from graders.engine.load.handed_in.loading import load_handed_in
from graders.engine.load.handed_in.records import Commit, Nothing, fetched
from graders.engine.score.class_entry import Kind
from tests.load.handed_in.layouts import ASSIGNMENTS, FIRST, WORK, under, written

SHA = "0123456789abcdef0123456789abcdef01234567"
HEAD = "student,url,sha,handed_in_at\n"
NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)


def found(tmp_path, text, roster=None):
    path = tmp_path / "class.csv"
    path.write_text(text, encoding="utf-8")
    return find_handed_in(path, roster)


def swept(tmp_path, *items):
    path = tmp_path / "submissions.json"
    sweep = SweepList(version=1, course="course/main", deadline=NOW, made_at=NOW, items=items)
    path.write_text(sweep_to_json(sweep), encoding="utf-8")
    return find_handed_in(path)


def test_a_table_of_commits(tmp_path, roster):
    text = (
        f"{HEAD}1815,https://host.example/ada/work.git,{SHA.upper()},2026-11-30T13:00+01:00\n"
        f"bob,http://[::1]:80/prefix/bob/work/,{SHA},\n"
    )
    class_ = found(tmp_path, text, roster)
    ada, bob = class_.handed_in
    assert (ada.student, ada.label, ada.handed_in_at) == ("ada", "ada/work@0123456789ab", NOW)
    assert ada.origin == Commit("https://host.example", "ada/work", SHA)
    assert bob.origin == Commit("http://[::1]:80/prefix", "bob/work", SHA)
    assert (bob.handed_in_at, class_.missing) == (None, ("eve",))


def test_of_two_commits_of_one_student_the_newest_counts(tmp_path):
    rows = "".join(
        f"ada,https://h.example/ada/{name},{SHA},{at}\n" for name, at in (("b", NOW), ("a", NOW.replace(hour=1)))
    )
    (ada,) = found(tmp_path, HEAD + rows).handed_in
    assert ada.label.startswith("ada/b@")
    assert "the newest of 2 submissions" in ada.findings[0][1]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (f",https://h.example/a/b,{SHA},", ":2: student: empty"),
        ("ada,https://h.example/a/b,0123,", ':2: sha: "0123" is no whole digest'),
        ("ada,https://h.example/a/b,main,", ':2: sha: "main" is no whole digest'),
        (f"ada,https://h.example/a/b,{SHA}0,", "is no whole digest"),
        (f"ada,https://h.example/a/b,{SHA},yesterday", ":2: handed_in_at: 'yesterday' is no moment"),
        (f"ada,https://h.example/a/b,{SHA},2026-11-30T12:00", "has no time zone"),
        (f"ada,git@h.example:a/b.git,{SHA},", ":2: url: "),
        (f"ada,https://h.example/a,{SHA},", "is no address of a repository; expected https://SERVER/OWNER/NAME"),
        (f"ada,https://user:secret@h.example/a/b,{SHA},", ":2: url: "),
        (f"ada,https://h.example/a/..,{SHA},", ":2: url: "),
        (f"ada,https://h.example/-x/b,{SHA},", ":2: url: "),
        (f"ada,--upload-pack=x,{SHA},", ":2: url: "),
        (f"ada,file:///srv/a/b,{SHA},", ":2: url: "),
        (f"ada,https://h.example/a/b?x=1,{SHA},", ":2: url: "),
        (f'ada,"https://h.example/a/b\n",{SHA},', None),
    ],
)
def test_tables_that_cannot_be_right(tmp_path, row, words):
    if words is None:
        assert found(tmp_path, f"{HEAD}{row}\n").handed_in
        return
    with pytest.raises(UsageError) as caught:
        found(tmp_path, f"{HEAD}{row}\n")
    assert words in str(caught.value)


@pytest.mark.parametrize("head", ["student,url", "url,sha", "name,sha"])
def test_tables_without_a_column_that_is_needed(tmp_path, head):
    with pytest.raises(UsageError, match=":1: there is no column"):
        found(tmp_path, f"{head}\na,b\n")


def test_the_list_of_a_sweep(tmp_path):
    class_ = swept(
        tmp_path,
        SweepItem(
            student="ada",
            repository="ada/work",
            url="https://h.example/ada/work",
            sha=SHA,
            pushed_at=NOW,
            said="renamed since",
            findings=(SweptFinding(kind="late_work", words="a commit after the deadline"),),
        ),
        SweepItem(student="bob", repository="", url="", sha=None, pushed_at=None, said="the fork is gone"),
        SweepItem(student="eve", repository="eve/w", url="https://h.example/eve/w", sha=None, pushed_at=None),
    )
    ada, bob, eve = class_.handed_in
    assert (ada.origin, ada.handed_in_at) == (Commit("https://h.example", "ada/work", SHA), NOW)
    assert ada.findings == (("late_work", "a commit after the deadline"), ("other", "renamed since"))
    assert (bob.label, bob.origin) == ("bob", Nothing("the fork is gone"))
    with pytest.raises(SubmissionError, match="the fork is gone"):
        load_handed_in(bob, ASSIGNMENTS)
    with pytest.raises(SubmissionError, match="found no commit of theirs"):
        load_handed_in(eve, ASSIGNMENTS)


ITEM = {"student": "ada", "repository": "a/b", "url": "https://h.example/a/b", "sha": SHA, "pushed_at": None}
LIST = {"version": 1, "course": "c/d", "deadline": NOW.isoformat(), "made_at": NOW.isoformat(), "items": [ITEM]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "version: "),
        ({"deadline": "2026-11-30T12:00:00"}, "deadline: "),
        ({"extra": 1}, "extra: "),
        ({"items": [ITEM, ITEM]}, "ada stands in it twice"),
        ({"items": [ITEM | {"sha": "main"}]}, "items.0.sha: "),
        ({"items": [ITEM | {"student": "\u202e"}]}, "items.0.student: "),
        ({"items": [ITEM | {"url": ""}]}, "a commit, and no url to fetch it from"),
        ({"items": [ITEM | {"url": "https://x:password@h.example/a/b"}]}, "ada: "),
        ({"items": [ITEM | {"findings": [{"kind": "new", "words": ""}]}]}, "items.0.findings.0.kind: "),
    ],
)
def test_lists_of_a_sweep_that_cannot_be_right(tmp_path, changes, words):
    path = tmp_path / "submissions.json"
    path.write_text(json.dumps(LIST | changes), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        find_handed_in(path)
    assert words in str(caught.value)
    assert "anew with `grade sweep`" in str(caught.value)
    assert "password" not in str(caught.value)


def test_kinds_of_findings_are_those_of_a_class_entry():
    assert set(get_args(KindOfFinding)) == {kind.value for kind in Kind}


def test_a_commit_is_read_once_it_was_fetched(tmp_path):
    (ada,) = found(tmp_path, f"{HEAD}ada,https://h.example/a/b,{SHA},\n").handed_in
    with pytest.raises(SubmissionError, match="its commit was not fetched"):
        load_handed_in(ada, ASSIGNMENTS)
    repository = written(tmp_path / "work", under("exercises"))
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b.c commit -q -m work"):
        subprocess.run(["git", "-C", str(repository), *command.split()], check=True, timeout=60)
    sha = subprocess.check_output(["git", "-C", str(repository), "rev-parse", "HEAD"], text=True, timeout=60).strip()
    (ada,) = found(tmp_path, f"{HEAD}ada,https://h.example/a/b,{sha},\n").handed_in
    submission = load_handed_in(pickle.loads(pickle.dumps(fetched(ada, repository))), ASSIGNMENTS)
    assert (submission.label, submission.commit) == (f"a/b@{sha[:12]}", sha)
    assert submission.files[0].source == WORK[f"{FIRST}.py"]
    (other,) = found(tmp_path, f"{HEAD}ada,https://h.example/a/b,{SHA},\n").handed_in
    with pytest.raises(SubmissionError, match="there is no commit"):
        load_handed_in(fetched(other, repository), ASSIGNMENTS)


def test_an_address_is_taken_apart():
    assert commit_of("https://h.example/a/b.git", SHA).repository == "a/b"
    assert commit_of("https://h.example/x/a/b.c/", SHA) == Commit("https://h.example/x", "a/b.c", SHA)
