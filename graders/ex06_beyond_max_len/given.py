"""Exercise 6: the kind of module that extend_model is given, with a table for tokens and one for places."""

import torch
from torch import nn


class PlaceRows(nn.Module):
    """Place rows alone, with dropout, whatever the tokens are; a sequence longer than max_len is refused."""

    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        self.tok, self.pos = (nn.Embedding(rows, d_model) for rows in (vocab_size, max_len))
        self.drop, self.max_len = nn.Dropout(dropout), max_len

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        batch, count = token_ids.shape
        if count > self.max_len:
            raise AssertionError(f"{count} places, but max_len is {self.max_len}")
        return self.drop(self.pos.weight[:count].repeat(batch, 1, 1))
