"""What a student may be called: a name that people can read, the same from every system that writes it."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator

LONGEST_PERSON = 200


def require_person(text: str) -> str:
    """Return the name, its accents composed and no blanks around it; raises ValueError if nobody could read it."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name or not name.isprintable():
        raise ValueError("a name has letters, and no control or invisible characters")
    if name in (".", ".."):
        raise ValueError(f'"{name}" is no name of a student')
    if len(name) > LONGEST_PERSON:
        raise ValueError(f"a name of {len(name)} characters; expected {LONGEST_PERSON} at most")
    return name


Person = Annotated[str, AfterValidator(require_person)]
