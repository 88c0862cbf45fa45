"""An answer that contains itself, and names without end.

Earns: constructor.
"""

from torch import nn

globals().update({f"name_{number}": number for number in range(50_000)})


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        inside = []
        inside.append({"a": inside, "b": (inside, inside)})
        return inside * 900
