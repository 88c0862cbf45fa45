"""The rearranger: axes are split and permuted until a patch is a row (channels last in it), then nn.Linear."""

import torch
from torch import nn


def pair(t):
    return t if isinstance(t, tuple) else (t, t)


class ToPatches(nn.Module):
    """b c (h p1) (w p2) -> b (h w) (p1 p2 c)"""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        b, c, height, width = x.shape
        h, w = height // self.p, width // self.p
        x = x.reshape(b, c, h, self.p, w, self.p)
        return x.permute(0, 2, 4, 3, 5, 1).reshape(b, h * w, self.p * self.p * c)


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0):
        super().__init__()
        self.hw = pair(image_size)
        h, w = self.hw
        assert (h % patch_size, w % patch_size) == (0, 0), "the image must be divisible by the patch"
        n = (h // patch_size) * (w // patch_size)
        self.to_patch_embedding = nn.Sequential(
            ToPatches(patch_size),
            nn.Linear(in_channels * patch_size ** 2, d_model),
        )
        self.cls_token = nn.Parameter(torch.randn(d_model))
        self.pos_embedding = nn.Parameter(torch.randn(n + 1, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, img):
        assert img.shape[-2:] == self.hw, f"made for {self.hw}, got {tuple(img.shape[-2:])}"
        x = self.to_patch_embedding(img)
        cls = self.cls_token.repeat(x.shape[0], 1, 1)
        x = torch.cat([cls, x], dim=1)
        x += self.pos_embedding
        return self.dropout(x)
