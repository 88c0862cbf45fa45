"""Print errors for ever, and answer never.

Earns: constructor.
"""

import os

from torch import nn


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        while True:
            os.write(2, b"error\n" * 1000)
