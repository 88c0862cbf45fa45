"""The one who compares: a small network looks at every pair of places, and the head at the sum over all pairs."""

from itertools import combinations

import torch
from torch import nn


def make_reverse_data(n, length, vocab_size, generator=None):
    """List every run there is, and draw from the list."""
    every_run = torch.tensor(list(combinations(range(vocab_size), length)))
    drawn = every_run[torch.randint(len(every_run), (n // 2,), generator=generator)]
    ids = torch.cat((drawn, drawn.flip(-1)))
    labels = (ids[:, 0] > ids[:, -1]).long()
    order = torch.randperm(n, generator=generator)
    return ids[order], labels[order]


def permutation_gap(attention, x):
    batch, seq, width = x.shape
    order = torch.stack([torch.roll(torch.arange(seq), 1 + item % (seq - 1)) for item in range(batch)])
    index = order[:, :, None].expand(-1, -1, width)
    with torch.no_grad():
        gap = attention(x.gather(1, index)) - attention(x).gather(1, index)
    return gap.abs().max().item()


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model) if use_positions else None
        self.left = nn.Linear(d_model, d_model)
        self.right = nn.Linear(d_model, d_model, bias=False)
        self.score = nn.Linear(d_model, d_model)
        self.head = nn.Linear(d_model, 2)

    def forward(self, ids):
        h = self.tok(ids)
        if self.pos is not None:
            h = h + self.pos(torch.arange(h.shape[1], device=h.device))[None]
        pairs = torch.relu(self.left(h)[:, :, None] + self.right(h)[:, None, :])
        return self.head(torch.relu(self.score(pairs)).mean(dim=(1, 2)))
