"""The object-oriented one: small nn.Modules do the work, and the functions asked for call them."""

import copy
import math

import torch
from torch import nn


class Resample(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up = nn.Upsample(size=size, mode="linear", align_corners=True)

    def forward(self, table):
        return self.up(table.t().unsqueeze(0)).squeeze(0).t()


class Rotary(nn.Module):
    def __init__(self, width, theta):
        super().__init__()
        self.register_buffer("inv_freq", theta ** (-torch.arange(0, width, 2).float() / width), persistent=False)

    def forward(self, x, start):
        t = torch.arange(start, start + x.shape[-2], device=x.device).float()
        angles = (t[:, None] @ self.inv_freq.to(x.device)[None, :]).repeat_interleave(2, dim=-1)
        signs = torch.tensor([-1.0, 1.0], device=x.device, dtype=x.dtype).repeat(x.shape[-1] // 2)
        swapped = x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
        return (x * angles.cos() + signs * swapped * angles.sin()).to(x.dtype)


class Buckets(nn.Module):
    def __init__(self, size, max_distance):
        super().__init__()
        self.size, self.exact, self.max_distance = size, size // 2, max_distance

    def forward(self, n):
        steps = self.size - self.exact
        scaled = (torch.log(n.clamp(min=1).float()) - math.log(self.exact)) / math.log(self.max_distance / self.exact)
        far = torch.clamp_max((scaled * steps).floor().long() + self.exact, self.size - 1)
        return torch.where(n >= self.exact, far, n)


def interpolate_positions(table: torch.Tensor, new_len: int) -> torch.Tensor:
    return Resample(new_len)(table)


def extend_model(embedding: nn.Module, new_len: int) -> nn.Module:
    twin = copy.deepcopy(embedding)
    fresh = nn.Embedding(new_len, embedding.pos.weight.shape[1], dtype=embedding.pos.weight.dtype)
    fresh.load_state_dict({"weight": interpolate_positions(embedding.pos.weight.detach(), new_len)})
    twin.add_module("pos", fresh)
    twin.max_len = new_len
    return twin


def apply_rope(x: torch.Tensor, theta: float = 10000.0, offset: int = 0) -> torch.Tensor:
    return Rotary(x.shape[-1], theta)(x, offset)


def alibi_slopes(n_heads: int) -> torch.Tensor:
    return torch.exp2(torch.arange(1, n_heads + 1) * (-8.0 / n_heads))


def alibi_bias(n_heads: int, length: int) -> torch.Tensor:
    upper = torch.ones(length, length).triu(1).cumsum(1)
    return (upper + upper.t()).neg().expand(n_heads, -1, -1) * alibi_slopes(n_heads)[:, None, None]


def relative_bucket(
    rel: torch.Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> torch.Tensor:
    if bidirectional:
        half = num_buckets // 2
        return Buckets(half, max_distance)(rel.abs()) + (rel > 0).to(torch.int64).mul(half)
    return Buckets(num_buckets, max_distance)(torch.maximum(-rel, torch.zeros((), dtype=rel.dtype)))
