"""Exercise 6 (bonus): beyond max_len, and without a table at all.

A learned table ends at ``max_len``. The first two functions stretch one; the others give a model order without any
table: RoPE turns queries and keys, ALiBi and T5 say how far apart two places are. Each function has checks of its
own, so do them in any order.

Pinned: names, arguments and defaults below, and the formulas in the docstrings. Results have the shape and dtype that
the docstrings name, and lie where the argument lies, on a GPU as well; no function writes into what it is given, and
no call changes what a later one answers.
Free: loops or whole tensors, complex or real numbers, helpers, the last few digits.
Not graded: tables of one row, old or new, odd widths, and head counts that are no power of two; in T5's rule also
distances on the border of two far buckets, where rounding decides.

Check your work with ``make grade``, or this file alone with
``make grade ARGS="-e ex06_beyond_max_len"``.
"""

import copy
import math

import torch
from torch import nn
from torch.nn import functional as F


def interpolate_positions(table: torch.Tensor, new_len: int) -> torch.Tensor:
    """A table of ``new_len`` rows, read off straight lines between the rows of ``table``.

    The ends are aligned: first row stays first row, last row stays last row, and what lies between is spread evenly.
    So row j stands at place ``j * (max_len - 1) / (new_len - 1)`` of the old table, and is the mean of the two old
    rows around that place, weighted by nearness. With ``new_len == max_len`` every row keeps its values.

    Shapes: ``table`` is ``(max_len, d_model)``, the result ``(new_len, d_model)``, in the dtype of ``table``;
    ``new_len`` may be larger or smaller than ``max_len``. Gradients flow back to ``table``.
    """
    # TODO 1 (about 3 lines): stretch the table along its places, either with torch's own interpolation (mind its
    # ``align_corners``) or with two neighbouring rows and a weight for each new row.
    raise NotImplementedError("TODO 1: interpolate between the rows of the table")


def extend_model(embedding: nn.Module, new_len: int) -> nn.Module:
    """A copy of ``embedding`` that takes sequences of up to ``new_len`` places.

    ``embedding`` is like the module of exercise 2: it has ``tok`` and ``pos``, both ``nn.Embedding``, ``drop``,
    an ``nn.Dropout``, and the number ``max_len``, with which its ``forward`` compares every length. Its class takes
    ``(vocab_size, d_model, max_len, dropout)``; the checks bring such a class along, under a name of their own.

    The copy is an object of the same class. Its ``pos`` is an ``nn.Embedding`` with the interpolated table, and
    learns; its ``max_len`` is ``new_len``, which is ``embedding.max_len`` or more. It has the same token rows, dropout
    rate and mode (training or evaluation). Nothing is shared: ``embedding`` stays as it is, and training one of
    the two never changes the other.
    """
    # TODO 2 (about 4 lines): copy the module (copy.deepcopy, or its class called anew), then give the copy a longer
    # table and a larger max_len. Look up what ``freeze`` means where a layer is made from a finished table.
    raise NotImplementedError("TODO 2: copy the module and give it a longer table")


def apply_rope(x: torch.Tensor, theta: float = 10000.0, offset: int = 0) -> torch.Tensor:
    """Rotary positions: every pair of neighbouring numbers is turned by an angle that grows with its place.

    Pair i is made of columns 2i and 2i + 1. At place p, counted from 0, it is turned by
    ``angle = (offset + p) * theta ** (-2 * i / d)``, counterclockwise: ``(a, b)`` becomes
    ``(a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle))``. ``offset`` is for the next piece of a longer
    sequence: its first row stands at place ``offset``.

    Shapes: ``x`` is ``(..., seq, d)`` with any axes in front, such as ``(batch, heads, seq, d)``; d is even. The
    result has shape and dtype of ``x``; angles are computed in float32 or better, whatever that dtype is.
    Source: "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021), section 3.2.
    """
    places = offset + torch.arange(x.shape[-2], device=x.device, dtype=torch.float32)
    # TODO 3 (about 6 lines): find the angle of every place and pair, turn the pairs, and put their two numbers back
    # side by side. An angle in bfloat16 can be off by a whole turn: convert the finished result, not the angles.
    raise NotImplementedError("TODO 3: turn every pair by the angle of its place")


def alibi_slopes(n_heads: int) -> torch.Tensor:
    """The slope of each head: a geometric series that begins with its own ratio, ``2 ** (-8 / n_heads)``.

    Head h, counted from 1, has the slope ``2 ** (-8 * h / n_heads)``: eight heads have 1/2, 1/4, ... 1/256.

    Shapes: ``(n_heads,)``, floating point; ``n_heads`` is a power of two.
    Source: "Train Short, Test Long: Attention with Linear Biases" (ALiBi, 2021), section 3.
    """
    # TODO 4 (about 2 lines): number the heads from 1 and raise 2 to the powers above.
    raise NotImplementedError("TODO 4: compute one slope for each head")


def alibi_bias(n_heads: int, length: int) -> torch.Tensor:
    """What ALiBi adds to the scores of attention: ``-slope * |i - j|`` for query i and key j.

    It is the symmetric form: a key after the query counts like one before it, and nothing is masked.

    Shapes: ``(n_heads, length, length)``, with one slope for each head, see ``alibi_slopes``.
    """
    # TODO 5 (about 3 lines): make the (length, length) table of distances and weigh it with every head's slope.
    raise NotImplementedError("TODO 5: weigh the distances with the slopes")


def relative_bucket(
    rel: torch.Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> torch.Tensor:
    """T5's rule: which of ``num_buckets`` learned biases belongs to the distance ``rel = key - query``.

    Bidirectional: keys after the query (``rel > 0``) use the upper half of the buckets, all others the lower half;
    inside a half of ``size = num_buckets // 2`` buckets the distance is ``n = |rel|``. Otherwise there is one range of
    ``size = num_buckets``, where n is ``-rel`` for keys before the query and 0 for all after it.
    With ``exact = size // 2``, a distance ``n < exact`` has bucket n. A larger one has bucket
    ``exact + floor(growth * (size - exact))``, where ``growth = log(n / exact) / log(max_distance / exact)``, but
    never one above ``size - 1``.

    Shapes: ``rel`` is int64 of any shape, the result is int64 of that shape. ``max_distance`` is larger than ``exact``.
    Source: "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer" (T5, 2019), section 2.1.
    """
    # TODO 6 (about 8 lines): find range and distance for either kind, then the bucket of near and of far distances,
    # and take the one that fits with torch.where. The logarithm of 0 is no number that an index can be made of.
    raise NotImplementedError("TODO 6: sort the distances into buckets")
