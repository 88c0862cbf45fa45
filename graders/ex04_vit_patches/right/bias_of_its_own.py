"""The minimalist: a filter bank without bias, one bias vector added by hand, everything in a ParameterDict."""

import torch
from torch import nn
from torch.nn.functional import conv2d, dropout


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0):
        super().__init__()
        h, w = (image_size, image_size) if not hasattr(image_size, "__len__") else image_size
        self.h, self.w, self.p, self.rate = h, w, patch_size, dropout
        self.weights = nn.ParameterDict({
            "filters": nn.Parameter(torch.empty(d_model, in_channels, patch_size, patch_size)),
            "bias": nn.Parameter(torch.zeros(d_model)),
            "class": nn.Parameter(torch.zeros(1, d_model)),
            "where": nn.Parameter(torch.zeros(h // patch_size * (w // patch_size) + 1, d_model)),
        })
        nn.init.kaiming_uniform_(self.weights["filters"], a=5 ** 0.5)
        nn.init.normal_(self.weights["where"], std=0.02)

    def forward(self, x):
        assert x.shape[-2:] == (self.h, self.w), f"{x.shape[-2]} x {x.shape[-1]} is not {self.h} x {self.w}"
        w = self.weights
        seen = conv2d(x, w["filters"], stride=self.p).movedim(1, -1)  # (B, h/p, w/p, d)
        seen = (seen + w["bias"]).reshape(len(x), -1, seen.shape[-1])
        tokens = torch.cat((w["class"].expand(len(x), 1, -1), seen), 1)
        return dropout(tokens + w["where"], self.rate, training=self.training)
