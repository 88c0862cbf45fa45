"""The GPT-J reader: x * cos + rotated x * sin, with cosines repeated for both columns and cast to x."""

import math

import torch
from torch import nn
from torch.nn.functional import interpolate


def interpolate_positions(table: torch.Tensor, new_len: int) -> torch.Tensor:
    if new_len == table.shape[0]:
        return table
    # bilinear on an image of one column for each feature
    image = table[None, None]
    return interpolate(image, size=(new_len, table.shape[1]), mode="bilinear", align_corners=True)[0, 0]


def extend_model(embedding: nn.Module, new_len: int) -> nn.Module:
    bigger = type(embedding)(
        embedding.tok.num_embeddings, embedding.tok.embedding_dim, new_len, embedding.drop.p
    )
    with torch.no_grad():
        bigger.tok.weight.copy_(embedding.tok.weight)
        bigger.pos.weight.copy_(interpolate_positions(embedding.pos.weight, new_len))
    return bigger.train(embedding.training)


def rotate_every_two(x):
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def apply_rope(x: torch.Tensor, theta: float = 10000.0, offset: int = 0) -> torch.Tensor:
    dim = x.shape[-1]
    inv_freq = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(theta) / dim)).to(x.device)
    sinusoid = torch.einsum("i,j->ij", torch.arange(offset, offset + x.shape[-2]).float().to(x.device), inv_freq)
    sin, cos = sinusoid.sin().repeat_interleave(2, dim=-1), sinusoid.cos().repeat_interleave(2, dim=-1)
    return x * cos.to(x.dtype) + rotate_every_two(x) * sin.to(x.dtype)


def alibi_slopes(n_heads: int) -> torch.Tensor:
    return torch.pow(2, -torch.linspace(8 / n_heads, 8, n_heads))


def alibi_bias(n_heads: int, length: int) -> torch.Tensor:
    context = torch.arange(length)[:, None]
    memory = torch.arange(length)[None, :]
    distance = torch.abs(memory - context).unsqueeze(0).expand(n_heads, -1, -1)
    return distance * (alibi_slopes(n_heads) * -1).unsqueeze(1).unsqueeze(1)


def relative_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    ret = torch.zeros_like(rel)
    n = -rel
    if bidirectional:
        num_buckets //= 2
        ret = ret + (n < 0).long() * num_buckets
        n = torch.abs(n)
    else:
        n = torch.max(n, torch.zeros_like(n))
    max_exact = num_buckets // 2
    val_if_large = max_exact + (
        torch.log(n.float() / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).long()
    val_if_large = val_if_large.clamp(max=num_buckets - 1)
    return ret + torch.where(n < max_exact, n, val_if_large)
