"""The one who reads ahead: no position vectors at all, queries and keys are turned by their place instead."""

import torch
from torch import nn


def make_reverse_data(n, length, vocab_size, generator=None):
    runs = torch.empty(n // 2, length, dtype=torch.long)
    for row in range(n // 2):
        # Draw until no token comes twice.
        while True:
            drawn = torch.randint(vocab_size, (length,), generator=generator).sort().values
            if (drawn.diff() > 0).all():
                runs[row] = drawn
                break
    falls = (torch.randperm(n, generator=generator) % 2).bool()
    ids = torch.empty(n, length, dtype=torch.long)
    ids[~falls] = runs
    ids[falls] = runs[torch.randperm(n // 2, generator=generator)].flip(1)
    return ids, falls.long()


def permutation_gap(attention, x):
    order = [*range(1, x.shape[1]), 0]
    with torch.no_grad():
        return (attention(x[:, order]) - attention(x)[:, order]).abs().max().item()


def rotate(x):
    """Turn each pair of features by place times a rate of its own."""
    half = x.shape[-1] // 2
    rates = 100.0 ** -(torch.arange(half, device=x.device) / half)
    angles = torch.arange(x.shape[1], device=x.device)[:, None] * rates
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), dim=-1)


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        self.turn = rotate if use_positions else (lambda x: x)
        self.tok = nn.Embedding(vocab_size, d_model)
        self.q = nn.Linear(d_model, d_model)
        self.k = nn.Linear(d_model, d_model)
        self.v = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.ff = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(), nn.Linear(2 * d_model, d_model))
        self.head = nn.Linear(d_model, 2)

    def forward(self, ids):
        x = self.tok(ids)
        scores = self.turn(self.q(x)) @ self.turn(self.k(x)).mT / x.shape[-1] ** 0.5
        x = self.norm(x + scores.softmax(dim=-1) @ self.v(x))
        return self.head((x + self.ff(x)).mean(dim=1))
