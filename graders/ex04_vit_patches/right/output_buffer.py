"""The C programmer: the result is allocated first, then its rows are written; += adds the positions."""

import torch
from torch import nn


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0):
        super().__init__()
        self.height, self.width = (image_size, image_size) if isinstance(image_size, int) else image_size
        self.n = (self.height // patch_size) * (self.width // patch_size)
        self.d = d_model
        self.conv = nn.Conv2d(in_channels, d_model, patch_size, patch_size)
        self.cls = nn.Parameter(torch.empty(d_model))
        self.pos = nn.Parameter(torch.empty(self.n + 1, d_model))
        nn.init.uniform_(self.cls, -0.1, 0.1)
        nn.init.uniform_(self.pos, -0.1, 0.1)
        self.drop = nn.Dropout(dropout, inplace=True)

    def forward(self, images):
        b, _, h, w = images.size()
        assert (h, w) == (self.height, self.width), f"{h}x{w} instead of {self.height}x{self.width}"
        out = images.new_empty(b, self.n + 1, self.d)
        out[:, 0] = self.cls
        out[:, 1:] = self.conv(images).reshape(b, self.d, self.n).mT
        out += self.pos
        return self.drop(out)
