"""The figure of exercise 5: what is drawn is what its description says, and the committed one is whole."""

import re
from xml.etree import ElementTree

import pytest

from graders.engine.judge.course_files import import_file
from graders.engine.load.course import find_course
from graders.ex05_order_matters import drawing, figure

SVG = "{http://www.w3.org/2000/svg}"
COURSE = find_course(None)
COMMITTED = COURSE.exercises / "order_matters.svg"
WORDS = drawing.Words("A < B & C", "steps", "share", "the band is wide", "Made up.")
UP = drawing.Curve("rising", (0, 10, 20), (0.5, 0.75, 1.0), (0.4, 0.7, 0.95), (0.6, 0.8, 1.0))
FLAT = drawing.Curve("flat", (0, 10, 20), (0.5, 0.5, 0.5), (0.5, 0.45, 0.5), (0.5, 0.55, 0.5))


def made_up():
    return drawing.draw(UP, FLAT, WORDS)


def committed():
    return COMMITTED.read_text(encoding="utf-8")


@pytest.fixture(params=[made_up, committed], ids=["made up", "committed"])
def tree(request):
    return ElementTree.fromstring(request.param())


def told(tree):
    """The numbers of the description: for each curve, by step, the median, the smallest and the largest."""
    curves = {}
    for name, values in re.findall(r"([\w ]+), by step: (.*?\))\.", tree.find(f"{SVG}desc").text):
        rows = re.findall(r"(\d+): ([\d.]+) \(([\d.]+) to ([\d.]+)\)", values)
        curves[name.strip()] = {int(step): tuple(map(float, row)) for step, *row in rows}
    return curves


def drawn(tree, kind, css):
    """The values that the points of a shape stand for, by step."""
    shape = next(part for part in tree.iter(f"{SVG}{kind}") if part.get("class") == css)
    last = max(step for curve in told(tree).values() for step in curve)
    points = [tuple(map(float, point.split(","))) for point in shape.get("points").split()]
    across, up = drawing.RIGHT - drawing.LEFT, drawing.BOTTOM - drawing.TOP
    return [(round((x - drawing.LEFT) * last / across), (drawing.BOTTOM - y) / up) for x, y in points]


@pytest.mark.parametrize("place", [0, 1])
def test_the_description_agrees_with_the_points(tree, place):
    name, values = list(told(tree).items())[place]
    css = drawing.LOOKS[place].css
    line = drawn(tree, "polyline", f"line {css}")
    assert [step for step, _ in line] == list(values), name
    assert [value for _, value in line] == pytest.approx([row[0] for row in values.values()], abs=0.001)
    band = drawn(tree, "polygon", f"band {css}")
    edges = [row[2] for row in values.values()] + [row[1] for row in values.values()][::-1]
    assert [value for _, value in band] == pytest.approx(edges, abs=0.001)


def test_both_lines_are_named_and_look_different_without_colour(tree):
    texts = [text.text for text in tree.iter(f"{SVG}text")]
    assert set(told(tree)) <= set(texts)
    assert "chance: 0.5" in texts
    dashes = [line.get("stroke-dasharray") for line in tree.iter(f"{SVG}polyline") if "line" in line.get("class")]
    assert len(set(dashes)) == 2
    assert list(tree.iter(f"{SVG}circle"))
    assert any(part.get("width") == "9" for part in tree.iter(f"{SVG}rect"))


def test_a_screen_reader_finds_title_and_description(tree):
    assert tree.get("role") == "img"
    names = tree.get("aria-labelledby").split()
    assert names == [tree.find(f"{SVG}{part}").get("id") for part in ("title", "desc")]
    assert all(tree.find(f"{SVG}{part}").text.strip() for part in ("title", "desc"))


def test_nothing_leaves_the_page(tree):
    for text in tree.iter(f"{SVG}text"):
        if text.get("x"):
            assert 0 < float(text.get("x")) < drawing.WIDTH
            assert 0 < float(text.get("y")) < drawing.HEIGHT


def test_what_is_drawn_is_text_and_small():
    text = committed()
    assert len(text.encode()) < 30_000
    assert not re.search(r"<(script|image|foreignObject)|href=|url\(", text)


def test_the_same_curves_make_the_same_bytes_and_words_are_escaped():
    assert made_up() == made_up()
    assert "A &lt; B &amp; C" in made_up()


def test_the_committed_figure_shows_that_order_needs_positions():
    curves = told(ElementTree.fromstring(committed()))
    assert list(curves) == list(figure.NAMES.values())
    last = {name: values[figure.STEPS] for name, values in curves.items()}
    assert last["with positions"][1] >= 0.9
    assert last["without positions"] == (0.5, 0.5, 0.5)
    assert figure.words(figure.SEEDS).source in committed()


def test_a_short_training_gives_a_curve():
    reference = import_file(COURSE.reference(figure.SLUG))
    found = figure.curve(reference.OrderClassifier, use_positions=False, seeds=range(2), steps=10)
    assert found.steps == (0, 5, 10)
    assert found.median == found.low == found.high == (0.5, 0.5, 0.5)
    assert figure.curve(reference.OrderClassifier, use_positions=True, seeds=range(1), steps=10).median[-1] > 0.55
