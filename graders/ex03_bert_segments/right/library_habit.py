"""The Transformers-library reader: padding row in the word table, id buffer, sums by += on a fresh tensor."""

from typing import Optional

import torch
from torch import nn


class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512, type_vocab_size=2, dropout=0.1, eps=1e-12):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.pos = nn.Embedding(max_len, d_model)
        self.seg = nn.Embedding(type_vocab_size, d_model)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.drop = nn.Dropout(dropout)
        self.max_position_embeddings = max_len
        self.register_buffer("all_positions", torch.arange(max_len).expand((1, -1)))

    def forward(
        self,
        token_ids: torch.LongTensor,
        token_type_ids: Optional[torch.LongTensor] = None,
        position_ids: Optional[torch.LongTensor] = None,
    ) -> torch.Tensor:
        input_shape = token_ids.size()
        seq_length = input_shape[1]
        if seq_length > self.max_position_embeddings:
            raise ValueError(f"{seq_length} tokens are more than {self.max_position_embeddings} positions")

        if position_ids is None:
            position_ids = self.all_positions[:, :seq_length]
        if token_type_ids is None:
            token_type_ids = torch.zeros(input_shape, dtype=torch.long, device=token_ids.device)

        embeddings = self.tok(token_ids)
        embeddings += self.seg(token_type_ids)
        embeddings += self.pos(position_ids)
        embeddings = self.norm(embeddings)
        return self.drop(embeddings)
