"""The index juggler: gather, scatter and arange instead of arithmetic on slices."""

import copy
import math

import torch
from torch import nn


def interpolate_positions(table: torch.Tensor, new_len: int) -> torch.Tensor:
    n, d = table.shape
    q = torch.arange(new_len, device=table.device, dtype=torch.float64) * ((n - 1) / (new_len - 1))
    q = q.clamp(0, n - 1)
    lo, hi = q.floor().long(), q.ceil().long()
    w = (q - lo).to(table.dtype).unsqueeze(1)
    a = table.gather(0, lo.unsqueeze(1).expand(-1, d))
    b = table.gather(0, hi.unsqueeze(1).expand(-1, d))
    return a.mul(1 - w).add(b.mul(w))


def extend_model(embedding: nn.Module, new_len: int) -> nn.Module:
    out = copy.deepcopy(embedding)
    with torch.no_grad():
        table = interpolate_positions(out.pos.weight, new_len)
        out.pos = nn.Embedding(*table.shape).to(table)
        out.pos.weight[:] = table
    out.max_len = new_len
    return out


def apply_rope(x: torch.Tensor, theta: float = 10000.0, offset: int = 0) -> torch.Tensor:
    d = x.shape[-1]
    column = torch.arange(d, device=x.device)
    pair = torch.div(column, 2, rounding_mode="floor")
    partner = column ^ 1
    sign = (2 * (column % 2) - 1).float()
    place = torch.arange(x.shape[-2], device=x.device).add(offset).float()
    angle = place.unsqueeze(1) / theta ** (2 * pair.float() / d)
    return (x * angle.cos() + x.index_select(-1, partner) * sign * angle.sin()).to(x.dtype)


def alibi_slopes(n_heads: int) -> torch.Tensor:
    slopes = torch.full((n_heads,), 2.0)
    return slopes.pow_(-8 * torch.arange(1, n_heads + 1) / n_heads)


def alibi_bias(n_heads: int, length: int) -> torch.Tensor:
    i = torch.arange(length)
    table = torch.arange(length, dtype=torch.float32)
    return table[(i[:, None] - i).abs()].mul(-alibi_slopes(n_heads)[:, None, None])


def relative_bucket(
    rel: torch.Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> torch.Tensor:
    size = num_buckets // 2 if bidirectional else num_buckets
    exact = size // 2
    steps = size - exact
    edges = [math.ceil(exact * (max_distance / exact) ** (k / steps) - 1e-9) for k in range(1, steps)]
    boundaries = torch.tensor(list(range(1, exact + 1)) + edges, device=rel.device)
    distance = rel.abs() if bidirectional else torch.where(rel < 0, -rel, 0)
    bucket = torch.bucketize(distance, boundaries, right=True)
    return bucket + size * (rel > 0).long() if bidirectional else bucket
