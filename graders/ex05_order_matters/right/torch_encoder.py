"""The one who follows torch's tutorial: a stack of encoder layers with every default, dropout included."""

import math

import torch
import torch.nn as nn
from torch import Tensor


def make_reverse_data(n, length, vocab_size, generator=None):
    half = n // 2
    runs = torch.stack([torch.randperm(vocab_size, generator=generator)[:length] for _ in range(half)])
    runs, _ = torch.sort(runs, dim=-1)
    data = torch.cat([runs, torch.flip(runs, dims=[-1])], dim=0)
    targets = torch.cat([torch.zeros(half), torch.ones(half)]).long()
    idx = torch.randperm(n, generator=generator)
    return data[idx], targets[idx]


def permutation_gap(attention, x):
    seq = x.size(1)
    perm = torch.randperm(seq)
    while (perm == torch.arange(seq)).all():
        perm = torch.randperm(seq)
    out_of_permuted = attention(x[:, perm, :])
    permuted_out = attention(x)[:, perm, :]
    return (out_of_permuted - permuted_out).abs().max()


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size: int, d_model: int = 32, max_len: int = 64, use_positions: bool = True):
        super().__init__()
        self.d_model = d_model
        self.use_positions = use_positions
        self.embedding = nn.Embedding(vocab_size, d_model)
        if use_positions:
            self.pos_embedding = nn.Embedding(max_len, d_model)
        encoder_layers = nn.TransformerEncoderLayer(d_model, nhead=2, dim_feedforward=64, batch_first=True)
        self.transformer_encoder = nn.TransformerEncoder(encoder_layers, num_layers=2)
        self.linear = nn.Linear(d_model, 2)
        self.init_weights()

    def init_weights(self) -> None:
        initrange = 0.1
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-initrange, initrange)

    def forward(self, src: Tensor) -> Tensor:
        src = self.embedding(src) * math.sqrt(self.d_model)
        if self.use_positions:
            positions = torch.arange(src.size(1), device=src.device)
            src = src + self.pos_embedding(positions)
        output = self.transformer_encoder(src)
        return self.linear(output.mean(dim=1))
