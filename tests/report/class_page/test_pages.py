"""The pages as a parser reads them: what is on them, that nothing of others is markup, and what small classes get."""

import base64
import hashlib
import re
from collections import Counter

import pytest

from graders.engine.judge.outcome import Verdict
from graders.engine.report.class_page.material import Line, Participant, Result, Work, facts_of
from graders.engine.report.class_page.pages import class_page, staff_page
from graders.engine.report.class_page.rendering import Pages
from graders.engine.report.class_page.student_page import student_page
from graders.engine.score.class_entry import Finding, Kind, State
from graders.engine.score.names import file_stem
from tests.report.class_page.facts import FAIL, PASS, WAITING, facts, info, line
from tests.report.class_page.made_class import cards, entry
from tests.report.class_page.parsed import parse
from tests.report.hostile import hostile_cards
from tests.report.situations import SITUATIONS

PAGES = Pages()
TITLE = "Positions"
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{7*7}}{% raw %}",
    "</script><!--",
    "</style>]]>",
    "javascript:alert(1)",
    "\u202egnp.exe\u200b\u2066",
    "a\x00b\x1b[31mc\r\nd",
    "&lt;b&gt; &#0; &amp;amp;",
    "x" * 2000,
)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069]")


def hostile_line(text):
    """A student whose name, words and files are this text."""
    check = info("is hard", visibility="hidden")._replace(title=text, exercise=text)
    found = facts(
        {check: FAIL},
        got=f"{text} and two words",
        hint=text,
        sheets=("ex01_fixed",),
        works=(Work("ex01", "a" * 64, True),),
    )
    odd = entry("s").model_copy(update={"source": text, "findings": (Finding(kind=Kind.OTHER, words=text),)})
    who = Participant(text, text, text, file_stem(text), odd, Result(1, 2, (text,)))
    return Line(who, found)


def broken_line(text, state):
    who = Participant(text, text, "", file_stem(text), entry("s", state, text), None)
    return Line(who, None)


def made(number):
    return [Line(line(card.student, None).participant, facts_of(card, [card])) for card in cards(number)]


def shown(text):
    return parse(staff_page(PAGES, TITLE, text, ()))


def code_and_style(root):
    return [one for tag in ("script", "style") for one in root.all(tag)]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:20])
def test_nothing_of_others_is_markup(text):
    """The same elements come of it as of a harmless text, and what a reader sees has nothing unseen in it."""
    pages = []
    for words in (text, "harmless"):
        lines = [hostile_line(words), hostile_line(words), *(broken_line(words, state) for state in State)]
        card = SITUATIONS["fail"].model_copy(update={"student": "s"})
        pages.append(
            (
                staff_page(PAGES, words, lines, (words,)),
                student_page(PAGES, words, lines[0].participant, card, (card,)),
            )
        )
    for page, harmless in zip(*pages, strict=True):
        root, other = parse(page), parse(harmless)
        assert [one.tag for one in root.all()] == [one.tag for one in other.all()]
        assert [sorted(one.attributes) for one in root.all()] == [sorted(one.attributes) for one in other.all()]
        assert [one.inside for one in code_and_style(root)] == [one.inside for one in code_and_style(other)]
        assert not UNSEEN.search(page)
        for link in root.all("a"):
            assert re.fullmatch(
                r"#.*|students/[a-z0-9._~-]+\.html|\.\./index\.html#students", link.attributes["href"], re.S
            )


def test_nothing_of_a_card_is_markup():
    allowed = {
        *("html", "head", "meta", "title", "style", "body", "header", "nav", "a", "h1", "h2", "h3", "p", "main", "dl"),
        *(
            "dt",
            "dd",
            "br",
            "code",
            "ul",
            "li",
            "b",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "section",
            "span",
            "div",
        ),
    }
    for card in hostile_cards(40):
        page = student_page(PAGES, TITLE, line("s", None).participant, card, (card,))
        root = parse(page)
        assert {one.tag for one in root.all()} <= allowed
        assert {name for one in root.all() for name in one.attributes} <= {
            *("lang", "charset", "http-equiv", "content", "name", "href", "aria-label", "class", "id", "scope"),
        }
        assert not UNSEEN.search(page)


