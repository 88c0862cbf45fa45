"""The charts of the page: this module draws them to SVG when the page is made, so that a reader's browser only shows.

They are specified in Vega-Lite and drawn by vl-convert, which brings all it needs. Colours are variables of the page's
style sheet, so that a chart follows the reader's light or dark mode; texts take the page's font. What a chart shows
stands beside it as a table too, and the picture itself is one image with a description.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

import vl_convert
from markupsafe import Markup

from graders.engine.clean import one_line

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
VERSION = "6.4"
WIDTH, HEIGHT, ROW = 400, 150, 24
LONGEST_LABEL = 24
INK, RULE, PAPER, BAR = "currentColor", "var(--rule)", "var(--paper)", "var(--bar)"
STATES = {"passed": "var(--passed)", "failed": "var(--failed)", "not reached": "var(--unreached)"}
KEPT = {
    *("d", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "cx", "cy", "r", "transform", "viewBox", "display"),
    *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "opacity"),
    *("text-anchor", "font-size", "font-weight"),
}
"""Attributes that are only looks. Vega's own roles and labels describe its scene graph, which tells a reader little."""


def histogram(bins: Sequence[tuple[int, int, int]], described: str) -> Markup:
    """A column for each bin, from and to so many per cent, with its number of students on top; its area is the number.

    A column over a wider bin is as much lower, so that none looks larger than it is.
    """
    values = [
        {"from": first, "to": last, "count": count, "height": 10 * count / (last - first)}
        for first, last, count in bins
    ]
    x = {
        "field": "from",
        "type": "quantitative",
        "bin": {"binned": True, "step": 10},
        "scale": {"domain": [0, 100]},
        "title": "score, in % of the maximum",
        "axis": {"grid": False, "values": list(range(0, 101, 10))},
    }
    y = {"field": "height", "type": "quantitative", "axis": None}
    layers = [
        {
            "mark": {"type": "bar", "color": BAR, "stroke": PAPER, "strokeWidth": 2, "binSpacing": 0},
            "encoding": {"x": x, "x2": {"field": "to"}, "y": y},
        },
        {
            "transform": [
                {"calculate": "(datum.from + datum.to) / 2", "as": "middle"},
                {"filter": "datum.count > 0"},
            ],
            "mark": {"type": "text", "dy": -8, "color": INK},
            "encoding": {
                "x": {"field": "middle", "type": "quantitative"},
                "y": y,
                "text": {"field": "count", "type": "quantitative"},
            },
        },
    ]
    return _draw({"data": {"values": values}, "layer": layers, "height": HEIGHT}, described)


def shares(rows: Sequence[tuple[str, tuple[int, int, int]]], described: str) -> Markup:
    """A bar for each row, divided by how much of it was passed, failed and not reached, in this order."""
    values = [
        {"row": place, "label": _label(name), "state": state, "rank": rank, "count": count}
        for place, (name, counts) in enumerate(rows)
        for rank, (state, count) in enumerate(zip(STATES, counts, strict=True))
    ]
    labels = [_label(name) for name, _ in rows]
    encoding = {
        # By number, since two exercises may have one title.
        "y": {
            "field": "row",
            "type": "ordinal",
            "title": None,
            "axis": {"labelExpr": f"{labels!r}[datum.value]", "labelLimit": 190, "ticks": False, "domain": False},
        },
        "x": {
            "field": "count",
            "type": "quantitative",
            "stack": "normalize",
            "title": None,
            "axis": {"format": "%", "tickCount": 4},
        },
        "order": {"field": "rank"},
        "color": {
            "field": "state",
            "type": "nominal",
            "scale": {"domain": list(STATES), "range": list(STATES.values())},
            "legend": {"title": None, "orient": "top", "symbolType": "square"},
        },
    }
    mark = {"type": "bar", "stroke": PAPER, "strokeWidth": 2}
    chart = {"data": {"values": values}, "mark": mark, "encoding": encoding, "height": {"step": ROW}}
    return _draw(chart, described)


def _label(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= LONGEST_LABEL else shown[: LONGEST_LABEL - 1] + "…"


def _draw(chart: dict[str, Any], described: str) -> Markup:
    """The chart as an element of a page. It is taken apart and written anew, so that what was text in it is escaped."""
    axis = {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": RULE,
        "domainColor": RULE,
        "tickColor": RULE,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
    }
    config = {
        "axis": axis,
        "view": {"stroke": None},
        "text": {"fontSize": 12},
        "legend": {"labelColor": INK, "labelFontSize": 12},
    }
    whole = {"$schema": SCHEMA, "background": None, "width": WIDTH, "config": config, **chart}
    root = ET.fromstring(vl_convert.vegalite_to_svg(whole, vl_version=VERSION))
    for element in root.iter():
        # In a page of HTML these elements need no namespace.
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name: value for name, value in element.attrib.items() if name in KEPT}
    root.attrib |= {"class": "chart", "role": "img", "aria-label": described}
    return Markup(ET.tostring(root, encoding="unicode"))
