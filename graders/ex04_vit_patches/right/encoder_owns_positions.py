"""The torchvision reader: the projection sits outside, an encoder stub owns positions and dropout."""

from collections import OrderedDict
from functools import partial
from typing import Callable, Tuple, Union

import torch
from torch import nn


class EncoderInput(nn.Module):
    def __init__(self, seq_length: int, hidden_dim: int, dropout: float) -> None:
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.empty(1, seq_length, hidden_dim).normal_(std=0.02))
        self.dropout = nn.Dropout(dropout)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        torch._assert(input.dim() == 3, f"Expected (batch_size, seq_length, hidden_dim) got {input.shape}")
        return self.dropout(input + self.pos_embedding)


class ViTEmbeddings(nn.Module):
    def __init__(
        self,
        image_size: Union[int, Tuple[int, int]] = 32,
        patch_size: int = 8,
        in_channels: int = 3,
        d_model: int = 64,
        dropout: float = 0.0,
        make_conv: Callable[..., nn.Module] = partial(nn.Conv2d, bias=True),
    ) -> None:
        super().__init__()
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else image_size
        self.patch_size = patch_size
        self.hidden_dim = d_model
        self.stem = nn.Sequential(OrderedDict(
            conv_proj=make_conv(in_channels, d_model, kernel_size=patch_size, stride=patch_size),
        ))
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        seq_length = (self.image_size[0] // patch_size) * (self.image_size[1] // patch_size) + 1
        self.encoder = EncoderInput(seq_length, d_model, dropout)

    def _process_input(self, x: torch.Tensor) -> torch.Tensor:
        n, c, h, w = x.shape
        p = self.patch_size
        torch._assert(h == self.image_size[0], f"Wrong image height! Expected {self.image_size[0]} but got {h}!")
        torch._assert(w == self.image_size[1], f"Wrong image width! Expected {self.image_size[1]} but got {w}!")
        n_h, n_w = h // p, w // p
        x = self.stem(x)
        x = x.reshape(n, self.hidden_dim, n_h * n_w)
        return x.permute(0, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self._process_input(x)
        batch_class_token = self.class_token.expand(x.shape[0], -1, -1)
        x = torch.cat([batch_class_token, x], dim=1)
        return self.encoder(x)
