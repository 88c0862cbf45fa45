"""Makes pages of templates: this module sees that nothing of others is ever markup, and that a page needs no network.

Every value is escaped (Jinja's autoescape, in every template), and before that made visible by the rules of `clean.py`
(`finalize`, for every expression): together they are what `clean.html_text` does. Names that a template gets wrong are
errors. Only style, scripts and charts are markup, and those are ours. The content security policy knows these scripts
and that style by their digests, and nothing else: should anything slip through all the same, no browser runs it.
"""

import base64
import hashlib
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from graders.engine.clean import visible
from graders.engine.report.class_page import thresholds, wording
from graders.engine.report.words import VERDICTS, count
from graders.engine.score.late import moment_in_words

HERE = Path(__file__).parent
GENERATOR = "grade report"
"""What pages of ours say in their head that they were made by."""
REMEMBERED = 20_000
"""So many texts are made visible once only: titles and hints are on every card of a class."""


class Pages:
    """Renders templates with style and scripts in them."""

    def __init__(self) -> None:
        self._environment = _environment()
        self._style = _asset("style.css")

        self._part = lru_cache(REMEMBERED)(self._rendered)

    def part(self, template: str, of: Hashable) -> Markup:
        """A part of a page, made of one value; remembered, since many students have the same to read."""
        return self._part(template, of)

    def _rendered(self, template: str, of: Hashable) -> Markup:
        return Markup(self._environment.get_template(template).render(of=of))

    def render(self, template: str, scripts: Sequence[str], values: Mapping[str, Any]) -> str:
        """The page that a template makes of these values; `scripts` are names of assets that run in it, in order."""
        code = [_asset(name) for name in scripts]
        return self._environment.get_template(template).render(
            values, style=self._style, scripts=code, policy=_policy(self._style, code)
        )


def _environment() -> Environment:
    seen = lru_cache(REMEMBERED)(visible)

    def shown(value: object) -> object:
        if not isinstance(value, str) or isinstance(value, Markup) or (value.isascii() and value.isprintable()):
            return value  # the last of which has nothing in it that does not show, and is most of what there is
        return seen(value)

    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "GENERATOR": GENERATOR,
        "count": count,
        "VERDICTS": VERDICTS,
        "moment": moment_in_words,
        "words": wording,
        "thresholds": thresholds,
    }
    return environment


@lru_cache
def _asset(name: str) -> Markup:
    return Markup((HERE / "assets" / name).read_text(encoding="utf-8"))


def _policy(style: str, scripts: Sequence[str]) -> str:
    """The content security policy of a page with this style and these scripts."""
    rules = ["default-src 'none'", f"style-src {_digest(style)}"]
    rules += [f"script-src {' '.join(map(_digest, scripts))}"] if scripts else []
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
