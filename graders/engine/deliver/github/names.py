"""How names on GitHub are written: this module has the patterns that a name has to fit before it is used anywhere.

None of them has a blank, a line's end, or anything that a shell, an address or a file of outputs could take for more
than a part of the name.
"""

import re

SHA = r"^[0-9a-f]{40}$"
LOGIN = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$"
"""An account that has repositories: a person or an organisation, never an App."""
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


def _fits(pattern: str, text: str) -> bool:
    # The whole text, as a line's end may follow Python's $, unlike that of pydantic, which reads these patterns too.
    return re.fullmatch(pattern, text) is not None
