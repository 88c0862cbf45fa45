"""Cleaning: what is hostile in each medium, one by one, and what holds for every text, on random ones."""

import csv
import io
import random
import re
import unicodedata
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from graders.engine.clean import (
    UNLINKED,
    clean,
    command_message,
    command_place,
    command_property,
    csv_cell,
    html_text,
    log_text,
    markdown_block,
    markdown_text,
    one_line,
    terminal_text,
    visible,
)

# What a text is made of that tries to be more than text.
PIECES = [
    *"abz019 .,:;!?'\"`~*_-+=#@$%&<>|/\\()[]{}^\n\t\r\v\f\x00\x07\x1b\x7f\x85\xa0\u200b\u200d\u202e\u2028\u2029\u2800",
    *"\u3000\u3164\ufe0f\ufeff\uff1d\uff0b\uff0d\uff20\ud800\udfff\U000e0041\U0001f600\u26a0\u0301é文",
    *(
        "::",
        "##[",
        "::error::",
        "::error file=a:b::",
        "::add-mask::",
        "##[error]",
        "\r\n",
        "\n    ",
        "\n\n",
        "```",
        "~~~",
    ),
    *(
        "</p>",
        "<!--",
        "-->",
        "<img src=x>",
        "![x](http://a.b/c)",
        "[x](y)",
        "[x]: y\n",
        "<http://a.b>",
        "&#64;",
        "&lt;",
    ),
    *(
        "@everyone",
        "a@b.cd",
        "https://a.b",
        "www.a.b",
        "GH-1",
        "o/r#1",
        "#1",
        "$x$",
        "1. ",
        "- ",
        "---",
        "===",
        ":--",
        "| ",
    ),
    *('","', ";=1", '";"', "\t=", "]]>", "javascript:", "</script>", "\x1b[31m", "\x1b]0;t\x07", "\x9b2J"),
]


def random_texts(count=400):
    draw = random.Random(20261)
    for _ in range(count):
        anything = [chr(draw.randrange(0x110000)) for _ in range(3)]
        yield "".join(draw.choices(PIECES + anything, k=draw.randrange(14)))


TEXTS = [*random_texts(), *PIECES]


# What is unseen

UNSEEN = {
    "\x00": r"\x00",
    "\x1b": r"\x1b",
    "\r": r"\r",
    "\x7f": r"\x7f",
    "\x85": r"\x85",
    "\x9b": r"\x9b",
    "\xad": r"\xad",  # soft hyphen
    "\u034f": r"\u034f",  # combining grapheme joiner
    "\u061c": r"\u061c",  # Arabic letter mark
    "\u115f": r"\u115f",  # fillers of Hangul
    "\u1160": r"\u1160",
    "\u3164": r"\u3164",
    "\uffa0": r"\uffa0",
    "\u17b4": r"\u17b4",
    "\u180b": r"\u180b",
    "\u180e": r"\u180e",
    "\u200b": r"\u200b",  # no width
    "\u200d": r"\u200d",
    "\u2060": r"\u2060",
    "\u2065": r"\u2065",
    "\ufeff": r"\ufeff",
    "\u200e": r"\u200e",  # directions
    "\u202a": r"\u202a",
    "\u202e": r"\u202e",
    "\u2066": r"\u2066",
    "\u2069": r"\u2069",
    "\u2028": r"\u2028",  # lines to some, and not to others
    "\u2029": r"\u2029",
    "\u2800": r"\u2800",  # a Braille pattern without dots
    "\ue000": r"\ue000",
    "\ufe00": r"\ufe00",
    "\ufe0f": r"\ufe0f",
    "\ufff0": r"\ufff0",
    "\ufff9": r"\ufff9",
    "\ufdd0": r"\ufdd0",
    "\uffff": r"\uffff",
    "\ud800": r"\ud800",
    "\U0001d159": r"\U0001d159",
    "\U0001d173": r"\U0001d173",
    "\U000e0001": r"\U000e0001",  # tags
    "\U000e0041": r"\U000e0041",
    "\U000e007f": r"\U000e007f",
    "\U000e01ef": r"\U000e01ef",
    "\U0010ffff": r"\U0010ffff",
}


