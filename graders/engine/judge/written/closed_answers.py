"""Answers to closed questions as people write them: "True.", "no, it isn't", "(b)", "option B: the softmax"."""

import re
from collections.abc import Mapping

from graders.engine.judge.written.english import plain, word_set

_TRUE, _FALSE = word_set("true t yes y correct right"), word_set("false f no n wrong incorrect untrue")
_NOT_TRUE = re.compile(r"\bnot (?:true|correct|right)\b")
_LEAD = re.compile(
    r"(?:(?:i (?:think|guess|believe|would say)|it|this|that|the|my|statement|answer|option|choice|letter|is|"
    r"correct answer|right answer)\b[ :,]*)+"
)
_LETTER = re.compile(r"[(\[]?([a-z])(?=\s*[()\].:,;]|\s*$|\s+(?:because|since|as|is|or|and)\b)(.*)", re.DOTALL)
_NEXT_LETTER = re.compile(r"(?<![\w'])([a-z])(?=\s*[)\].:,;]|\s*$|\s+(?:or|and)\b)")
_UNSAID = word_set("a an the of in is it to and or only with are was were they that this")
"""Words by which no option is told from another."""


def read_truth(text: str) -> bool | None:
    """Return the truth value that a text begins with, or None where it names none, or both."""
    said = _NOT_TRUE.sub("false", plain(text))
    first, *rest = re.findall(r"[a-z]+", _LEAD.sub("", said, count=1)) or [""]
    if first in _TRUE:
        return None if "false" in rest else True
    if first in _FALSE:
        return None if "true" in rest else False
    return None


def read_letter(text: str, options: Mapping[str, str]) -> str:
    """Return the letter of the option that a text names, in whatever way; an empty text where it does not name one."""
    said = plain(text).strip(" .!?'\"")
    in_words = {letter for letter, option in options.items() if _names(said, plain(option))}
    found = _LETTER.fullmatch(said) or _LETTER.fullmatch(_LEAD.sub("", said, count=1))
    if found and found[1] in options:
        others = set(_NEXT_LETTER.findall(found[2])) & set(options)
        return found[1] if others | in_words <= {found[1]} else ""
    return in_words.pop() if len(in_words) == 1 else ""


def _names(said: str, option: str) -> bool:
    """Whether a text holds every word of an option, or none that the option has not."""
    words, wanted = (set(re.findall(r"[a-z0-9]{2,}", each)) - _UNSAID for each in (said, option))
    return bool(words) and (words <= wanted or words >= wanted)
