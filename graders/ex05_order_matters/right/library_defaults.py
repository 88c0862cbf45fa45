"""The one in a hurry: torch's encoder layer as it comes, 2048 wide inside, dropout and all."""

import torch
from torch import nn


def make_reverse_data(n, length, vocab_size, generator=None):
    half = n // 2
    rows = [torch.randperm(vocab_size, generator=generator)[:length].sort().values for _ in range(half)]
    rows += [row.flip(0) for row in rows]
    labels = torch.zeros(n, dtype=torch.long)
    labels[half:] = 1
    shuffle = torch.randperm(n, generator=generator)
    return torch.stack(rows)[shuffle], labels[shuffle]


def permutation_gap(attention, x):
    p = torch.randperm(x.shape[1])
    if (p == torch.arange(x.shape[1])).all():
        p = p.flip(0)
    with torch.no_grad():
        return torch.max((attention(x[:, p]) - attention(x)[:, p]).abs()).item()


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        self.use_positions = use_positions
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.encoder = nn.TransformerEncoderLayer(d_model, 4, batch_first=True)
        self.fc = nn.Linear(d_model, 2)

    def forward(self, ids):
        x = self.tok(ids)
        if self.use_positions:
            x = x + self.pos(torch.arange(ids.shape[1], device=ids.device))
        return self.fc(self.encoder(x).mean(dim=1))
