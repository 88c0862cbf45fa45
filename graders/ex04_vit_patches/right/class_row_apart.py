"""The splitter: class token and patches have a position table each, and meet only when both are finished."""

import torch
from torch import nn


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0):
        super().__init__()
        if isinstance(image_size, int):
            image_size = [image_size, image_size]
        self.rows = image_size[0] // patch_size
        self.cols = image_size[1] // patch_size
        self.size = list(image_size)
        self.proj = nn.Conv2d(in_channels, d_model, patch_size, patch_size)
        self.class_token = nn.Parameter(torch.randn(d_model))
        self.class_position = nn.Parameter(torch.randn(d_model))
        # one vector for each cell of the grid, in the layout of the convolution's output
        self.grid_position = nn.Parameter(torch.randn(d_model, self.rows, self.cols))
        self.drop = nn.Dropout(dropout)

    def forward(self, images):
        if list(images.shape[2:]) != self.size:
            raise ValueError("image size is " + str(list(images.shape[2:])) + ", should be " + str(self.size))
        grid = self.proj(images) + self.grid_position
        patches = torch.permute(torch.flatten(grid, start_dim=2), (0, 2, 1))
        first = (self.class_token + self.class_position)[None, None, :]
        first = first.repeat(images.shape[0], 1, 1)
        return self.drop(torch.cat([first, patches], 1))
