"""How each one writes: the same solution in another hand, so that only those who copied have files that are alike."""

import random
import re

NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "ex01_sinusoidal": {
        "length": ("n", "seq", "steps"),
        "position": ("places", "p", "pos"),
        "exponent": ("power", "e", "ratio"),
        "frequency": ("freq", "omega", "speed"),
        "angle": ("phase", "theta", "arg"),
        "table": ("rows", "waves", "enc"),
    },
    "ex02_token_pos": {
        "length": ("n", "seq_len", "L"),
        "positions": ("places", "idx", "pos_ids"),
        "token_rows": ("t", "words", "tok_emb"),
        "position_rows": ("p", "where", "pos_emb"),
        "total": ("out", "h", "summed"),
    },
    "ex03_bert_segments": {
        "length": ("n", "seq_len", "L"),
        "token_rows": ("t", "words", "tok_emb"),
        "position_rows": ("p", "where", "pos_emb"),
        "segment_rows": ("s", "which", "seg_emb"),
        "total": ("out", "h", "summed"),
        "normalised": ("x", "y", "normed"),
    },
    "ex04_vit_patches": {
        "size": ("shape", "hw", "found"),
        "class_tokens": ("cls", "first", "heads"),
        "tokens": ("x", "seq", "all_tokens"),
        "grid": ("conv", "maps", "g"),
    },
    "ex05_order_matters": {
        "noise": ("r", "keys", "draw"),
        "runs": ("rising", "up", "strings"),
        "permutation": ("p", "shuffled", "new"),
        "places": ("where", "identity", "ids_"),
        "difference": ("diff", "d", "delta"),
    },
    "ex06_beyond_max_len": {
        "columns": ("cols", "c", "channels_first"),
        "stretched": ("resized", "out", "s"),
        "speeds": ("freqs", "omega", "rates"),
        "turned": ("rotated", "r", "pairs"),
        "distances": ("dist", "gaps", "delta"),
        "growth": ("g", "grown", "log_ratio"),
    },
}
"""Names inside functions, which are nobody's business, and others that students might like better."""

DOCSTRING = re.compile(r'""".*?"""', re.DOTALL)
INNER_DOCSTRING = re.compile(r'\n[ ]{4,}""".*?"""(?=\n)', re.DOTALL)
OPENING = (
    "my solution, {}",
    "{}, second try",
    "handed in by {}",
    "{} (group of two, own work)",
    "homework of {}",
)


def in_own_hand(code: str, slug: str, login: str, chance: random.Random) -> str:
    """Return the code with names, docstrings and a first line of this student's."""
    renamed = {old: chance.choice(new) for old, new in NAMES[slug].items() if chance.random() < 0.7}
    taken = set(re.findall(r"\w+", DOCSTRING.sub("", code)))
    for old, new in renamed.items():
        if new not in taken:
            code = _renamed(code, old, new)
            taken.add(new)
    if chance.random() < 0.5:
        code = INNER_DOCSTRING.sub("", code)
    return under_own_line(code, login, chance)


def under_own_line(code: str, login: str, chance: random.Random) -> str:
    """Return the code with what stands above it replaced by the student's own words."""
    opening = chance.choice(OPENING).format(login)
    return f'"""{opening}."""\n\n' + DOCSTRING.sub("", code, count=1).lstrip()


def _renamed(code: str, old: str, new: str) -> str:
    """Return the code with a local name replaced: no attribute, no text, no docstring, no key of a call."""
    name = re.compile(rf"(?<![\w.\"']){old}(?![\w\"'])(?!=[^=])")
    parts, end = [], 0
    for docstring in DOCSTRING.finditer(code):
        parts += [name.sub(new, code[end : docstring.start()]), docstring.group()]
        end = docstring.end()
    return "".join([*parts, name.sub(new, code[end:])])
