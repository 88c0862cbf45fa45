"""The beginner who trusts loops: every patch is sliced out by hand, and the tokens are collected in a list."""

import torch
import torch.nn as nn


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0):
        super(ViTEmbeddings, self).__init__()
        if type(image_size) == int:
            self.H = image_size
            self.W = image_size
        else:
            self.H = image_size[0]
            self.W = image_size[1]
        self.p = patch_size
        self.num_rows = self.H // self.p
        self.num_cols = self.W // self.p
        self.linear = nn.Linear(in_channels * self.p * self.p, d_model)
        self.cls = nn.Parameter(torch.zeros(1, d_model))
        self.positions = nn.ParameterList()
        for i in range(self.num_rows * self.num_cols + 1):
            self.positions.append(nn.Parameter(torch.randn(d_model)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, images):
        B = images.shape[0]
        H = images.shape[2]
        W = images.shape[3]
        if H != self.H:
            raise ValueError("wrong height: %d, I want %d" % (H, self.H))
        if W != self.W:
            raise ValueError("wrong width: %d, I want %d" % (W, self.W))
        # the class token is number 0
        tokens = [self.cls.expand(B, -1) + self.positions[0]]
        number = 1
        for r in range(self.num_rows):
            for c in range(self.num_cols):
                patch = images[:, :, r * self.p:(r + 1) * self.p, c * self.p:(c + 1) * self.p]
                flat = patch.reshape(B, -1)
                tokens.append(self.linear(flat) + self.positions[number])
                number = number + 1
        result = torch.stack(tokens, dim=1)
        return self.dropout(result)
