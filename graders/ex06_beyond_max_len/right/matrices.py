"""The mathematician: everything is a matrix, tents for the table and 2 x 2 rotations for the pairs."""

from copy import deepcopy

import torch
from torch import nn


def _tents(old, new, like):
    x = torch.linspace(0, old - 1, new, dtype=torch.float64, device=like.device)
    k = torch.arange(old, dtype=torch.float64, device=like.device)
    return torch.relu(1 - (x[:, None] - k[None, :]).abs()).to(like.dtype)


def interpolate_positions(table: torch.Tensor, new_len: int) -> torch.Tensor:
    return _tents(table.size(0), new_len, table) @ table


def extend_model(embedding: nn.Module, new_len: int) -> nn.Module:
    out = deepcopy(embedding)
    out.pos = nn.Embedding.from_pretrained(interpolate_positions(out.pos.weight, new_len).detach(), freeze=False)
    out.max_len = new_len
    return out.train(embedding.training)


def apply_rope(x: torch.Tensor, theta: float = 10000.0, offset: int = 0) -> torch.Tensor:
    n, d = x.size(-2), x.size(-1)
    p = torch.arange(offset, offset + n, dtype=torch.float64, device=x.device)
    i = torch.arange(d // 2, dtype=torch.float64, device=x.device)
    phi = p[:, None] * theta ** (-2 * i / d)[None, :]
    row1 = torch.stack([phi.cos(), -phi.sin()], -1)
    row2 = torch.stack([phi.sin(), phi.cos()], -1)
    R = torch.stack([row1, row2], -2)  # n, d/2, 2, 2
    v = x.double().unflatten(-1, (d // 2, 2))
    return torch.einsum("nkij,...nkj->...nki", R, v).reshape(x.shape).to(x.dtype)


def alibi_slopes(n_heads: int) -> torch.Tensor:
    ratio = torch.tensor(2.0, dtype=torch.float64) ** (-8 / n_heads)
    return ratio.repeat(n_heads).cumprod(0)


def alibi_bias(n_heads: int, length: int) -> torch.Tensor:
    n = torch.arange(length, dtype=torch.float64)[:, None]
    D = torch.cdist(n, n, p=1)
    return torch.einsum("h,ij->hij", -alibi_slopes(n_heads), D)


def relative_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    half = num_buckets // 2 if bidirectional else num_buckets
    n = rel.abs() if bidirectional else torch.relu(-rel)
    e = half // 2
    ratio = torch.log2(n.clamp(min=e).double() / e) / torch.log2(torch.tensor(max_distance / e, dtype=torch.float64))
    far = torch.clamp(e + torch.floor(ratio * (half - e)), max=half - 1).to(torch.int64)
    bucket = torch.where(n < e, n, far)
    return bucket + half * (rel > 0) if bidirectional else bucket