@pytest.mark.parametrize("character", UNSEEN, ids=ascii)
def test_what_is_unseen_is_shown(character):
    shown = UNSEEN[character]
    assert visible(f"a{character}b") == one_line(f"a{character}b") == f"a{shown}b"
    assert clean(f"{character}b") == log_text(f"{character}b") == csv_cell(f"{character}b") == f"{shown}b"
    assert html_text(f"a{character}b") == f"a{shown}b"
    assert markdown_text(f"a{character}b") == rf"a\{shown}b"
    assert markdown_block(f"a{character}b") == f"```\na{shown}b\n```"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words, √2 ≤ π",
        "Zoë, Zoe\u0308, Nguyễn, Łukasz, Ὅμηρος, Ольга, 文字, かな, 한글, עברית, العربية, हिन्दी, ไทย",
        "narrow\u202fblanks\xa0and\u3000wide ones",
        "😀 ⚠\ufe0f ❤\ufe0f ↔\ufe0e",
        "\U0001fae9",  # a face that some Pythons do not know yet
        r"\x1b \u202e",
        "lines\nand\ttabs\n",
    ],
)
def test_what_people_write_stays(text):
    assert visible(text) == clean(text) == text


def test_a_style_needs_a_symbol_that_shows():
    assert (
        visible("\ufe0f a\ufe0f ⚠\ufe0f\ufe0f \u2800\ufe0f") == r"\ufe0f a\ufe0f ⚠" + "\ufe0f" + r"\ufe0f \u2800\ufe0f"
    )


def test_only_lines_of_windows_end_as_others_do():
    assert visible("a\r\nb\rc\r\r\nd") == "a\nb\\rc\\r\nd"
    assert one_line("a\r\nb\tc\xa0d\u3000e f") == r"a\r\nb\tc\xa0d\u3000e f"


def test_every_text_is_visible_and_stays_so():
    for text in TEXTS:
        shown = visible(text)
        assert visible(shown) == shown
        odd = {letter for letter in shown if unicodedata.category(letter) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}}
        assert odd <= {"\n", "\t"}, ascii(text)
        assert one_line(text).isprintable(), ascii(text)
        assert one_line(one_line(text)) == one_line(text)


# Logs and terminals

# What GitHub's runner takes out before it looks at how a line begins.
BLANKS = " \t\x0b\x0c\x85\xa0\u1680\u2000\u2007\u200a\u2028\u202f\u205f\u3000"
NAMES = {"error", "warning", "notice", "debug", "group", "add-mask", "set-output", "stop-commands", "save-state"}


def is_obeyed(line):
    """Say whether GitHub's runner would take the line for a command; an account of our own of what it does."""
    new, old = line.lstrip().split("::", 2), re.search(r"##\[([^\] ]+)[^\]]*\]", line)
    return (len(new) == 3 and new[0] == "" and new[1].split(" ")[0] in NAMES) or bool(old and old[1] in NAMES)


