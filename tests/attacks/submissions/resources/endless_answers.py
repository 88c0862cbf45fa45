"""Things that are looked at when an answer is made, each without an end.

Earns: constructor.
"""

from torch import nn


class Endless(list):
    def __iter__(self):
        while True:
            yield self

    def __len__(self):
        return 3


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        return {"a": Endless([1, 2, Endless()]), "b": iter(int, 1), "c": range(1 << 60)}
