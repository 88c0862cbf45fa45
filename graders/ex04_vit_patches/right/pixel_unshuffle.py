"""The one who knows super-resolution: pixel_unshuffle folds each patch into channels, a 1 x 1 convolution mixes."""

import torch
from torch import Tensor, nn


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size: int | tuple[int, int] = 32, patch_size: int = 8, in_channels: int = 3,
                 d_model: int = 64, dropout: float = 0.0) -> None:
        super().__init__()
        self.expected = torch.Size((image_size, image_size) if isinstance(image_size, int) else image_size)
        self.embed = nn.Sequential(
            nn.PixelUnshuffle(patch_size),
            nn.Conv2d(in_channels * patch_size**2, d_model, kernel_size=1),
            nn.Flatten(start_dim=2),
        )
        grid = (self.expected[0] // patch_size, self.expected[1] // patch_size)
        # (d, N + 1): the same layout as the convolution's, so that nothing is turned before the end
        self.places = nn.Parameter(torch.randn(d_model, grid[0] * grid[1] + 1))
        self.summary = nn.Parameter(torch.randn(d_model, 1))
        self.drop = nn.Dropout(dropout)

    def forward(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.expected:
            raise ValueError(f"images are {list(images.shape[2:])}, expected {list(self.expected)}")
        x = self.embed(images)
        x = torch.cat((self.summary.expand(x.shape[0], -1, 1), x), dim=2) + self.places
        return self.drop(x.transpose(1, 2))
