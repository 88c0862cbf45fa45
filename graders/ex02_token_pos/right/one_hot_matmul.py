"""The linear algebraist: a look-up is a product of a one-hot matrix with the table, so write the product."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)
        self.max_len = max_len

    def forward(self, token_ids: Tensor) -> Tensor:
        E, P = self.tok.weight, self.pos.weight
        n = token_ids.shape[1]
        assert n <= P.shape[0], f"n={n} exceeds the {P.shape[0]} rows of P"
        X = F.one_hot(token_ids.long(), E.shape[0]).to(E.dtype)  # (b, n, v)
        S = torch.eye(n, P.shape[0], dtype=P.dtype, device=P.device)  # (n, m) selects the first n rows
        return self.drop(X @ E + S @ P)
