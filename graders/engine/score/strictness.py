"""How student code is shut in where others rely on it: two words, which commands can name without loading a card."""

from typing import Literal

Strictness = Literal["strict", "external"]
"""Every layer of the sandbox; or a throw-away container around each submission, for which an operator answers."""
