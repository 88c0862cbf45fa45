"""Exercise 6: beyond max_len: a table that is stretched, and four functions that need no table at all."""

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
    columns = table.t().unsqueeze(0)  # (1, d_model, max_len): F.interpolate works along the last axis
    stretched = F.interpolate(columns, size=new_len, mode="linear", align_corners=True)
    return stretched.squeeze(0).t().contiguous()


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
    longer = copy.deepcopy(embedding)
    rows = interpolate_positions(embedding.pos.weight.detach(), new_len)
    longer.pos = nn.Embedding.from_pretrained(rows, freeze=False)
    longer.max_len = new_len
    return longer


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
    seq, d = x.shape[-2:]
    places = offset + torch.arange(seq, device=x.device, dtype=torch.float32)
    speeds = theta ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    angles = places.unsqueeze(1) * speeds  # (seq, d / 2)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)  # (..., seq, d / 2, 2)
    return turned.flatten(-2).to(x.dtype)


def alibi_slopes(n_heads: int) -> torch.Tensor:
    """The slope of each head: a geometric series that begins with its own ratio, ``2 ** (-8 / n_heads)``.

    Head h, counted from 1, has the slope ``2 ** (-8 * h / n_heads)``: eight heads have 1/2, 1/4, ... 1/256.

    Shapes: ``(n_heads,)``, floating point; ``n_heads`` is a power of two.
    Source: "Train Short, Test Long: Attention with Linear Biases" (ALiBi, 2021), section 3.
    """
    heads = torch.arange(1, n_heads + 1, dtype=torch.float32)
    return 2.0 ** (-8 * heads / n_heads)


def alibi_bias(n_heads: int, length: int) -> torch.Tensor:
    """What ALiBi adds to the scores of attention: ``-slope * |i - j|`` for query i and key j.

    It is the symmetric form: a key after the query counts like one before it, and nothing is masked.

    Shapes: ``(n_heads, length, length)``, with one slope for each head, see ``alibi_slopes``.
    """
    places = torch.arange(length)
    distances = (places.unsqueeze(1) - places).abs()
    return -alibi_slopes(n_heads).view(n_heads, 1, 1) * distances


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
    first = torch.zeros_like(rel)
    size, distance = num_buckets, (-rel).clamp(min=0)
    if bidirectional:
        size, distance = num_buckets // 2, rel.abs()
        first = (rel > 0).long() * size
    exact = size // 2
    growth = torch.log(distance.clamp(min=1) / exact) / math.log(max_distance / exact)
    far = (exact + (growth * (size - exact)).long()).clamp(max=size - 1)
    return first + torch.where(distance < exact, distance, far)
