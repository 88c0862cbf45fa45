"""Exercise 6: which plausible mistake gives just the answer that came, in words for the student who made it."""

from collections.abc import Iterable
from typing import Any

import torch
from torch.nn import functional as F

from graders.engine.judge.vocabulary import RemoteTensor
from graders.ex06_beyond_max_len.formulas import angles_for, read_off, stretched, turned
from graders.ex06_beyond_max_len.parts import agree

DEFAULT_THETA = 10000.0
Mistake = tuple[torch.Tensor, str]


def explain(got: Any, mistakes: Iterable[Mistake], otherwise: str) -> str:
    """Return the words of the first mistake that gives just this answer, or what the right way is."""
    if isinstance(got, RemoteTensor):
        for mistaken, words in mistakes:
            if agree(got.values, mistaken):
                return words
    return otherwise


def explain_table(got: Any, table: torch.Tensor, new_len: int) -> str:
    """Say which other way to make a longer table gives this one."""
    otherwise = (
        "Row j of the result is read off the line between the two old rows around j * (max_len - 1) / (new_len - 1)."
    )
    if table.dtype == torch.float16:
        otherwise = (
            "Compute places and weights in float32 or better, whatever the table is: float16 counts to 2048 only, and "
            "knows fewer fractions the larger a number is."
        )
    table = table.to(torch.float64)
    rows = len(table)
    columns, step = table.t().unsqueeze(0), torch.arange(new_len, dtype=torch.float64)
    places = step * (rows - 1) / (new_len - 1)
    below = places.floor().long()
    share = (places - below).unsqueeze(1)
    above = (below + 1).clamp(max=rows - 1)
    halves = F.interpolate(columns, size=new_len, mode="linear", align_corners=False)[0].t()
    too_short = (step * rows / new_len).clamp(max=rows - 1)
    cubic = F.interpolate(columns.unsqueeze(2), size=(1, new_len), mode="bicubic", align_corners=True)[0, :, 0].t()
    exchanged = "The two weights are exchanged: the nearer row counts more."
    nearest = "Each new row copies one old row: mix the two neighbours, weighted by nearness."
    if isinstance(got, RemoteTensor) and got.values.shape[:1] == (new_len,) and agree(got.values[:rows], table):
        return "The new rows follow the old ones, which stay where they are: spread all rows evenly over the old table."
    return explain(
        got,
        (
            (halves, "Align the ends: F.interpolate does so with align_corners=True. By its default, rows are cells, "
             "and every new row is shifted by a part of one."),
            (read_off(table, too_short), "The step between new rows is (max_len - 1) / (new_len - 1), from first "
             "row to last: max_len / new_len ends too early."),
            (F.interpolate(columns, size=new_len, mode="nearest")[0].t(), nearest),
            (table[places.round().long()], nearest),
            (table[below], nearest),
            (share * table[below] + (1 - share) * table[above], exchanged),
            (torch.cat(((share * table[below] + (1 - share) * table[above])[:-1], table[-2:-1])), exchanged),
            (table, "This is the old table itself: it must have new_len rows."),
            ((table[below] + table[above]) / 2, "Weigh the two neighbours by nearness: the plain mean suits only the "
             "place halfway."),
            (cubic, "Interpolate linearly: a cubic curve overshoots between the rows."),
            (stretched(table.t(), new_len).t(), "This stretches the features: F.interpolate works along the last "
             "axis, so transpose before it and after it."),
            (stretched(table, new_len).t(), "Transpose the result back: places are the first axis."),
        ),
        otherwise,
    )  # fmt: skip


def explain_rotation(got: Any, x: torch.Tensor, theta: float = DEFAULT_THETA) -> str:
    """Say which other formula turns x, of any axes in front, into this answer."""
    x = x.to(torch.float64)
    angles = angles_for(*x.shape[-2:], theta)
    return explain(
        got,
        [(turned(x, mistaken), words) for mistaken, words in wrong_angles(*x.shape[-2:], theta)]
        + wrong_turns(x, angles)
        + [(turned_along(axis, x, theta), "Places run along the last axis but one, x.shape[-2].")
           for axis in range(x.dim() - 2)],
        "Columns 2i and 2i + 1 of place p are turned by p * theta ** (-2 * i / d): (a, b) becomes "
        "(a * cos - b * sin, a * sin + b * cos).",
    )  # fmt: skip


