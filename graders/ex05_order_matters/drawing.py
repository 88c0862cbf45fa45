"""The drawing of exercise 5's figure: curves with a name become a small SVG, whose description holds the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 76, 560, 58, 336
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
CHANCE = 0.5
STYLE = """\
  text { font: 15px sans-serif; fill: #222; }
  .title { font-size: 18px; font-weight: bold; }
  .paper { fill: #fff; stroke: #bbb; }
  .axis { stroke: #444; fill: none; }
  .grid { stroke: #ccc; }
  .chance { stroke: #777; stroke-width: 1.5; }
  .line { fill: none; stroke-width: 3; }
  .band { stroke: none; opacity: 0.22; }
  .first { stroke: #1b5e9e; fill: #1b5e9e; }
  .second { stroke: #a8480c; fill: #a8480c; }
  polyline.first, polyline.second { fill: none; }
  text.first, text.second { stroke: none; font-weight: bold; }
  @media (prefers-color-scheme: dark) {
    text { fill: #eee; }
    .paper { fill: #1c1f24; stroke: #555; }
    .axis { stroke: #ccc; }
    .grid { stroke: #3a3f47; }
    .chance { stroke: #999; }
    .first { stroke: #7cb8f2; fill: #7cb8f2; }
    .second { stroke: #f0a05a; fill: #f0a05a; }
  }
"""


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of the figure: a value after each number of steps, with the smallest and largest that were seen."""

    name: str
    steps: tuple[int, ...]
    median: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """What the figure says beside its curves."""

    title: str
    across: str
    up: str
    note: str
    source: str


@dataclass(frozen=True, slots=True)
class Look:
    """How a curve is told from the other, without colour too: by its dashes and its marks."""

    css: str
    dashes: str
    mark: str


LOOKS = (Look("first", "none", "circle"), Look("second", "9 6", "square"))


def draw(first: Curve, second: Curve, words: Words) -> str:
    """Return the SVG of two curves over the same steps."""
    last = max(*first.steps, *second.steps)
    curves = list(zip((first, second), LOOKS, strict=True))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-labelledby="title desc">',
        f'<title id="title">{escape(words.title)}</title>',
        f'<desc id="desc">{escape(describe((first, second), words))}</desc>',
        f"<style>\n{STYLE}</style>",
        f'<rect class="paper" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="8"/>',
        f'<text class="title" x="{LEFT}" y="34">{escape(words.title)}</text>',
        *_axes(last, words),
        *(_band(curve, look, last) for curve, look in curves),
        *(line for curve, look in curves for line in _line(curve, look, last)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def describe(curves: Sequence[Curve], words: Words) -> str:
    """Return every number that is drawn, in words that can be read aloud and read back."""
    told = [f"{words.source} Chance is {CHANCE}."]
    for curve in curves:
        points = zip(curve.steps, curve.median, curve.low, curve.high, strict=True)
        values = ", ".join(f"{step}: {middle:.3f} ({low:.3f} to {high:.3f})" for step, middle, low, high in points)
        told.append(f"{curve.name}, by step: {values}.")
    return " ".join(told)


def place(step: float, value: float, last: int) -> tuple[str, str]:
    """Return where a value after so many steps stands on the page."""
    return f"{LEFT + (RIGHT - LEFT) * step / last:.1f}", f"{BOTTOM - (BOTTOM - TOP) * value:.1f}"


def _axes(last: int, words: Words) -> list[str]:
    parts = []
    for value in TICKS:
        _, y = place(0, value, last)
        css = "chance" if value == CHANCE else "grid"
        parts.append(f'<line class="{css}" x1="{LEFT}" y1="{y}" x2="{RIGHT}" y2="{y}"/>')
        parts.append(f'<text x="{LEFT - 10}" y="{float(y) + 5:.1f}" text-anchor="end">{value:.2f}</text>')
    for step in range(0, last + 1, max(last // 5, 1)):
        x, _ = place(step, 0, last)
        parts.append(f'<line class="axis" x1="{x}" y1="{BOTTOM}" x2="{x}" y2="{BOTTOM + 5}"/>')
        parts.append(f'<text x="{x}" y="{BOTTOM + 22}" text-anchor="middle">{step}</text>')
    middle = (TOP + BOTTOM) / 2
    _, y = place(0, CHANCE, last)
    return [
        *parts,
        f'<polyline class="axis" points="{LEFT},{TOP} {LEFT},{BOTTOM} {RIGHT},{BOTTOM}"/>',
        f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{HEIGHT - 16}" text-anchor="middle">{escape(words.across)}</text>',
        f'<text transform="translate(22 {middle:.0f}) rotate(-90)" text-anchor="middle">{escape(words.up)}</text>',
        f'<text x="{LEFT + 8}" y="{float(y) + 22:.1f}">chance: {CHANCE}</text>',
        f'<text x="{RIGHT - 8}" y="{BOTTOM - 14}" text-anchor="end">{escape(words.note)}</text>',
    ]


def _band(curve: Curve, look: Look, last: int) -> str:
    there = [place(step, value, last) for step, value in zip(curve.steps, curve.high, strict=True)]
    back = [place(step, value, last) for step, value in zip(curve.steps, curve.low, strict=True)]
    points = " ".join(f"{x},{y}" for x, y in [*there, *back[::-1]])
    return f'<polygon class="band {look.css}" points="{points}"/>'


def _line(curve: Curve, look: Look, last: int) -> list[str]:
    places = [place(step, value, last) for step, value in zip(curve.steps, curve.median, strict=True)]
    points = " ".join(f"{x},{y}" for x, y in places)
    x, y = places[-1]
    return [
        f'<polyline class="line {look.css}" stroke-dasharray="{look.dashes}" points="{points}"/>',
        *(_mark(look, float(x), float(y)) for x, y in places[::4]),
        f'<text class="{look.css}" x="{float(x) + 12:.1f}" y="{float(y) + 5:.1f}">{escape(curve.name)}</text>',
    ]


def _mark(look: Look, x: float, y: float) -> str:
    if look.mark == "circle":
        return f'<circle class="{look.css}" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
    return f'<rect class="{look.css}" x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9"/>'
