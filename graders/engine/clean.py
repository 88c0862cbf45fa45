"""Cleans text that others wrote, a function for each medium it is shown in; nowhere else is text made harmless.

All rest on `visible`: what steers (controls, colours of a terminal, directions) and what shows as nothing (zero-width,
fillers, tags) becomes Python's escape for it, so that nothing is lost and nothing is obeyed. Blanks of other widths and
letters of every script stay. Cleaning twice changes nothing that the first time left harmless, except in Markdown and
HTML, where what is escaped twice is shown escaped.
"""

import html
import re
import unicodedata
from itertools import chain, pairwise

LONGEST_TEXT = 500

# Control, format (zero-width, directions, tags), private, surrogate, and the separators that some take for a new line.
STEERING = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
# What shows as nothing and yet counts as a letter, a mark or a symbol: the rest of Unicode's default ignorables, three
# blanks among its symbols and marks, and the code points that stand for no character.
BLANK = frozenset(
    map(
        chr,
        chain(
            (0x034F, 0x2065, 0x2800, 0x3164, 0xFFA0, 0x16FE4, 0x1D159),
            range(0x115F, 0x1161),  # Hangul fillers
            range(0x17B4, 0x17B6),  # Khmer vowels that are not written
            range(0x180B, 0x1810),  # Mongolian variation selectors
            range(0xFE00, 0xFE0E),  # variation selectors
            range(0xFFF0, 0xFFF9),
            range(0xE0000, 0xE1000),  # tags, further variation selectors, and what is kept for more of them
            range(0xFDD0, 0xFDF0),  # no characters
            (plane + end for plane in range(0, 0x110000, 0x10000) for end in (0xFFFE, 0xFFFF)),
        ),
    )
)
# These two say whether the symbol before them is a picture; anywhere else they are as invisible as the others.
STYLES = "\ufe0e\ufe0f"
SYMBOLS = frozenset({"So", "Sm"})

# The machines of GitHub that run workflows look for "##[name]" anywhere in a line, and for "::name ...::" where a line
# begins with it after blanks of any kind.
OLD_COMMAND = re.compile(r"##(?=\[)")
COMMAND = re.compile(r"::(?=[\w-]+(?: [^\n]*)?::)")

# GitHub looks for these in what Markdown has become, where neither backslash nor entity hides them: mentions, numbers
# of issues, addresses, formulas, names of pictures (`:100:`). A space of no width at the place found makes them text.
UNLINKED = "\u200b"
LINKED = re.compile(
    r"(?<=@)|(?<=:)(?=//)|(?<=:)(?=[\w+-]+:)|(?<=www)(?=\.)|(?<=#)(?=\d)|(?<=\bgh-)(?=\d)|(?=\$)", re.IGNORECASE
)
MARKDOWN = re.compile(r"[\\`*_\[\]<>&~|#]")
# At the start of a line: items of lists, the line under a heading, and the one under a table's head.
MARKDOWN_START = re.compile(r"^(\d+(?=[.)])|(?=[-+=:]))")

# Where a spreadsheet may take a cell to begin: one set to semicolons or tabs cuts the cell there, quoted or not.
FORMULA = re.compile(r"^(?=[\t\n])|(?:^|(?<=[\t\n;]))(?=[^\S\t\n]*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def visible(text: str) -> str:
    """Return the lines of a text with what is unseen in it as Python's escapes; only line feeds and tabs stay."""
    pairs = pairwise(" " + text.replace("\r\n", "\n"))
    return "".join(now if now in "\n\t" or not _unseen(now, before) else _escaped(now) for before, now in pairs)


def one_line(text: str) -> str:
    """Return a name, or another text for one line: as `visible`, and every blank but the space is escaped as well."""
    pairs = pairwise(" " + text)
    return "".join(now if now.isprintable() and not _unseen(now, before) else _escaped(now) for before, now in pairs)


def clean(text: str, limit: int = LONGEST_TEXT) -> str:
    """Return a text for a card, cut at `limit` characters.

    A report may break a card's lines anywhere: what would be a command at the start of one is broken in two everywhere.
    """
    shown = _without_old_commands(visible(text[: limit + 1]))
    shown = COMMAND.sub(": :", shown)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def terminal_text(text: str) -> str:
    """Return a text whose lines are still to be broken and indented: each line printed needs `command_place` too."""
    return _without_old_commands(visible(text).replace("\t", "    "))


def command_place(line: str) -> int | None:
    """Return where a blank keeps a line from being a command, if it could be one."""
    return line.index("::") + 1 if line.lstrip().startswith("::") else None


def log_text(text: str) -> str:
    """Return lines as they may be printed on a terminal, or where the machine that runs a workflow reads along."""
    return "\n".join(_without_command(line) for line in terminal_text(text).split("\n"))


def command_message(text: str) -> str:
    """Return a text as the message of a workflow's command; the machine that runs it shows the lines of it again."""
    # GitHub takes the first pair of colons for the message's start, and others who read these commands the last one.
    return re.sub(":(?=:)", ": ", _in_command(text))


def command_property(text: str) -> str:
    """Return a text as a property of a workflow's command, which neither ends the property nor begins the message."""
    return _in_command(one_line(text)).replace(":", "%3A").replace(",", "%2C")


def markdown_text(text: str) -> str:
    """Return a text on one line of GitHub's Markdown, that is nothing but text: also in a list, heading or table.

    Nobody is mentioned, nothing is linked, nothing is fetched. A commit's digest may become a link to that commit.
    """
    line = LINKED.sub(UNLINKED, " ".join(visible(text).split()))
    return MARKDOWN_START.sub(r"\1\\", MARKDOWN.sub(r"\\\g<0>", line).replace("$", "&#36;"))


def markdown_block(text: str) -> str:
    """Return lines as a block of code in Markdown. Where it stands in a list, every line of it has to be indented."""
    shown = visible(text)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    end = "" if shown.endswith("\n") or not shown else "\n"
    return f"{fence}\n{shown}{end}{fence}"


def html_text(text: str) -> str:
    """Return a text for the content of an HTML element, or for a quoted attribute that holds no address."""
    return html.escape(visible(text))


def csv_cell(text: str) -> str:
    """Return a text for a cell of CSV that no spreadsheet takes for a formula; quotes are left to the csv module.

    For words, not for numbers: "-1" is a formula to some, and becomes "'-1".
    """
    return FORMULA.sub("'", visible(text))


def _in_command(text: str) -> str:
    # Of what else would have to be encoded, a carriage return, none is left.
    return log_text(text).replace("%", "%25").replace("\n", "%0A")


def _unseen(character: str, before: str) -> bool:
    if character in STYLES:
        return unicodedata.category(before) not in SYMBOLS or before in BLANK
    return unicodedata.category(character) in STEERING or character in BLANK


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _without_old_commands(text: str) -> str:
    return OLD_COMMAND.sub("## ", text)


def _without_command(line: str) -> str:
    place = command_place(line)
    return line if place is None else f"{line[:place]} {line[place:]}"
