"""A regular expression that takes longer than the universe is old.

Earns: constructor.
"""

import re

from torch import nn


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        re.match("(a|aa)+$", "a" * 100 + "b")
