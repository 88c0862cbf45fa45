"""The fairseq reader: the position table is an nn.Embedding of its own kind that is called with token ids."""

import torch
import torch.nn.functional as F
from torch import nn


class LearnedPositions(nn.Embedding):
    """Maps a batch of ids to position rows; the values of the ids play no part."""

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        length = token_ids.size(1)
        assert length <= self.num_embeddings, f"{length} places, but only {self.num_embeddings} learned"
        positions = torch.arange(length, dtype=torch.long, device=self.weight.device)
        return F.embedding(positions, self.weight)


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = LearnedPositions(max_len, d_model)
        self.drop = nn.Dropout(dropout)

    @property
    def max_len(self) -> int:
        return self.pos.num_embeddings

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        positions = self.pos(token_ids)
        return self.drop(positions + self.tok(token_ids))
