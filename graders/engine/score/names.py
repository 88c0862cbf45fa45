"""Names of files for students: this module makes one that every file system takes and that no two students share."""

import hashlib
import re
import unicodedata

LONGEST_STEM = 100
DIGITS = 20
"""Of a digest: 80 bits, so that nobody finds a name for themselves whose file would be another student's."""

PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*")
DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
"""Names that mean no file on Windows, whatever follows the dot."""


def file_stem(student: str) -> str:
    """The name of a student's files, without suffix: of ASCII only, and as well where capitals don't count.

    A name that may stay as it is does. Any other keeps what is legible of it, and gets the beginning of its digest
    after a tilde, which no name that stays has.
    """
    if PLAIN.fullmatch(student) and len(student) <= LONGEST_STEM and not DEVICES.fullmatch(student):
        return student
    letters = unicodedata.normalize("NFKD", student).encode("ascii", "ignore").decode("ascii").lower()
    legible = re.sub(r"[^a-z0-9_]+", "-", letters)[: LONGEST_STEM - 1 - DIGITS].strip("-_") or "student"
    return f"{legible}~{hashlib.sha256(student.encode('utf-8', 'surrogatepass')).hexdigest()[:DIGITS]}"
