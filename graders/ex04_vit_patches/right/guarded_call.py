"""The one who builds for reuse: __call__ guards, a dataclass computes sizes, indices of patches lie in a buffer."""

import dataclasses

import torch
from torch import nn


class WrongImageSize(ValueError):
    """The image is not of the size that the table of positions was made for."""


@dataclasses.dataclass(frozen=True)
class Grid:
    height: int
    width: int
    patch: int

    @classmethod
    def of(cls, image_size, patch):
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        return cls(height, width, patch)

    def pixels_by_patch(self):
        """(N, p * p) indices into a flattened image, patch by patch."""
        index = torch.arange(self.height * self.width).view(self.height, self.width)
        return index.unfold(0, self.patch, self.patch).unfold(1, self.patch, self.patch).reshape(-1, self.patch**2)


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0, *, device=None):
        super().__init__()
        self.grid = Grid.of(image_size, patch_size)
        self.register_buffer("index", self.grid.pixels_by_patch(), persistent=False)
        self.to_model = nn.Linear(in_channels * patch_size**2, d_model, device=device)
        self.cls = nn.Parameter(torch.randn(1, 1, d_model, device=device))
        self.pos = nn.Embedding(1 + len(self.index), d_model, device=device)
        self.drop = nn.Dropout(dropout)

    def __call__(self, images, *args, **kwargs):
        found = images.shape[-2], images.shape[-1]
        if found != (self.grid.height, self.grid.width):
            raise WrongImageSize(f"{found} does not fit {self.grid}")
        return super().__call__(images, *args, **kwargs)

    def forward(self, images):
        patches = images.flatten(2)[:, :, self.index]  # (B, C, N, p * p)
        patches = self.to_model(patches.transpose(1, 2).flatten(2))
        tokens = torch.cat((self.cls.repeat(images.shape[0], 1, 1), patches), dim=1)
        return self.drop(tokens + self.pos.weight.unsqueeze(0))
