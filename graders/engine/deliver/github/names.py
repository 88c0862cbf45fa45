"""How names on GitHub are written: this module has the patterns that a name has to fit before it is used anywhere.

None of them has a blank, a line's end, or anything that a shell, an address or a file of outputs could take for more
than a part of the name.
"""

import re

from graders.engine.clean import one_line
from graders.engine.errors import UsageError

SHA = r"^[0-9a-f]{40}$"
LOGIN = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$"
"""An account that has repositories: a person or an organisation, never an App."""
ACCOUNT = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$"
"""Whoever may write a comment: one of these, or an App."""
FULL_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9_.-]{1,100}$"


def is_sha(text: str) -> bool:
    """Return whether this is the whole digest of a commit."""
    return _fits(SHA, text)


def is_login(text: str) -> bool:
    """Return whether this can be the account of a student."""
    return _fits(LOGIN, text)


def is_full_name(text: str) -> bool:
    """Return whether this is owner/name; "." and ".." are no names, as addresses read them otherwise."""
    return _fits(FULL_NAME, text) and text.partition("/")[2] not in (".", "..")


def require_sha(text: str, what: str) -> None:
    """Raise UsageError, with the name of what it was given as, for what is not the whole digest of a commit."""
    if not is_sha(text):
        raise _no_name(text, what, "the whole digest of a commit, 40 of the digits 0 to 9 and a to f")


def require_full_name(text: str, what: str) -> None:
    """Raise UsageError likewise for what is not owner/name."""
    if not is_full_name(text):
        raise _no_name(text, what, "a repository as owner/name")


def require_account(text: str, what: str) -> None:
    """Raise UsageError likewise for what is no account."""
    if not _fits(ACCOUNT, text):
        raise _no_name(text, what, "an account, such as github-actions[bot]")


def _no_name(text: str, what: str, expected: str) -> UsageError:
    return UsageError(f'{what} is "{one_line(text[:200])}"; expected {expected}')


def _fits(pattern: str, text: str) -> bool:
    # The whole text, as a line's end may follow Python's $, unlike that of pydantic, which reads these patterns too.
    return re.fullmatch(pattern, text) is not None
