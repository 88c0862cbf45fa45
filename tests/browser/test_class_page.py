"""The pages of a class in a real browser: what an instructor does with them, on paper, on a phone, and without eyes."""

import pytest
from playwright.sync_api import expect

from graders.engine.cli.report import report
from graders.engine.report.class_page.material import Line, Participant, facts_of
from graders.engine.report.class_page.pages import staff_page
from graders.engine.report.class_page.rendering import Pages
from graders.engine.score.class_entry import Finding, Kind
from graders.engine.score.names import file_stem
from tests.npm import Packed, kept
from tests.report.class_page.made_class import cards, entry, write_folder

AXE = Packed("axe-core", "4.14.1", "package/axe.min.js")
NUMBER, MANY, ON_A_PAGE = 70, 5000, 50
PAPER = {"width": 718, "height": 1047}  # A4, with a centimetre around it
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "device_scale_factor": 2}
HOSTILE = (
    "<script>document.title='run'</script>",
    '"><img src=x onerror="document.title=1">',
    "javascript:alert(1)//{{7*7}}</script></style>",
    "&lt;img src=y onerror=alert(2)&gt; & <svg onload=alert(3)>",
)
# Of long tables and lists the beginning, since the rest is made alike.
AXE_LOOKS_AT = {
    "include": [["html"]],
    "exclude": [["tbody tr:nth-child(n+9)"], ["li:nth-child(n+9)"], [".check:nth-child(n+9)"]],
}
ROWS = "#student-table tbody tr"


@pytest.fixture(scope="session")
def class_folder(tmp_path_factory):
    """A class of 70, the first of whom are called, and have handed in, what is hostile."""
    folder = tmp_path_factory.mktemp("class")
    pairs = []
    for place, card in enumerate(cards(NUMBER)):
        if place < len(HOSTILE):
            card = card.model_copy(update={"student": HOSTILE[place], "exercises": tuple(map(hostile, card.exercises))})
        found = entry(card, odd=place % 12 == 5)
        if place < len(HOSTILE):
            found = found.model_copy(update={"findings": (Finding(kind=Kind.OTHER, words=HOSTILE[place]),)})
        pairs.append((found, card))
    write_folder(folder, pairs)
    return folder


def hostile(exercise):
    words = dict.fromkeys(("got", "hint", "output", "expected"), "".join(HOSTILE))
    checks = tuple(one.model_copy(update=words if one.verdict == "fail" else {}) for one in exercise.checks)
    return exercise.model_copy(update={"checks": checks})


