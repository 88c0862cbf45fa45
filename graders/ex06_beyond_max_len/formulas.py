"""Exercise 6: what each function should return, in closed form and in float64, and how far off rounding may be."""

import math

import torch


def stretched(table: torch.Tensor, new_len: int) -> torch.Tensor:
    """Return the interpolated table in float64."""
    return read_off(table, torch.arange(new_len, dtype=torch.float64) * (len(table) - 1) / (new_len - 1))


def read_off(table: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Return the rows at these places, which may lie between two rows, in float64."""
    below = places.floor().long()
    share = (places - below).unsqueeze(1)
    return (1 - share) * table[below].to(torch.float64) + share * table[(below + 1).clamp(max=len(table) - 1)]


def turned(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Return x with pair i of place p turned by angles[p, i], in float64."""
    pairs = torch.view_as_complex(x.to(torch.float64).unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def angles_for(length: int, width: int, theta: float = 10000.0, offset: int = 0, factor: float = -2.0) -> torch.Tensor:
    """Return the angle of every place and pair, (length, width / 2) in float64."""
    speeds = theta ** (factor * torch.arange(width // 2, dtype=torch.float64) / width)
    return (offset + torch.arange(length, dtype=torch.float64)).unsqueeze(1) * speeds


def allowed(x: torch.Tensor, offset: int = 0) -> torch.Tensor:
    """Return what rounding may do at each place, (length, 1): an angle in float32 is off by its size times 2e-7."""
    places = offset + torch.arange(x.shape[-2], dtype=torch.float64)
    return (2e-6 + 5e-7 * places).unsqueeze(1) * float(x.abs().max()) * 2


def bucket_rule(
    rel: torch.Tensor, bidirectional: bool, num_buckets: int, max_distance: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return T5's bucket of each distance, and where it is beyond doubt: not on the border of two far buckets."""
    size = num_buckets // 2 if bidirectional else num_buckets
    distance = rel.abs() if bidirectional else (-rel).clamp(min=0)
    exact = size // 2
    steps = size - exact
    growth = torch.log(distance.clamp(min=1).to(torch.float64) / exact) / math.log(max_distance / exact) * steps
    far = exact + growth.clamp(min=0, max=steps - 0.5).floor().long()
    on_border = ((growth - growth.round()).abs() < 1e-4) & (distance >= exact) & (growth < steps - 0.5)
    first = (rel > 0).long() * (size if bidirectional else 0)
    return first + torch.where(distance < exact, distance, far), ~on_border
