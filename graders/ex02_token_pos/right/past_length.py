"""The one who thinks of decoding: an optional offset for tokens that came before, and a guard in __call__."""

import torch
from torch import nn


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)
        self.max_len = max_len

    def __call__(self, token_ids, past_length=0):
        end = past_length + token_ids.shape[1]
        assert end <= self.max_len, f"the last place would be {end}, the table ends at {self.max_len}"
        return super().__call__(token_ids, past_length)

    def forward(self, token_ids, past_length=0):
        end = past_length + token_ids.shape[1]
        place = torch.arange(past_length, end, device=token_ids.device).view(1, -1)
        return self.drop(self.tok(token_ids) + self.pos(place))
