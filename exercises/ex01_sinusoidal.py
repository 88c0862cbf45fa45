"""Exercise 1: the fixed sinusoidal encoding.

Build a table of sines and cosines once, in the constructor, and add its rows to a batch of vectors in
``forward``.

Pinned: the names and defaults below, the formula in the docstring, a registered buffer called ``pe``, plain
addition (no scaling, no dropout, nothing to train), and a refusal of sequences longer than ``max_len``.
Free: how you compute the table, helpers, and whether the buffer is persistent.

Check your work with ``make grade``, or this file alone with
``make grade ARGS="-e ex01_sinusoidal"``.
"""

import torch
from torch import nn


class SinusoidalPositionalEncoding(nn.Module):
    """Token vectors come out with a fixed wave pattern added, a different one at every place.

    Row p of the buffer ``pe`` belongs to position p, and the first position is 0. Columns 2i and 2i + 1
    share the angle p / 10000^(2i / d_model): the even column holds its sine, the odd column its cosine.
    ``d_model`` is even.

    Shapes: ``pe`` is ``(max_len, d_model)`` or ``(1, max_len, d_model)``, float32, and needs no gradient.
    Source: "Attention Is All You Need" (2017), section 3.5.
    """

    pe: torch.Tensor

    def __init__(self, d_model: int, max_len: int = 512) -> None:
        super().__init__()
        self.max_len = max_len
        # TODO 1 (about 7 lines): make the table of the docstring, one row for each position and one column
        # for each dimension, and register it as "pe", so that it moves with the module but is not trained.
        raise NotImplementedError("TODO 1: build the table of sines and cosines and register it as pe")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Every sequence of the batch with row p of the table added at place p.

        Shapes: ``x`` is ``(batch, seq, d_model)``, and so is the result.
        Raises: AssertionError or ValueError, naming both numbers, where ``seq`` is larger than ``max_len``.
        """
        # TODO 2 (about 3 lines): refuse a sequence that is too long for the table, then add the rows that
        # it needs.
        raise NotImplementedError("TODO 2: refuse what is too long and add the table to x")
