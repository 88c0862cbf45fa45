"""The minimalist: add, one layer, and the largest value of each feature over all places."""

import torch
from torch import nn


def make_reverse_data(n, length, vocab_size, generator=None):
    runs = torch.rand((n // 2, vocab_size), generator=generator).argsort()[:, :length].sort().values
    both = torch.stack((runs, runs.flip(1)), dim=1).view(n, length)
    labels = torch.tensor([0, 1]).repeat(n // 2)
    perm = torch.randperm(n, generator=generator)
    return both[perm], labels[perm]


def permutation_gap(attention, x):
    n = x.shape[1]
    perm = torch.randperm(n)
    while perm.tolist() == list(range(n)):
        perm = torch.randperm(n)
    return (attention(x[:, perm]) - attention(x)[:, perm]).abs().max().item()


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Parameter(torch.randn(max_len, d_model)) if use_positions else None
        self.hidden = nn.Linear(d_model, 64)
        self.out = nn.Linear(64, 2)

    def forward(self, ids):
        x = self.tok(ids)
        if self.pos is not None:
            x = x + self.pos[: ids.shape[1]]
        return self.out(torch.tanh(self.hidden(x)).amax(dim=1))
