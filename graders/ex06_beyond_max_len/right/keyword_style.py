"""The library author: type hints, validation, keyword arguments and private helpers."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

__all__ = ["alibi_bias", "alibi_slopes", "apply_rope", "extend_model", "interpolate_positions", "relative_bucket"]


def interpolate_positions(table: Tensor, new_len: int) -> Tensor:
    """Resample a table of positions."""
    if table.dim() != 2:
        raise ValueError(f"expected (max_len, d_model), got {tuple(table.shape)}")
    if new_len < 1:
        raise ValueError("new_len must be positive")
    resampled = nn.functional.interpolate(
        input=table.movedim(0, 1)[None, ...], size=[new_len], mode="linear", align_corners=True, antialias=False
    )
    return resampled[0, ...].movedim(1, 0)


def extend_model(embedding: nn.Module, new_len: int) -> nn.Module:
    """Copy a module and resample its table."""
    if new_len < embedding.max_len:
        raise ValueError("this function makes models longer, not shorter")
    cls = type(embedding)
    extended = cls(
        vocab_size=embedding.tok.num_embeddings,
        d_model=embedding.tok.embedding_dim,
        max_len=new_len,
        dropout=embedding.drop.p,
    )
    state = {key: value.clone() for key, value in embedding.state_dict().items()}
    state["pos.weight"] = interpolate_positions(state["pos.weight"], new_len)
    extended.load_state_dict(state)
    extended.train(mode=embedding.training)
    return extended


def _inverse_frequencies(width: int, theta: float, *, device: torch.device) -> Tensor:
    exponent = torch.arange(start=0, end=width, step=2, dtype=torch.float32, device=device).div(width)
    return 1.0 / torch.pow(theta, exponent)


@torch.no_grad()
def _cos_sin(x: Tensor, theta: float, offset: int) -> tuple[Tensor, Tensor]:
    position = torch.arange(x.size(-2), device=x.device).add(offset).type(torch.float32)
    angle = position.unsqueeze(-1).mul(_inverse_frequencies(x.size(-1), theta, device=x.device))
    return angle.cos(), angle.sin()


def apply_rope(x: Tensor, theta: float = 10000.0, offset: int = 0) -> Tensor:
    """Rotate neighbouring features."""
    if x.size(-1) % 2:
        raise ValueError("the width must be even")
    if not x.is_floating_point():
        raise TypeError("x must be floating point")
    cos, sin = _cos_sin(x, theta, offset)
    xshaped = x.float().reshape(*x.shape[:-1], -1, 2)
    out = torch.stack(
        [
            xshaped[..., 0] * cos - xshaped[..., 1] * sin,
            xshaped[..., 1] * cos + xshaped[..., 0] * sin,
        ],
        dim=-1,
    )
    return out.flatten(start_dim=-2).type_as(x)


def alibi_slopes(n_heads: int) -> Tensor:
    """Slopes for any number of heads, as in the paper's own code."""

    def power_of_two(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(n_heads).is_integer():
        return torch.tensor(power_of_two(n_heads))
    closest = 2 ** math.floor(math.log2(n_heads))
    return torch.tensor(power_of_two(closest) + power_of_two(2 * closest)[0::2][: n_heads - closest])


def alibi_bias(n_heads: int, length: int) -> Tensor:
    """Symmetric distances, weighed."""
    bias = torch.empty(n_heads, length, length)
    for head, slope in enumerate(alibi_slopes(n_heads).unbind()):
        for row in range(length):
            bias[head, row] = -slope * (torch.arange(length) - row).abs()
    return bias


def relative_bucket(
    rel: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """Recursion: both directions are one direction in half of the buckets."""
    if rel.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"expected whole numbers, got {rel.dtype}")
    if bidirectional:
        half = num_buckets // 2
        inside = relative_bucket(-rel.abs(), bidirectional=False, num_buckets=half, max_distance=max_distance)
        return inside + half * rel.gt(0)
    distance = rel.neg().clamp_min(0)
    exact = num_buckets // 2
    scale = (num_buckets - exact) / math.log(max_distance / exact)
    far = distance.clamp_min(exact).div(exact).log().mul(scale).add(exact).clamp_max(num_buckets - 1)
    return torch.where(distance < exact, distance, far.long())
