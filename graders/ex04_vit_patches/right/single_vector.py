"""The one who keeps all weights in one long vector and cuts what is needed from it in every call."""

import torch
import torch.nn.functional as F
from torch import nn


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0):
        super().__init__()
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        n = self.image_size[0] // patch_size * (self.image_size[1] // patch_size)
        self.filter_shape = (d_model, in_channels, patch_size, patch_size)
        self.sizes = [in_channels * patch_size**2 * d_model, d_model, d_model, (n + 1) * d_model]
        self.theta = nn.Parameter(torch.randn(sum(self.sizes)) * 0.02)
        self.p, self.d, self.dropout = patch_size, d_model, dropout

    def forward(self, images):
        assert tuple(images.shape[-2:]) == self.image_size, f"{tuple(images.shape[-2:])} is not {self.image_size}"
        filters, bias, first, places = self.theta.split(self.sizes)
        patches = F.conv2d(images, filters.view(self.filter_shape), bias, stride=self.p).flatten(2).mT
        tokens = torch.cat((first.expand(len(images), 1, self.d), patches), dim=1)
        return F.dropout(tokens + places.view(-1, self.d), self.dropout, self.training)
