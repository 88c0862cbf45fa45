"""The linear algebraist: one-hot matrices instead of tables, products instead of look-ups, log-probabilities out."""

import torch
from torch import nn
from torch.nn.functional import log_softmax, one_hot


def make_reverse_data(n, length, vocab_size, generator=None):
    ranks = torch.rand(n // 2, vocab_size, generator=generator).argsort(1).argsort(1)
    runs = (ranks < length).nonzero()[:, 1].reshape(n // 2, length)
    turn = torch.randperm(n, generator=generator)
    return torch.vstack((runs, runs.flip(1)))[turn], torch.hstack((torch.zeros(n // 2), torch.ones(n // 2))).long()[turn]


def permutation_gap(attention, x):
    seq = x.shape[1]
    while True:
        matrix = torch.eye(seq)[torch.randperm(seq)]
        if not torch.equal(matrix, torch.eye(seq)):
            break
    matrix = matrix.to(x)
    return torch.linalg.vector_norm(attention(matrix @ x) - matrix @ attention(x), ord=torch.inf).item()


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        self.sizes = vocab_size, max_len
        self.E = nn.Parameter(torch.randn(vocab_size, d_model) / d_model**0.5)
        self.P = nn.Parameter(torch.randn(max_len, d_model) / d_model**0.5, requires_grad=use_positions)
        self.on = use_positions
        self.W = nn.Parameter(torch.randn(3, d_model, d_model) / d_model**0.5)
        self.b = nn.Parameter(torch.zeros(d_model))
        self.H = nn.Parameter(torch.randn(d_model, 2) / d_model**0.5)

    def forward(self, ids):
        vocab, max_len = self.sizes
        X = one_hot(ids, vocab).to(self.E.dtype) @ self.E
        if self.on:
            X = X + torch.eye(max_len, device=ids.device, dtype=X.dtype)[: ids.shape[1]] @ self.P
        Q, K, V = X @ self.W[0], X @ self.W[1], X @ self.W[2]
        A = torch.softmax(Q @ K.transpose(1, 2) / Q.shape[-1] ** 0.5, dim=2)
        Z = torch.relu(X + A @ V + self.b)
        return log_softmax(Z.mean(1) @ self.H, dim=1)
