"""The optimiser: angles are kept between calls, under a key of all that they depend on."""

import copy
import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

_CACHE: dict = {}


def interpolate_positions(table, new_len):
    t = table.transpose(0, 1).unsqueeze(0)
    t = F.interpolate(t.double(), new_len, mode="linear", align_corners=True).to(table.dtype)
    return t.squeeze(0).transpose(0, 1)


def extend_model(embedding, new_len):
    memo = {id(embedding.pos): nn.Embedding(new_len, embedding.pos.embedding_dim)}
    longer = copy.deepcopy(embedding, memo)
    with torch.no_grad():
        longer.pos.weight.copy_(interpolate_positions(embedding.pos.weight, new_len))
    longer.max_len = new_len
    longer.train(embedding.training)
    return longer


def _cos_sin(n, d, theta, device):
    key = (d, float(theta), str(device))
    held = _CACHE.get(key)
    if held is None or held[0].shape[0] < n:
        rows = max(n, 2 * held[0].shape[0] if held is not None else 64)
        speeds = theta ** (-torch.arange(0, d, 2, dtype=torch.float32, device=device) / d)
        angles = torch.arange(rows, dtype=torch.float32, device=device)[:, None] * speeds
        held = _CACHE[key] = (angles.cos(), angles.sin())
    return held[0][:n], held[1][:n]


def apply_rope(x, theta=10000.0, offset=0):
    n, d = x.shape[-2:]
    cos, sin = _cos_sin(offset + n, d, theta, x.device)
    cos, sin = cos[offset:], sin[offset:]
    y = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    even, odd = y[..., ::2], y[..., 1::2]
    return torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1).view(x.shape).type(x.dtype)


@functools.lru_cache(maxsize=None)
def _slopes(n_heads):
    return tuple(2 ** (-8 * (h + 1) / n_heads) for h in range(n_heads))


def alibi_slopes(n_heads):
    return torch.tensor(_slopes(n_heads))


def alibi_bias(n_heads, length):
    line = -torch.arange(-(length - 1), length).abs()
    grid = torch.stack([line[length - 1 - i : 2 * length - 1 - i] for i in range(length)])
    return torch.tensor(_slopes(n_heads)).reshape(-1, 1, 1) * grid


@functools.lru_cache(maxsize=None)
def _table(size, max_distance):
    exact = size // 2
    limit = max(max_distance, exact) + 1
    far = [
        min(size - 1, exact + math.floor(math.log(n / exact) / math.log(max_distance / exact) * (size - exact)))
        for n in range(exact, limit + 1)
    ]
    return torch.tensor(list(range(exact)) + far)


def relative_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    if bidirectional:
        table = _table(num_buckets // 2, max_distance).to(rel.device)
        return table[rel.abs().clamp(max=len(table) - 1)] + (rel > 0) * (num_buckets // 2)
    table = _table(num_buckets, max_distance).to(rel.device)
    return table[(-rel).clamp(min=0, max=len(table) - 1)]
