"""The signal processor: the next place's cosine follows from the last one, by the sum of two angles."""

import copy

import torch
from torch import nn


def interpolate_positions(table: torch.Tensor, new_len: int) -> torch.Tensor:
    old = table.shape[0]
    # whole and remainder of j * (old - 1) / (new_len - 1), without a float
    j = torch.arange(new_len, device=table.device) * (old - 1)
    whole = torch.div(j, new_len - 1, rounding_mode="floor")
    rest = (j % (new_len - 1)).to(table.dtype)[:, None] / (new_len - 1)
    nxt = torch.minimum(whole + 1, torch.tensor(old - 1, device=table.device))
    return table[whole] + rest * (table[nxt] - table[whole])


def extend_model(embedding: nn.Module, new_len: int) -> nn.Module:
    clone = copy.deepcopy(embedding)
    clone.pos.weight = nn.Parameter(interpolate_positions(clone.pos.weight.data, new_len))
    clone.pos.num_embeddings = new_len
    clone.max_len = new_len
    return clone


def apply_rope(x: torch.Tensor, theta: float = 10000.0, offset: int = 0) -> torch.Tensor:
    seq, d = x.shape[-2:]
    k = torch.arange(d // 2, dtype=torch.float64, device=x.device)
    step = theta ** (-2 * k / d)
    cos, sin = [torch.cos(offset * step)], [torch.sin(offset * step)]
    c1, s1 = torch.cos(step), torch.sin(step)
    for _ in range(seq - 1):
        c, s = cos[-1], sin[-1]
        cos.append(c * c1 - s * s1)
        sin.append(s * c1 + c * s1)
    C, S = torch.stack(cos), torch.stack(sin)
    shape = x.shape
    x2 = x.reshape(-1, seq, d // 2, 2).double()
    y = torch.empty_like(x2)
    y[..., 0] = x2[..., 0] * C - x2[..., 1] * S
    y[..., 1] = x2[..., 0] * S + x2[..., 1] * C
    return y.reshape(shape).to(x.dtype)


def alibi_slopes(n_heads: int) -> torch.Tensor:
    return torch.logspace(-8 / n_heads, -8, n_heads, base=2)


def alibi_bias(n_heads: int, length: int) -> torch.Tensor:
    i = torch.arange(length, dtype=torch.float32).view(1, -1, 1)
    j = torch.arange(length, dtype=torch.float32).view(1, 1, -1)
    m = alibi_slopes(n_heads).view(-1, 1, 1)
    return m * (torch.minimum(i, j) - torch.maximum(i, j))


def relative_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    rel = rel.clone()
    bucket = torch.zeros_like(rel)
    if bidirectional:
        num_buckets = num_buckets // 2
        bucket[rel > 0] += num_buckets
        rel.abs_()
    else:
        rel.neg_().clamp_(min=0)
    exact = num_buckets // 2
    near = rel < exact
    bucket[near] += rel[near]
    ratio = torch.log10(rel[~near].double() / exact) / torch.log10(torch.tensor(max_distance / exact).double())
    bucket[~near] += torch.clamp(exact + (ratio * (num_buckets - exact)).long(), max=num_buckets - 1)
    return bucket
