"""The strategist: one class for each answer to the question, and a front that chooses between them."""

import torch
from torch import nn


def make_reverse_data(n, length, vocab_size, generator=None):
    if generator is None:
        generator = torch.default_generator
    ids, labels = [], []
    for _ in range(n // 2):
        # Walk through the vocabulary and keep each token with the chance that fills the run.
        run, token = [], 0
        while len(run) < length:
            needed, left = length - len(run), vocab_size - token
            if torch.rand((), generator=generator) * left < needed:
                run.append(token)
            token += 1
        ids += [run, run[::-1]]
        labels += [0, 1]
    order = torch.randperm(n, generator=generator)
    return torch.tensor(ids)[order], torch.tensor(labels)[order]


def permutation_gap(attention, x):
    was_training = attention.training
    attention.eval()
    perm = torch.arange(x.shape[1]).flip(0)
    with torch.no_grad():
        gap = (attention(x[:, perm]) - attention(x)[:, perm]).abs().max().item()
    attention.train(was_training)
    return gap


class BagOfTokens(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab_size, d_model, mode="mean")
        self.head = nn.Linear(d_model, 2)

    def forward(self, ids):
        return self.head(torch.relu(self.bag(ids)))


class PlacedTokens(nn.Module):
    """Each token at each place has a vector of its own: the product of its row and the row of the place."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.head = nn.Linear(d_model, 2)

    def forward(self, ids):
        place = torch.arange(ids.shape[1], device=ids.device)
        return self.head((self.tok(ids) * self.pos(place)).mean(dim=1))


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        self.model = PlacedTokens(vocab_size, d_model, max_len) if use_positions else BagOfTokens(vocab_size, d_model)

    def forward(self, ids):
        return self.model(ids)
