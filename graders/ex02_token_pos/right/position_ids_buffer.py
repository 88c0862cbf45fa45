"""The Transformers-library reader: ids of all places wait in a non-persistent buffer and are sliced."""

from typing import Optional

import torch
from torch import nn


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1):
        super().__init__()
        self.max_len = max_len
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("position_ids", torch.arange(max_len).unsqueeze(0), persistent=False)

    def forward(
        self,
        input_ids: torch.LongTensor,
        position_ids: Optional[torch.LongTensor] = None,
        inputs_embeds: Optional[torch.FloatTensor] = None,
    ) -> torch.Tensor:
        seq_length = input_ids.shape[-1] if input_ids is not None else inputs_embeds.shape[-2]
        assert seq_length <= self.max_len, (
            f"Sequence length must not exceed max_len (got {seq_length}, max_len is {self.max_len})"
        )
        if position_ids is None:
            position_ids = self.position_ids[:, :seq_length]
        if inputs_embeds is None:
            inputs_embeds = self.tok(input_ids)
        return self.drop(inputs_embeds + self.pos(position_ids))