COMMANDS = [
    "::error::x",
    "::error file=a.py,line=1::x",
    r"::error file=C:/a.py,title=a:b::x",
    "::warning ::x",
    "::add-mask::0",
    "::set-output name=points::100",
    "::stop-commands::x",
    "##[error]x",
    "##[set-output name=a;]x",
    "a ##[error]x",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_broken(command):
    assert is_obeyed(command)
    for text in [
        command,
        *(blank + command for blank in BLANKS),
        f"a\n{command}",
        f"a\r\n \t{command}",
        f"\n\n{command}",
    ]:
        assert not [line for line in log_text(text).split("\n") if is_obeyed(line)]
        assert not [line for line in clean(text).split("\n") if is_obeyed(line)]


def test_how_a_command_is_broken():
    assert log_text("::error::x") == clean("::error::x") == ": :error::x"
    assert log_text("##[error]x") == clean("##[error]x") == terminal_text("##[error]x") == "## [error]x"
    assert log_text("###[[a]") == "### [[a]"
    assert log_text(" \t ::x") == "      : :x"


def test_code_with_colons_stays_on_a_card():
    code = "x[::2], x[1::2]\nstd::pair<int, int> a::b\n::2"
    assert clean(code) == code


def test_an_unseen_letter_hides_no_command():
    assert log_text("\u200b::error::x") == r"\u200b::error::x"
    assert log_text("#\u200b#[error]x") == r"#\u200b#[error]x"


def test_no_line_of_a_log_is_a_command():
    for text in TEXTS:
        for line in log_text(text).split("\n"):
            assert not line.lstrip().startswith("::"), ascii(text)
            assert command_place(line) is None
            assert "##[" not in line, ascii(text)
            assert "\t" not in line
        assert log_text(log_text(text)) == log_text(text)


def test_however_a_report_breaks_the_lines_of_a_card():
    for text in TEXTS:
        for line in clean(text).split("\n"):
            assert not [place for place in range(len(line)) if is_obeyed(line[place:])], ascii(text)


def test_a_card_takes_so_much():
    for text in [*TEXTS, "\x1b" * 100, "::error::" * 100, "a" * 500, "a" * 501]:
        for limit in (1, 7, 60, 500):
            shown = clean(text, limit)
            assert len(shown) <= limit
            assert clean(shown, limit) == shown
    assert clean("a" * 501) == "a" * 499 + "…"


# Commands of a workflow

# In this order, as GitHub documents it; the last two in properties only.
CODES = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


def decoded(text, codes):
    """Return what the runner takes the text for."""
    for code in codes:
        text = text.replace(code, CODES[code])
    return text.replace("%25", "%")


@pytest.mark.parametrize(
    ("text", "message", "name"),
    [
        ("100%", "100%25", "100%25"),
        ("%0A%3A", "%250A%253A", "%250A%253A"),
        ("a\nb", "a%0Ab", r"a\nb"),
        ("a\r\nb", "a%0Ab", r"a\r\nb"),
        ("a\rb", r"a\rb", r"a\rb"),
        ("a: b, c", "a: b, c", "a%3A b%2C c"),
        ("a\n::error::x", "a%0A: :error: :x", r"a\n%3A%3Aerror%3A%3Ax"),
        ("##[error]x", "## [error]x", "## [error]x"),
        ("\u2028\x85", r"\u2028\x85", r"\u2028\x85"),
    ],
)
def test_a_text_in_a_command(text, message, name):
    assert command_message(text) == message
    assert command_property(text) == name


def test_whatever_stands_in_a_command_comes_out_as_it_went_in():
    for text in TEXTS:
        shown = re.sub(":(?=:)", ": ", log_text(text))
        assert decoded(command_message(text), ("%0D", "%0A")) == shown, ascii(text)
        assert decoded(command_property(text), CODES) == log_text(one_line(text)), ascii(text)


def test_no_text_in_a_command_ends_it_or_a_part_of_it():
    for text in TEXTS:
        assert len(command_message(text).splitlines()) <= 1, ascii(text)
        assert "::" not in command_message(text), ascii(text)
        assert not set(command_property(text)) & set(":,\r\n"), ascii(text)


# Markdown

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def inline(source):
    """Return what stands in the last paragraph, heading or cell of a source: kinds of things, and their text."""
    *_, last = (token for token in MARKDOWN.parse(source) if token.type == "inline")
    return {child.type for child in last.children}, "".join(child.content for child in last.children)


def words(text):
    return " ".join(visible(text).split())


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("@everyone @org/team", "@\u200beveryone @\u200borg/team"),
        ("a@b.cd", "a@\u200bb.cd"),
        ("#12 o/r#12 gh-12 GH-1", "\\#\u200b12 o/r\\#\u200b12 gh-\u200b12 GH-\u200b1"),
        ("https://a.b/c", "https:\u200b//a.b/c"),
        ("WWW.a.b www.c.d", "WWW\u200b.a.b www\u200b.c.d"),
        ("x[:100:2] :+1: a:b", "x\\[:\u200b100:2\\] :\u200b+1: a:b"),
        ("![x](http://a.b/c.png)", "!\\[x\\](http:\u200b//a.b/c.png)"),
        ("</details><img src=x onerror=y>", r"\</details\>\<img src=x onerror=y\>"),
        ("&lt;&#64;", "\\&lt;\\&\\#\u200b64;"),
        ("a | b", r"a \| b"),
        (r"a \| b", r"a \\\| b"),
        ("```x``` `y` ~~z~~ ~~~", r"\`\`\`x\`\`\` \`y\` \~\~z\~\~ \~\~\~"),
        ("*a* __b__", r"\*a\* \_\_b\_\_"),
        ("$x$", "\u200b&#36;x\u200b&#36;"),
        ("$$x$$", "\u200b&#36;\u200b&#36;x\u200b&#36;\u200b&#36;"),
        ("$`x`$", "\u200b&#36;\\`x\\`\u200b&#36;"),
        ("# a", r"\# a"),
        ("- a", r"\- a"),
        ("12) a", r"12\) a"),
        ("1.5", r"1\.5"),
        ("--- | ===", r"\--- \| ==="),
        (":--", r"\:--"),
        ("    code\n\n> quote\n", r"code \> quote"),
        ("[^1] [x]: y [!NOTE]", r"\[^1\] \[x\]: y \[!NOTE\]"),
        ("a\\", r"a\\"),
        (" \n\t", ""),
    ],
)
def test_markdown_stays_text(text, source):
    assert markdown_text(text) == source


ALONE = ["{}", "- {}", "1. {}", "# {}", "> {}", "a\n\n{}", "|a|\n|-|\n\n{}"]
AFTER_MORE = ["**a** {}", "a\n{}", "a: {}", "- [ ] {}", "> [!NOTE]\n> {}"]


def test_in_markdown_every_text_is_only_text():
    for text in TEXTS:
        source = markdown_text(text)
        assert "\n" not in source
        for surrounding in ALONE if words(text) else []:
            kinds, shown = inline(surrounding.format(source))
            assert kinds == {"text"}, ascii((text, surrounding))
            assert shown.replace(UNLINKED, "") == words(text), ascii((text, surrounding))


