"""The numpy user: tables of constants come from numpy, gradients stay with torch."""

import copy

import numpy as np
import torch


def interpolate_positions(table, new_len):
    old = len(table)
    where = np.linspace(0, old - 1, new_len)
    lo = np.minimum(np.floor(where).astype(np.int64), old - 2)
    w = torch.from_numpy((where - lo)[:, None]).to(table)
    lo = torch.from_numpy(lo).to(table.device)
    return torch.lerp(table[lo], table[lo + 1], w.expand(-1, table.shape[1]))


def extend_model(embedding, new_len):
    new = copy.deepcopy(embedding)
    new.pos.weight = torch.nn.Parameter(interpolate_positions(embedding.pos.weight.detach(), new_len).clone())
    new.pos.num_embeddings = new_len
    new.max_len = new_len
    return new


def apply_rope(x, theta=10000.0, offset=0):
    length, d = x.shape[-2], x.shape[-1]
    freq = 1 / np.power(theta, np.arange(0, d, 2) / d)
    angle = np.outer(np.arange(offset, offset + length), freq)
    c = torch.from_numpy(np.cos(angle)).to(x.device)
    s = torch.from_numpy(np.sin(angle)).to(x.device)
    out = torch.empty(x.shape, dtype=torch.float64, device=x.device)
    out[..., ::2] = x[..., ::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., ::2] * s + x[..., 1::2] * c
    return out.to(x.dtype)


def alibi_slopes(n_heads):
    return torch.from_numpy(np.power(2.0, -8.0 * np.arange(1, n_heads + 1) / n_heads).astype(np.float32))


def alibi_bias(n_heads, length):
    i, j = np.indices((length, length))
    return torch.as_tensor(-alibi_slopes(n_heads).numpy()[:, None, None] * np.abs(i - j))


def relative_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    r = rel.cpu().numpy()
    out = np.zeros_like(r)
    n = -r
    if bidirectional:
        num_buckets //= 2
        out += (n < 0).astype(np.int64) * num_buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    exact = num_buckets // 2
    with np.errstate(divide="ignore"):
        large = exact + np.log(np.maximum(n, 1) / exact) / np.log(max_distance / exact) * (num_buckets - exact)
    large = np.minimum(large, num_buckets - 1).astype(np.int64)
    out += np.where(n < exact, n, large)
    return torch.from_numpy(np.asarray(out)).to(rel.device)
