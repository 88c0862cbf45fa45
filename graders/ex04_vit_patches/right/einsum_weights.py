"""The mathematician: E, b, c and P are bare parameters, and the projection is one einsum over six indices."""

import math

import torch
from torch import Tensor, nn


class ViTEmbeddings(nn.Module):
    r"""z = [c; x_1 E + b; ...; x_N E + b] + P"""

    def __init__(self, image_size=32, patch_size: int = 8, in_channels: int = 3, d_model: int = 64, dropout=0.0):
        super().__init__()
        H, W = image_size if isinstance(image_size, tuple) else (image_size,) * 2
        C, p, d = in_channels, patch_size, d_model
        self.shape, self.p, self.rate = (H, W), p, dropout
        N = H * W // p**2
        self.E = nn.Parameter(torch.randn(C, p, p, d) / math.sqrt(C * p * p))
        self.b = nn.Parameter(torch.zeros(d))
        self.c = nn.Parameter(torch.randn(d))
        self.P = nn.Parameter(torch.randn(N + 1, d))

    def forward(self, images: Tensor) -> Tensor:
        assert (*images.shape[2:],) == self.shape, (images.shape, self.shape)
        X = images.unfold(2, self.p, self.p).unfold(3, self.p, self.p)  # (B, C, h, w, p, p)
        Z = torch.einsum("bchwij,cijd->bhwd", X, self.E) + self.b
        Z = Z.flatten(1, 2)
        z0 = self.c.broadcast_to(len(Z), 1, -1)
        return nn.functional.dropout(torch.hstack((z0, Z)) + self.P, self.rate, self.training)
