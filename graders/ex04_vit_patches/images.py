"""Modules and images for the checks of exercise 4: their sizes, how they are made, and how they are asked."""

import math
from dataclasses import dataclass

import torch

from graders.engine.judge.vocabulary import Draw, Module, Student, expect, expect_tensor

SAME = 1e-3
"""Far above the rounding of float32 and far below what any change of these random inputs makes."""

MOST_PARAMETERS = 1_000_000


@dataclass(frozen=True)
class Sizes:
    """Sizes of one check: the grid of patches, the side of a patch, channels and width of the vectors."""

    rows: int
    columns: int
    patch: int
    channels: int
    d_model: int


def draw_sizes(rng: Draw) -> Sizes:
    """Return sizes of an oblong image, from ranges that do not overlap: no two axes are alike."""
    return Sizes(rows=3, columns=rng.between(4, 5), patch=rng.between(6, 7), channels=2, d_model=rng.between(8, 10))


def make(student: Student, sizes: Sizes, dropout: float = 0.0) -> Module:
    """Return a student's module of these sizes."""
    module: Module = student.ViTEmbeddings(**arguments_for(sizes), dropout=dropout)
    return module


def arguments_for(sizes: Sizes) -> dict[str, object]:
    """Return the arguments of the constructor, all but dropout."""
    return {
        "image_size": image_size(sizes),
        "patch_size": sizes.patch,
        "in_channels": sizes.channels,
        "d_model": sizes.d_model,
    }


def image_size(sizes: Sizes) -> tuple[int, int]:
    """Return height and width in pixels."""
    return sizes.rows * sizes.patch, sizes.columns * sizes.patch


def draw_images(rng: Draw, sizes: Sizes, batch: int) -> torch.Tensor:
    """Return random images of these sizes."""
    return rng.normal(batch, sizes.channels, *image_size(sizes))


def fill(module: Module, rng: Draw) -> dict[str, torch.Tensor]:
    """Give every parameter random values, whatever it began with, and return them by path."""
    parameters = module.inventory().parameters
    count = sum(math.prod(facts.shape) for facts in parameters.values())
    # A tensor that was expanded takes no memory where it is, and all of it where it is filled.
    expect(
        count <= MOST_PARAMETERS,
        expected=f"at most {MOST_PARAMETERS} parameters in so small a module",
        got=f"{count}",
        hint="Compare the shapes of your parameters with the sizes asked for.",
    )
    values = {path: rng.normal(*facts.shape) for path, facts in parameters.items()}
    module.assign(values)
    return values


def numbers_for(module: Module, sizes: Sizes, images: torch.Tensor) -> torch.Tensor:
    """Return the module's answer in float64, to calculate with whatever its dtype is."""
    return answer_for(module, sizes, images).to(torch.float64)


def answer_for(module: Module, sizes: Sizes, images: torch.Tensor) -> torch.Tensor:
    """Return the module's answer, which must have a token for each patch and one more."""
    batch, tokens = images.shape[0], sizes.rows * sizes.columns + 1
    return expect_tensor(
        module(images),
        (batch, tokens, sizes.d_model),
        f"the output for {batch} image{'s' * (batch != 1)} of {' x '.join(map(str, image_size(sizes)))} pixels, "
        f"patch_size={sizes.patch}",
        dtype=None,
        hint="One token of d_model numbers for each patch of each image, and one class token: (batch, N + 1, d_model).",
    )
