"""The beginner: loops, lists and math, one number at a time; torch only holds the results."""

import copy
import math

import torch
from torch import nn


def interpolate_positions(table, new_len):
    max_len = table.shape[0]
    rows = []
    for j in range(new_len):
        place = j * (max_len - 1) / (new_len - 1)
        low = int(place)
        if low == max_len - 1:
            rows.append(table[low])
        else:
            part = place - low
            rows.append(table[low] * (1 - part) + table[low + 1] * part)
    return torch.stack(rows)


def extend_model(embedding, new_len):
    new = copy.deepcopy(embedding)
    new_table = interpolate_positions(embedding.pos.weight, new_len)
    new.pos = nn.Embedding(new_len, new_table.shape[1])
    new.pos.weight.data = new_table.detach().clone()
    new.max_len = new_len
    return new


def apply_rope(x, theta=10000.0, offset=0):
    d = x.shape[-1]
    columns = []
    for i in range(d // 2):
        speed = theta ** (-2 * i / d)
        cos = torch.tensor([math.cos((offset + p) * speed) for p in range(x.shape[-2])], device=x.device)
        sin = torch.tensor([math.sin((offset + p) * speed) for p in range(x.shape[-2])], device=x.device)
        a = x[..., 2 * i]
        b = x[..., 2 * i + 1]
        columns.append(a * cos - b * sin)
        columns.append(a * sin + b * cos)
    return torch.stack(columns, dim=-1).to(x.dtype)


def alibi_slopes(n_heads):
    slopes = []
    for h in range(1, n_heads + 1):
        slopes.append(2 ** (-8 * h / n_heads))
    return torch.tensor(slopes)


def alibi_bias(n_heads, length):
    bias = torch.zeros(n_heads, length, length)
    slopes = alibi_slopes(n_heads)
    for h in range(n_heads):
        for i in range(length):
            for j in range(length):
                bias[h, i, j] = -slopes[h] * abs(i - j)
    return bias


def one_bucket(rel, bidirectional, num_buckets, max_distance):
    first = 0
    if bidirectional:
        num_buckets = num_buckets // 2
        if rel > 0:
            first = num_buckets
        n = abs(rel)
    else:
        n = max(-rel, 0)
    exact = num_buckets // 2
    if n < exact:
        return first + n
    far = exact + int(math.log(n / exact) / math.log(max_distance / exact) * (num_buckets - exact))
    return first + min(far, num_buckets - 1)


def relative_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    flat = [one_bucket(r, bidirectional, num_buckets, max_distance) for r in rel.flatten().tolist()]
    return torch.tensor(flat, dtype=torch.int64, device=rel.device).reshape(rel.shape)
