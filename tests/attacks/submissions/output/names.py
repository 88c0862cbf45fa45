"""Names of classes and functions, which stand in messages, that steer and lie like any other text.

Earns: constructor.
"""

from torch import nn

NAME = "\x1b[2J::error::8/8\u202e" + "x" * 10_000
Bad = type(NAME, (Exception,), {})


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        exec(compile("def f(): raise Bad(NAME)", "exercises/ex01_lookup.py", "exec"), globals())
        f.__code__ = f.__code__.replace(co_name=NAME)
        f()