@pytest.mark.parametrize(
    "make", [lambda: staff_page(PAGES, TITLE, made(12), ()), lambda: class_page(PAGES, TITLE, made(12))]
)
def test_the_policy_knows_these_scripts_and_this_style_and_nothing_else(make):
    root = parse(make())
    policy = root.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    for tag in ("script", "style"):
        digests = {digest("".join(one.inside)) for one in root.all(tag)}
        assert set(rules.pop(f"{tag}-src").split()) == digests
    assert not rules


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_a_page_fetches_nothing_and_has_no_style_or_handler_in_an_attribute():
    for page in (staff_page(PAGES, TITLE, made(12), ()), class_page(PAGES, TITLE, made(12))):
        elements = list(parse(page).all())
        assert not {"img", "link", "iframe", "object", "form", "base", "image", "use"} & {one.tag for one in elements}
        names = {name for one in elements for name in one.attributes}
        assert not [name for name in names if name.startswith("on") or name in {"style", "src", "srcset", "xlink:href"}]


def test_ids_are_unique_and_links_within_the_page_lead_somewhere():
    root = shown(made(30))
    ids = Counter(one.attributes["id"] for one in root.all() if "id" in one.attributes)
    assert max(ids.values()) == 1
    inner = {link.attributes["href"][1:] for link in root.all("a") if link.attributes["href"].startswith("#")}
    assert inner
    assert inner <= set(ids)


def test_the_first_screen_says_how_many_and_where_they_are_stuck():
    lines = [
        *(line(f"s{place}", facts({info("is easy"): PASS, info("is hard", 2): FAIL})) for place in range(12)),
        line("w", facts({info("is easy"): WAITING, info("is hard", 2): PASS})),
        Line(Participant("gone", "Gone", "", "gone", None, None), None),
        line("bad", None, entry("bad", State.NOTHING, "damaged")),
    ]
    root = shown(lines)
    tiles = [
        one.text for one in next(one for one in root.all("ul") if one.attributes.get("class") == "tiles").all("li")
    ]
    assert tiles == [
        "13 of 15 handed in and graded; 1 handed in nothing; 1 with nothing to grade",
        "1 of 3 median; the middle half has 1 to 1",
        "1 text waits for a person",
        "0 things look odd",
    ]
    first = next(one for one in root.all("ol") if one.attributes.get("class") == "stuck")
    assert [one.text for one in first.all("li")] == [
        "it is hard Title of ex01_fixed: 12 of 13 (92 %) fail it, 24 points lost"
    ]


def test_every_student_has_a_row_with_a_link():
    root = shown(made(7))
    table = root.one("table", id="student-table")
    links = [row.one("th", scope="row").one("a").attributes["href"] for row in table.one("tbody").all("tr")]
    assert links == [f"students/s{place:04d}.html" for place in range(7)]


