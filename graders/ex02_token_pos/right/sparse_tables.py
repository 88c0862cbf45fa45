"""The one with a huge vocabulary: tables with sparse gradients, so that a step touches only the used rows."""

import torch
from torch import nn


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model, sparse=True)
        self.pos = nn.Embedding(max_len, d_model, sparse=True)
        self.drop = nn.Dropout(dropout)
        self.max_len = max_len

    def forward(self, token_ids):
        B, L = token_ids.shape
        if L > self.max_len:
            raise AssertionError("sequence of length {} with max_len {}".format(L, self.max_len))
        grid = torch.arange(L, device=token_ids.device).repeat(B, 1)
        return self.drop(self.tok(token_ids).add(self.pos(grid)))