@pytest.fixture(scope="session")
def pages(class_folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    report(class_folder, out)
    return out


@pytest.fixture(scope="session")
def for_the_class(class_folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("anonymous")
    report(class_folder, out, anonymous=True)
    return out


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """The page of five thousand, who share a hundred cards."""
    some = [facts_of(card, ()) for card in cards(100)]
    names = [f"student{place:04d}" for place in range(MANY)]
    lines = [
        Line(Participant(name, name, "", file_stem(name), entry(name), None), some[place % len(some)])
        for place, name in enumerate(names)
    ]
    path = tmp_path_factory.mktemp("large") / "index.html"
    path.write_text(staff_page(Pages(), "Many", lines, ()), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def axe():
    return kept(AXE, "axe.min.js", bytes).read_text(encoding="utf-8")


def column(page, number):
    return page.locator(f"{ROWS} > :nth-child({number})").all_inner_texts()


def searched(page, text, number, whole=NUMBER):
    """Search, and wait until the table says that it has found so many: a large one takes its time."""
    page.get_by_label("Search the students:").fill(text)
    of_all = "" if number == whole else f" (of {whole:,})"
    first = f"1 to {min(number, ON_A_PAGE)} of {number:,} students" if number else "no student"
    expect(page.locator(".dt-info")).to_have_text(first + of_all)


def sorted_by(page, table, title, way, press):
    """Sort by a column, and wait until its head says so."""
    head = page.locator(f"{table} thead th", has_text=title)
    press(head)
    expect(head).to_have_attribute("aria-sort", way)


def click(head):
    head.locator(".dt-column-title").click()


def enter(head):
    head.get_by_role("button").press("Enter")


def test_the_table_can_be_searched(pages, open_page):
    page = open_page(pages / "index.html")
    assert page.locator(ROWS).count() == ON_A_PAGE
    searched(page, "s0042", 1)
    assert column(page, 1) == ["s0042"]
    searched(page, "onerror=", 2)
    assert column(page, 1) == [HOSTILE[1], HOSTILE[3]]
    searched(page, "another score claimed", 6)
    searched(page, "nobody is called that", 0)
    assert page.locator(ROWS).all_inner_texts() == ["Nobody is like that."]
    searched(page, "", NUMBER)
    assert page.locator(ROWS).count() == ON_A_PAGE


def test_the_table_can_be_sorted_by_mouse_and_by_keyboard(pages, open_page):
    page = open_page(pages / "index.html")
    sorted_by(page, "#student-table", "Score", "ascending", click)
    points = [int(text) for text in column(page, 2)]
    assert points == sorted(points)
    sorted_by(page, "#student-table", "Score", "descending", enter)
    points = [int(text) for text in column(page, 2)]
    assert points == sorted(points, reverse=True)


def test_checks_are_sorted_by_their_figures_and_not_their_words(pages, open_page):
    page = open_page(pages / "index.html")
    sorted_by(page, "#check-table", "Discrimination", "ascending", click)
    shown = page.locator("#check-table tbody > tr > td:nth-child(7)").all_inner_texts()
    values = [float(text.replace("\N{MINUS SIGN}", "-")) for text in shown if text != "\N{EN DASH}"]
    assert values == sorted(values)
    assert min(values) < 0 < max(values)
    assert "\N{EN DASH}" not in shown[: len(values)]


def test_a_students_page_is_one_link_away_and_so_is_the_way_back(pages, open_page):
    page = open_page(pages / "index.html")
    searched(page, HOSTILE[0], 1)
    page.locator(f"{ROWS} a").click()
    assert page.locator("h1").inner_text() == HOSTILE[0]
    assert page.title().startswith(HOSTILE[0])
    assert page.get_by_text("".join(HOSTILE)).count() > 5
    page.get_by_role("link", name="The class").click()
    assert page.locator("#students").is_visible()


def test_links_lead_to_the_check_that_is_meant(pages, open_page):
    page = open_page(pages / "index.html")
    link = page.locator(".stuck a").first
    link.click()
    target = page.locator("tr:target")
    assert link.inner_text() in target.inner_text()
    assert target.is_visible()


def test_charts_are_drawn_in_the_colours_of_the_mode(pages, open_page):
    colours = []
    for scheme in ("light", "dark"):
        page = open_page(pages / "index.html", color_scheme=scheme)
        charts = page.locator("svg.chart")
        assert charts.count() == 2
        for place in range(2):
            box = charts.nth(place).bounding_box()
            assert box["width"] > 300
            assert box["height"] > 120
        fill = "path => getComputedStyle(path).fill"
        bar = charts.first.locator('path[fill="var(--bar)"]').first
        assert bar.bounding_box()["height"] > 0
        colours.append((bar.evaluate(fill), page.evaluate("getComputedStyle(document.body).backgroundColor")))
    (bar, paper), (dark_bar, dark_paper) = colours
    assert len({bar, paper, dark_bar, dark_paper, "none"}) == 5


def test_on_paper_everybody_is_there_and_nothing_to_click(pages, open_page):
    page = open_page(pages / "index.html", color_scheme="dark")
    page.evaluate(
        "addEventListener('beforeprint', () => { window.printed = [document.querySelectorAll('#student-table tbody tr')"
        ".length, document.querySelectorAll('details:not([open])').length]; })"
    )
    assert page.pdf().startswith(b"%PDF-")
    assert page.evaluate("window.printed") == [NUMBER, 0]
    assert page.locator(ROWS).count() == ON_A_PAGE
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for name in ("nav", ".dt-search", ".dt-length", ".dt-paging"):
        assert not page.locator(name).first.is_visible()
    page.set_viewport_size(PAPER)
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER["width"]


def test_without_scripts_the_page_is_whole(pages, open_page):
    page = open_page(pages / "index.html", java_script_enabled=False)
    assert page.locator(ROWS).count() == NUMBER
    assert page.locator(ROWS).last.is_visible()
    assert page.locator("svg.chart").first.is_visible()


def test_a_phone_scrolls_down_and_never_sideways(pages, for_the_class, open_page):
    student = sorted((pages / "students").iterdir())[0]
    for path in (pages / "index.html", student, for_the_class / "index.html"):
        page = open_page(path, **PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_axe_finds_nothing(pages, for_the_class, open_page, axe):
    student = sorted((pages / "students").iterdir())[-1]
    for path in (pages / "index.html", student, for_the_class / "index.html"):
        page = open_page(path)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        page.evaluate(axe)
        found = page.evaluate("all => axe.run(all)", AXE_LOOKS_AT)
        assert len(found["passes"]) > 10
        assert complaints(found) == [], path
        page.emulate_media(color_scheme="dark")
        found = page.evaluate("all => axe.run(all, {runOnly: ['color-contrast']})", AXE_LOOKS_AT)
        assert len(found["passes"][0]["nodes"]) > 10
        assert complaints(found) == [], path


def complaints(found):
    return [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found["violations"]]


def test_five_thousand_students_are_searched_sorted_and_paged(large, open_page):
    page = open_page(large)
    assert page.locator(ROWS).count() == ON_A_PAGE
    searched(page, "student4321", 1, MANY)
    assert column(page, 1) == ["student4321"]
    searched(page, "", MANY, MANY)
    sorted_by(page, "#student-table", "Score", "ascending", click)
    points = [int(text) for text in column(page, 2)]
    assert points == sorted(points)
    page.get_by_role("link", name="Last", exact=True).click()
    expect(page.locator(".dt-info")).to_have_text("4,951 to 5,000 of 5,000 students")
    assert max(points) < int(column(page, 2)[-1])