def wrong_angles(length: int, width: int, theta: float) -> list[Mistake]:
    """Return angles that come of plausible slips, (length, width / 2) each."""
    right = angles_for(length, width, theta)
    default = angles_for(length, width)
    forgotten = "The angles don't change with theta: use the argument, and keep no angles from an earlier call."
    return [
        *([(default, forgotten)] if theta != DEFAULT_THETA else []),
        (0 * right, "Nothing is turned: the answer is x itself."),
        (angles_for(length, width, theta, factor=-1), "The exponent lacks the factor two: pair i has "
         "theta ** (-2 * i / d)."),
        (angles_for(length, width, theta, factor=-4), "The exponent has the factor two twice: pair i has "
         "theta ** (-2 * i / d), and arange(0, d, 2) counts 2 * i already."),
        (angles_for(length, width, theta, factor=2), "The minus of the exponent is missing: later pairs turn slower, "
         "by theta ** (-2 * i / d)."),
        (angles_for(length, width, theta, factor=-2 * width / max(width - 2, 1)), "The exponent is divided by d "
         "itself, not by d - 2: the last pair has theta ** (-(d - 2) / d)."),
        (angles_for(length, width, 1.0), "Every pair turns by the angle of pair 0: pair i has theta ** (-2 * i / d)."),
        (right.flip(-1), "The slowest pair comes first: pair i has theta ** (-2 * i / d), with i from 0."),
        (angles_for(length, width, theta, offset=1), "Places count from 0: the first row has the angle 0 and stays as "
         "it is."),
        (angles_for(1, width, theta, offset=1).expand_as(right), "The places are not used: the angle at place p is p "
         "times that of place 1."),
        (2 * right, "Each pair is turned twice as far as asked for."),
        (-right, "This turns clockwise, by -angle: the first number is a * cos - b * sin, the second "
         "a * sin + b * cos."),
    ]  # fmt: skip


def wrong_turns(x: torch.Tensor, angles: torch.Tensor) -> list[Mistake]:
    """Return what comes of x where the angles are right and the turning is not."""
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    front, back = x.chunk(2, dim=-1)
    first, second = a * cos - b * sin, a * sin + b * cos
    halves = (front * cos - back * sin, front * sin + back * cos)
    added = "Sines and cosines are added: RoPE turns x, it adds nothing to it."
    return [
        (torch.cat(halves, dim=-1), "These pairs are columns i and i + d/2. That is another layout: pair i is made of "
         "columns 2i and 2i + 1."),
        (woven(*halves), "Pair i is made of columns 2i and 2i + 1: take x[..., 0::2] and x[..., 1::2], not the two "
         "halves."),
        (torch.cat((first, second), dim=-1), "The pairs are turned rightly and put back in another order: the two "
         "numbers of a pair stand side by side again, as with torch.stack(..., dim=-1).flatten(-2)."),
        (woven(second, first), "The two numbers of each pair are exchanged."),
        (woven(first, a * sin - b * cos), "This is a reflection: the second number of a pair becomes "
         "a * sin + b * cos."),
        (woven(a * cos + b * sin, second), "This is no rotation: the first number of a pair becomes "
         "a * cos - b * sin."),
        (woven(first, first * sin + b * cos), "The second number is made of the first one after its change: keep both "
         "old numbers until both new ones are computed."),
        (x + woven(sin, cos), added),
        (x + woven(cos, sin), added),
        (x * woven(cos, cos), "Only the cosines are used: each new number is made of both numbers of its pair."),
    ]  # fmt: skip


def woven(even: torch.Tensor, odd: torch.Tensor) -> torch.Tensor:
    """Return a tensor with these even and odd columns."""
    return torch.stack((even, odd), dim=-1).flatten(-2)


def turned_along(axis: int, x: torch.Tensor, theta: float) -> torch.Tensor:
    """Return x turned as if places ran along another axis."""
    swapped = x.transpose(axis, -2)
    return turned(swapped, angles_for(*swapped.shape[-2:], theta)).transpose(axis, -2)
