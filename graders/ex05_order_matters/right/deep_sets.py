"""The one who needs no attention: every place goes through one small network, and the results are summed."""

import torch
import torch.nn.functional as F
from torch import nn


def make_reverse_data(n, length, vocab_size, generator=None):
    rows = []
    for _ in range(n // 2):
        chosen = torch.rand(vocab_size, generator=generator).topk(length).indices
        run = sorted(chosen.tolist())
        rows.append((run, 0))
        rows.append((run[::-1], 1))
    rows = [rows[i] for i in torch.randperm(len(rows), generator=generator).tolist()]
    return torch.tensor([run for run, _ in rows]), torch.tensor([label for _, label in rows])


def permutation_gap(attention, x):
    perm = torch.rand(x.shape[1]).argsort()
    if bool((perm.diff() == 1).all()):  # nothing has moved
        perm = perm.roll(1)
    with torch.no_grad():
        a = attention(x.index_select(1, perm))
        b = attention(x).index_select(1, perm)
    return torch.dist(a, b, p=float("inf")).item()


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.places = nn.Embedding(max_len, d_model)
        self.use_positions = use_positions
        self.inner = nn.Linear(d_model, 2 * d_model)
        self.outer = nn.Linear(2 * d_model, 2)

    def forward(self, ids):
        h = self.tokens(ids)
        if self.use_positions:
            h = h + self.places(torch.arange(ids.size(1), device=ids.device))
        h = F.relu(self.inner(h))
        return self.outer(h.sum(dim=1))
