"""Small words of English that turn, join or ask, and a text made plain: short forms in full, signs in words."""

import re
import unicodedata


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


AUXILIARIES = word_set(
    "am is are was were be been being do does did can could will would shall should may might must has have had need"
)
BETWEEN = word_set("also still just often itself alone then even so yet")
"""Like every word in -ly, one of these may stand between an auxiliary and its "not"."""
JOINING = word_set(
    "and but because since so therefore thus hence while whereas though although however if when unless otherwise"
    " then instead rather until whenever yet"
)
"""A clause begins with one of these."""
OPENING = word_set("if when unless without instead rather whenever because since as although though while whereas")
"""What begins with one of these ends, even without a comma, where a pronoun takes over as the subject."""
RELATIVES = word_set("that which who")
SUBJECT_OR_VERB = AUXILIARIES | word_set("never the a an it they we you this these one no nobody")
"""Followed by one of these, a relative begins a clause of its own: "positions that it never saw"."""
BEFORE_OBJECT = word_set(
    "think believe say guess suppose mean assume that than where which what how when if of to in for with by on as from"
    " like and or about between"
)
"""A pronoun after one of these begins no clause: "I do not think it is" says that it is not."""
SUBJECTS = word_set("we they it you i")
WHOLE = word_set(
    "never fail fails failed failing unable incapable impossible hardly barely scarcely nothing none nobody neither nor"
    " lack lacks lacked lacking missing absent nowhere struggle struggles struggling"
)
"""These turn their whole clause round, as does "not" after an auxiliary."""
HARD = word_set("hard harder difficult difficulty trouble")
"""So do these before "to": "hard to tell"."""
FOLLOWING = word_set("no not without absence instead rather avoid avoids avoiding")
"""These turn round what follows them."""
CONDITIONS = word_set("if when unless whenever until")
POINTING = word_set("them it that this these those which such")
"""With one of these, "without" says under which condition."""
QUESTION = word_set("why how which what where when who name do does is are can")
"""A sentence that begins so, and ends with a question mark, asks."""
SMALL = word_set(
    "a an the is are was were be been being has have had do does did can could may might must will would should not no"
    " of to in on at for with without by from as than it its they their them this that these those we you i he she"
    " there so because since and or but if when which who what how why plus minus both each every all"
)
"""A text of some length with none of these is no statement."""

_APOSTROPHES = dict.fromkeys("\u2019\u2018`\u00b4\u2032", "'")
_QUOTES = dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
_MARKS = str.maketrans(_APOSTROPHES | _QUOTES | {"_": " "})
_SPELLINGS = [
    (re.compile(pattern), text)
    for pattern, text in (
        ("[\u2013\u2014]| -+ ", " , "),
        ("\\n[^\\S\\n]*(?:[-*\u2022]|\\d+[.)])\\s+", " ; "),
        (r'"(?:not|no|never)"|(?<!\w)\'(?:not|no|never)\'(?!\w)', " quotation "),
        # What is quoted at some length is an example, and a clause of its own.
        (r'"((?:[^\s"]+\s+){2,12}[^\s"]+)"', r" , quotation \1 , "),
        (r"(?<!\w)'((?:[^\s']+\s+){2,12}[^\s']+)'(?!\w)", r" , quotation \1 , "),
        (r"\b(?:e\.g|i\.e|vs|cf|approx|etc|resp)\.", " "),
        (r"\bw/o\b", " without "),
        (r"\bw/", " with "),
        ("=>|->|\u2192|\u21d2", " , so "),
        ("!=|\u2260", " is not "),
        ("=+|\u2248|\u2261", " is "),
        (r"&", " and "),
        (r"\+", " plus "),
        (r"/", " or "),
        (r"\bcan ?not\b|\bcan't\b|\bcant\b", "can not"),
        (r"\bwon't\b|\bwont\b", "will not"),
        (r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|must|need)(?:n'?t|'nt)\b", r"\1 not"),
        (r"\b(it|that|there|what|he|she|here)'s\b", r"\1 is"),
        (r"'re\b", " are"),
        (r"'ve\b", " have"),
        (r"'(?:ll|d)\b", " would"),
        (r"'s\b|(?<=s)'(?=\s)", ""),
        (r"\bin order (?=to\b|that\b|for\b)", ""),
        (r"\b(?:not|no) (?:only|just|merely|simply|doubt)\b|\bor not\b|\bmore or less\b|\bat all\b", " "),
        (r"\bno matter\b", "regardless of"),
        (r"\bno longer\b", "is not anymore"),
        (r"\bnot necessarily\b", "not"),
        (r"\bif not\b(?=\s*[,.;])", "otherwise"),
        (r"\bnothing but\b", "only"),
        (r"\bin addition\b", "besides"),
        (r"\bas opposed to\b|\bin place of\b", "rather than"),
        (r"(?<=\w)-(?=\w)", " "),
    )
]


def plain(text: str) -> str:
    """Return the text in small letters, with short forms written out and signs in words."""
    text = unicodedata.normalize("NFKC", text).casefold().translate(_MARKS)
    for pattern, spelt in _SPELLINGS:
        text = pattern.sub(spelt, text)
    return text
