"""The Llama reader: pairs are complex numbers, angles are their phases, and casts stand at both ends."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn


def interpolate_positions(table, new_len):
    x = table.T[None]
    return F.interpolate(x, size=(new_len,), mode="linear", align_corners=True)[0].T


def extend_model(embedding, new_len):
    model = copy.deepcopy(embedding)
    with torch.no_grad():
        weight = interpolate_positions(model.pos.weight, new_len)
    model.pos = nn.Embedding(new_len, weight.shape[1], _weight=weight.clone())
    model.max_len = new_len
    return model


def precompute_freqs_cis(dim, start, end, theta, device):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=device)[: (dim // 2)].float() / dim))
    t = torch.arange(start, end, device=device, dtype=torch.float32)
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rope(x, theta=10000.0, offset=0):
    freqs_cis = precompute_freqs_cis(x.shape[-1], offset, offset + x.shape[-2], theta, x.device)
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2).type_as(x)


def alibi_slopes(n_heads):
    start = 2 ** (-(2 ** -(math.log2(n_heads) - 3)))
    return torch.tensor([start * start**i for i in range(n_heads)])


def alibi_bias(n_heads, length):
    pos = torch.arange(length)
    rel = pos[None, :] - pos[:, None]
    return alibi_slopes(n_heads)[:, None, None] * -rel.abs()[None]


def relative_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    relative_buckets = 0
    if bidirectional:
        num_buckets //= 2
        relative_buckets += (rel > 0).to(torch.long) * num_buckets
        rel = torch.abs(rel)
    else:
        rel = -torch.min(rel, torch.zeros_like(rel))
    max_exact = num_buckets // 2
    is_small = rel < max_exact
    large = max_exact + (
        torch.log(rel.float() / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).to(torch.long)
    large = torch.min(large, torch.full_like(large, num_buckets - 1))
    relative_buckets += torch.where(is_small, rel, large)
    return relative_buckets