def test_in_markdown_no_text_changes_what_stands_around_it():
    for text in TEXTS:
        source = markdown_text(text)
        for surrounding in ALONE + AFTER_MORE:
            kinds = [token.type for token in MARKDOWN.parse(surrounding.format(source or "a"))]
            assert kinds == [token.type for token in MARKDOWN.parse(surrounding.format("a"))], ascii(
                (text, surrounding)
            )


def test_no_text_breaks_out_of_a_cell():
    for text in TEXTS:
        tokens = MARKDOWN.parse(f"| a | b |\n|---|---|\n| {markdown_text(text)} | end |\n")
        cell, last = [token for token in tokens if token.type == "inline"][2:]
        assert last.content == "end", ascii(text)
        assert {child.type for child in cell.children} <= {"text"}
        assert "".join(child.content for child in cell.children).replace(UNLINKED, "") == words(text)


def test_nothing_that_github_looks_for_in_rendered_text_is_left():
    looked_for = re.compile(r"@[a-z0-9]|#\d|\bgh-\d|://|\bwww\.|(?:^|[^\u200b])\$", re.IGNORECASE)
    assert len([text for text in TEXTS if looked_for.search(words(text))]) > 100
    for text in TEXTS:
        if words(text):
            assert not looked_for.search(inline(markdown_text(text))[1]), ascii(text)


def test_a_block_of_markdown_is_one_block_with_that_text():
    for text in [*TEXTS, "````", "a ````` b", "```\n</details>\n@everyone", "`" * 40, "\n", "\n\n", " ", "    a"]:
        (block,) = MARKDOWN.parse(markdown_block(text))
        assert (block.type, block.info) == ("fence", ""), ascii(text)
        shown = visible(text)
        assert block.content == (shown if shown.endswith("\n") or not shown else shown + "\n"), ascii(text)


def test_a_block_ends_where_it_ends():
    for text in TEXTS:
        tokens = MARKDOWN.parse(f"before\n\n{markdown_block(text)}\n\nafter\n")
        assert [token.type for token in tokens if token.nesting >= 0 and token.type != "inline"] == [
            "paragraph_open",
            "fence",
            "paragraph_open",
        ], ascii(text)


# HTML


class Reader(HTMLParser):
    """Keeps all that a browser would see."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, attrs))

    def handle_endtag(self, tag):
        self.seen.append(tag)

    def handle_data(self, data):
        self.seen.append(data)

    def handle_comment(self, data):
        self.seen.append(("comment", data))

    def unknown_decl(self, data):
        self.seen.append(("unknown", data))


@pytest.mark.parametrize("quote", "'\"")
def test_html_is_text_in_elements_and_in_quoted_attributes(quote):
    for text in TEXTS:
        reader = Reader()
        reader.feed(f"<p title={quote}{html_text(text)}{quote}>{html_text(text)}</p>")
        reader.close()
        start, *data, end = reader.seen
        assert (start, end) == (("p", [("title", visible(text))]), "p"), ascii(text)
        assert "".join(data) == visible(text), ascii(text)


def test_html_has_no_signs_left():
    assert html_text("<a href='x'>&\"</a>") == "&lt;a href=&#x27;x&#x27;&gt;&amp;&quot;&lt;/a&gt;"


# CSV

PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\uff1d1", "'\uff1d1"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "\\r=1"),
        ("\r\n=1", "'\n'=1"),
        ("\n", "'\n"),
        (" \xa0=1", "' \xa0=1"),
        ("\ufeff=1", "\\ufeff=1"),
        ("\x00=1", "\\x00=1"),
        ("a;=1", "a;'=1"),
        ("a\n=1\t@b", "a\n'=1\t'@b"),
        ("'=1", "'=1"),
        ("a-b, =c, a@b.cd", "a-b, =c, a@b.cd"),
        ("Ann", "Ann"),
        ("", ""),
    ],
)
def test_a_cell_is_no_formula(text, cell):
    assert csv_cell(text) == cell


def test_cells_survive_and_none_is_a_formula():
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        cells = [csv_cell(text) for text in TEXTS]
        assert not [cell for cell in cells if cell.startswith(PREFIXES) or cell.lstrip().startswith(PREFIXES)]
        file = io.StringIO(newline="")
        csv.writer(file, quoting=quoting).writerows([cell, "end"] for cell in cells)
        file.seek(0)
        assert list(csv.reader(file)) == [[cell, "end"] for cell in cells]
        assert [csv_cell(cell) for cell in cells] == cells


def test_a_spreadsheet_set_to_semicolons_finds_no_formula_either():
    for text in TEXTS:
        for piece in re.split(r"[;\t\n]", csv_cell(text)):
            assert not piece.lstrip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")), ascii(
                text
            )
