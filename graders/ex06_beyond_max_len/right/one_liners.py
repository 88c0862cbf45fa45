"""The golfer: each function is a return, and broadcasting does the rest."""

import copy
import math

import torch
from torch import nn
from torch.nn import functional as F

interpolate_positions = lambda table, new_len: F.interpolate(
    table.mT.unsqueeze(0), size=new_len, mode="linear", align_corners=True
).squeeze(0).mT


def extend_model(embedding, new_len):
    e = copy.deepcopy(embedding)
    e.max_len, e.pos = new_len, nn.Embedding.from_pretrained(
        interpolate_positions(e.pos.weight, new_len).detach().clone(), freeze=False
    )
    return e


def apply_rope(x, theta=10000.0, offset=0):
    phase = torch.exp(
        1j
        * (torch.arange(x.shape[-2]).double() + offset)[:, None]
        * theta ** -(torch.arange(0, x.shape[-1], 2).double() / x.shape[-1])
    ).to(x.device)
    return torch.view_as_real(torch.complex(x[..., ::2].double(), x[..., 1::2].double()) * phase).flatten(-2).to(x.dtype)


def alibi_slopes(n_heads):
    return 0.5 ** (8 / n_heads * torch.arange(1, n_heads + 1))


def alibi_bias(n_heads, length):
    return -torch.outer(alibi_slopes(n_heads), (torch.arange(length)[:, None] - torch.arange(length)).abs().flatten().float()).view(n_heads, length, length)


def relative_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    s = num_buckets // (1 + bidirectional)
    n = rel.abs() if bidirectional else -rel * (rel < 0)
    e = s // 2
    return s * (bidirectional & (rel > 0)) + torch.where(
        n < e, n, (e + (s - e) * (n.clamp(1) / e).log() / math.log(max_distance / e)).clamp(0, s - 1).long()
    )
