"""The one from vision: channels before places, convolutions of width one, batch norm, and global average pooling."""

import random

import torch
from torch import nn


def make_reverse_data(n, length, vocab_size, generator=None):
    # Python's own generator, started by a number from the one that was given.
    dice = random.Random(int(torch.randint(1 << 40, (), generator=generator)))
    runs = [sorted(dice.sample(range(vocab_size), length)) for _ in range(n // 2)]
    samples = [(run, 0) for run in runs] + [(run[::-1], 1) for run in runs]
    dice.shuffle(samples)
    ids, labels = zip(*samples)
    return torch.tensor(ids), torch.tensor(labels)


def permutation_gap(attention, x):
    order = list(range(x.shape[1]))
    while order == sorted(order):
        random.shuffle(order)
    with torch.no_grad():
        moved = attention(x[:, order])
        still = attention(x)
    return max((moved[:, new] - still[:, old]).abs().max().item() for new, old in enumerate(order))


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)
        if use_positions:
            self.pos = nn.Parameter(0.02 * torch.randn(1, d_model, max_len))
        self.use_positions = use_positions
        self.features = nn.Sequential(
            nn.Conv1d(d_model, 64, kernel_size=1, bias=False),
            nn.BatchNorm1d(64),
            nn.ReLU(inplace=True),
            nn.Conv1d(64, 64, kernel_size=1),
            nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
        )
        self.classifier = nn.Linear(64, 2)

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        if self.use_positions:
            x = x + self.pos[:, :, : ids.shape[1]]
        return self.classifier(self.features(x))