def test_charts_are_pictures_with_a_description_and_a_table_beside_them():
    root = shown(made(30))
    pictures = list(root.all("svg"))
    assert [one.attributes["role"] for one in pictures] == ["img", "img"]
    bars = pictures[0].attributes["aria-label"]
    table = next(one for one in root.all("table") if "Score" in one.text and "Students" in one.text)
    counts = [int(row.one("td").text) for row in table.one("tbody").all("tr")]
    assert sum(counts) == 30
    assert re.findall(r": (\d+)", bars) == [str(count) for count in counts if count]
    assert {one.attributes.get("fill") for one in pictures[0].all("path")} >= {"var(--bar)"}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], ["There is no score yet.", "There is nobody in this class yet.", "Nothing has been graded yet."]),
        (
            [line("a", facts({info("is easy"): PASS}))],
            ["1 of 1 is the one score", "1 score, too few for a distribution: 1 of 1."],
        ),
        ([line("a", facts({info("is easy"): WAITING}))], ["1 text waits for a person", "0 of 1 is the one score"]),
        (
            [line(f"{n}", facts({info("is easy"): PASS})) for n in range(30)],
            ["All have the same score, 1.", "No check was failed"],
        ),
        ([line(f"{n}", facts({info("is easy"): WAITING})) for n in range(30)], ["30 texts wait for a person"]),
        ([line("a", None, entry("a", State.FAULT, "no host"))], ["the grader failed on 1", "no host"]),
    ],
    ids=["nobody", "one", "one who waits", "all equal", "all wait", "a fault"],
)
def test_a_class_that_carries_no_statistics_gets_sentences(lines, words):
    root = shown(lines)
    for part in words:
        assert part in root.text
    assert "nan" not in root.text
    parse(class_page(PAGES, TITLE, lines))


def test_a_page_of_a_student_has_what_is_on_the_card():
    for name, card in SITUATIONS.items():
        root = parse(student_page(PAGES, TITLE, line("s", None).participant, card, ()))
        headings = [one.text for one in root.all("h3")]
        telling = [
            check
            for exercise in card.exercises
            for check in exercise.checks
            if check.verdict not in (Verdict.PASS, Verdict.BLOCKED)
        ]
        assert len(headings) == len(telling), name
        for heading, check in zip(headings, telling, strict=True):
            assert heading.endswith(", hidden") == (check.visibility == "hidden"), name


def test_the_page_for_the_class_names_nobody_and_quotes_nobody():
    text = "my very own words"
    lines = [hostile_line(text), hostile_line(text), *made(60)]
    page = class_page(PAGES, TITLE, lines)
    root = parse(page)
    assert text not in page
    assert not re.search(r"s00\d\d", page)
    assert [one.attributes["href"] for one in root.all("a")] == ["#main"]
    assert "claims 100" not in page
    hidden = {one.title for one in lines[5].facts.layout if one.visibility == "hidden"}
    assert hidden
    assert not [title for title in hidden if title in root.text]


def test_the_page_for_the_class_has_no_count_that_is_small():
    for number in (9, 10, 11, 23, 60):
        root = parse(class_page(PAGES, TITLE, made(number)))
        cells = [one.text for table in root.all("table") for one in table.all("td")]
        numbers = [int(text) for text in cells if text.isdecimal()]
        assert all(one >= 5 for one in numbers)
        assert bool(numbers) == (number >= 10)
        assert not [text for text in cells if re.search(r"\d of \d", text)]
        assert not re.search(r": [0-4](;|\.)", " ".join(one.attributes["aria-label"] for one in root.all("svg")))


def test_the_page_for_the_class_tells_nothing_of_a_check_that_is_decided_for_few():
    """Of twelve students one has been marked so far, and what they got is theirs."""
    text, code = info("text", slug="ex07_text", objective="limits"), info("code")
    lines = [line(f"s{place}", facts({code: PASS, text: FAIL if place == 0 else WAITING})) for place in range(12)]
    root = parse(class_page(PAGES, TITLE, lines))
    assert [one.text for one in root.all("th") if "Title of" in one.text] == ["Title of ex01_fixed"]


def test_a_bonus_keeps_its_place_in_the_heat_map_where_the_first_student_left_it_out():
    checks = [info("a", slug=slug, objective="limits") for slug in ("ex05", "ex06", "ex07")]
    done = dict.fromkeys(checks, PASS)
    lines = [
        line("a", facts({**done, checks[1]: Verdict.TODO}, bonus=("ex06",))),
        line("b", facts(done, bonus=("ex06",))),
    ]
    heat = shown(lines).one("table", **{"class": "heatmap"})
    rows = [one.text for one in heat.all("th") if "Title of" in one.text]
    assert rows == ["Title of ex05", "Title of ex06", "Title of ex07"]
