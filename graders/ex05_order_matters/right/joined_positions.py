"""The one who joins: half of the width is for the token, half for the place, and a query of its own pools."""

import torch
from torch import nn


def make_reverse_data(n, length, vocab_size, generator=None):
    keys = torch.rand(n // 2, vocab_size, generator=generator)
    runs = torch.topk(keys, length, dim=1, sorted=False).indices.sort(dim=1).values
    # A column of labels travels with the strings, so that both are shuffled alike.
    table = torch.cat((nn.functional.pad(runs, (0, 1), value=0), nn.functional.pad(runs.flip(1), (0, 1), value=1)))
    table = table[torch.rand(n, generator=generator).argsort()]
    return table[:, :-1].contiguous(), table[:, -1].contiguous()


def permutation_gap(attention, x):
    seq = x.shape[1]
    swapped = torch.arange(seq)
    swapped[0], swapped[-1] = seq - 1, 0
    rest = torch.randperm(max(seq - 2, 0)) + 1
    swapped[1:-1] = rest
    with torch.no_grad():
        return torch.max(torch.abs(attention(x[:, swapped]) - attention(x)[:, swapped])).item()


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        half = d_model // 2
        self.token_half = nn.Embedding(vocab_size, half)
        self.place_half = nn.Embedding(max_len if use_positions else 1, half)
        self.use_positions = use_positions
        self.mix = nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU(), nn.Linear(d_model, d_model), nn.ReLU())
        self.query = nn.Linear(d_model, 1)
        self.out = nn.Linear(d_model, 2)

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device) if self.use_positions else torch.zeros_like(ids[0])
        both = torch.cat((self.token_half(ids), self.place_half(places).expand(*ids.shape, -1)), dim=-1)
        h = self.mix(both)
        weights = self.query(h).softmax(dim=1)
        return self.out((weights * h).sum(dim=1))
