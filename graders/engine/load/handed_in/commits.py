"""A class as a list of commits: a table that people write, or what `grade sweep` wrote."""

import re
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.errors import UsageError, shown_path
from graders.engine.load.handed_in.drafts import Draft
from graders.engine.load.handed_in.listing import MAX_BYTES, SHA, SweepItem, sweep_from_json
from graders.engine.load.handed_in.records import Commit, Nothing, finding
from graders.engine.load.moments import moment
from graders.engine.load.table import Row, Table, read_bytes, read_table

COLUMNS = ("student", "url", "sha", "handed_in_at")

_WHAT = "a list of commits: CSV with a first line student,url,sha, and a column handed_in_at where that is known"
# No name and password before the host, which would be shown; and nothing that a shell or git reads otherwise.
_URL = re.compile(
    r"(https?://[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9_.~-]+)*?)/([A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9_.-]+?)(?:\.git)?/?"
)


def listed_commits(path: Path) -> tuple[list[Draft], list[str]]:
    """The commits of a table; raises UsageError with line and column."""
    table = read_table(path, _WHAT, COLUMNS, COLUMNS[:3])
    return [_row(table, row) for row in table.rows], list(table.unread)


def swept_commits(path: Path) -> tuple[list[Draft], list[str]]:
    """The commits of a sweep; raises UsageError if it is none."""
    label = shown_path(path)
    sweep = sweep_from_json(read_bytes(path, "a list that `grade sweep` wrote", MAX_BYTES), label)
    return [_item(item, label) for item in sweep.items], []


def commit_of(url: str, sha: str) -> Commit:
    """The commit of a repository on a server; raises ValueError for an address that is not one."""
    found = _URL.fullmatch(url)
    if found is None or found[2].partition("/")[2] in (".", ".."):
        shown = re.sub(r"//[^/]*@", "//...@", url)  # before the host there may be a password
        raise ValueError(f'"{one_line(shown[:100])}" is no address of a repository; expected https://SERVER/OWNER/NAME')
    return Commit(found[1], found[2], sha)


def _row(table: Table, row: Row) -> Draft:
    student, sha = row.get("student"), row.get("sha").lower()
    if not student:
        raise table.wrong(row, "student", "empty; expected whose commit this is")
    if not re.fullmatch(SHA, sha):
        raise table.wrong(
            row,
            "sha",
            f'"{one_line(sha[:80])}" is no whole digest of a commit; expected 40 of the digits 0 to 9 and a to f',
        )
    try:
        commit = commit_of(row.get("url"), sha)
    except ValueError as error:
        raise table.wrong(row, "url", str(error)) from error
    at = table.parsed(row, "handed_in_at", moment)
    return Draft(student, _label(commit), commit, known_by=(student,), handed_in_at=at)


def _item(item: SweepItem, label: str) -> Draft:
    findings: tuple[tuple[str, str], ...] = tuple((found.kind, found.words) for found in item.findings)
    if item.sha is None:
        said = item.said or "the sweep found no commit of theirs"
        place = item.repository or item.student
        return Draft(item.student, place, Nothing(said), known_by=(item.student,), findings=findings)
    try:
        commit = commit_of(item.url, item.sha)
    except ValueError as error:
        raise UsageError(
            f"{label}: {one_line(item.student)}: {error}; make the list anew with `grade sweep`"
        ) from error
    if item.said:
        findings = (*findings, finding(item.said))
    return Draft(
        name=item.student,
        label=_label(commit),
        origin=commit,
        known_by=(item.student,),
        handed_in_at=item.pushed_at,
        findings=findings,
    )


def _label(commit: Commit) -> str:
    return f"{commit.repository}@{commit.sha[:12]}"
