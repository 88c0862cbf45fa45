"""What a column of points may be called in files that other systems import."""

import re

from graders.engine.clean import csv_cell, one_line
from graders.engine.errors import UsageError

LONGEST = 200
# Canvas drops columns with both words of a pair, wherever in the title they stand.
PAIRS = ((("current", "final"), ("score", "points", "grade")), (("override",), ("score", "grade", "status")))
# What other columns are called, there and in Moodle.
TAKEN = re.compile(
    r"student|id|.*\bid number|sis .* id|integration id|root account|section|notes|last ?name|first ?name|full name|"
    r"email address|department|points possible",
    re.IGNORECASE,
)


def require_title(title: str) -> None:
    """Raise UsageError for a title under which other systems would drop the column, or take it for another one."""
    folded = title.casefold()
    for firsts, seconds in PAIRS:
        if any(word in folded for word in firsts) and any(word in folded for word in seconds):
            raise UsageError(
                f'Canvas drops a column called "{one_line(title)}", as it has {" or ".join(firsts)} together with '
                f"{', '.join(seconds[:-1])} or {seconds[-1]}; give another --column"
            )
    if TAKEN.fullmatch(title.strip()):
        raise UsageError(f'"{one_line(title)}" is what another column is called; give another --column')
    if not title.strip() or title != title.strip() or len(title) > LONGEST:
        raise UsageError(f"--column: expected a title of 1 to {LONGEST} characters, without blanks around it")
    if title != one_line(title) or title != csv_cell(title) or ";" in title:
        raise UsageError(
            f'--column: "{one_line(title)}" has a character that a spreadsheet may take for something else; expected '
            "letters, digits and blanks on one line"
        )
