"""The functional stylist: modules hold the numbers, F.embedding and F.dropout do the work."""

import torch
from torch import nn
from torch.nn import functional as F


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)
        self.max_len = max_len
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for table in (self.tok, self.pos):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        steps = token_ids.shape[1]
        assert steps <= self.max_len, f"{steps=} but max_len={self.max_len}"
        places = torch.arange(steps, device=self.pos.weight.device)
        h = F.embedding(token_ids, self.tok.weight) + F.embedding(places, self.pos.weight)[None]
        return F.dropout(h, p=self.drop.p, training=self.training)
