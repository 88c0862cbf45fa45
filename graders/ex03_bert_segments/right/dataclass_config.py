"""The config enthusiast: a dataclass keeps the numbers and makes the tables, the module unpacks it."""

import dataclasses

import torch
from torch import nn


@dataclasses.dataclass(frozen=True, kw_only=True)
class BertInputConfig:
    vocab_size: int
    hidden_size: int
    max_position_embeddings: int
    type_vocab_size: int
    hidden_dropout_prob: float
    layer_norm_eps: float

    def table(self, rows: int) -> nn.Embedding:
        return nn.Embedding(rows, self.hidden_size)


class BertEmbeddings(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        max_len: int = 512,
        type_vocab_size: int = 2,
        dropout: float = 0.1,
        eps: float = 1e-12,
    ) -> None:
        super().__init__()
        self.config = BertInputConfig(
            vocab_size=vocab_size,
            hidden_size=d_model,
            max_position_embeddings=max_len,
            type_vocab_size=type_vocab_size,
            hidden_dropout_prob=dropout,
            layer_norm_eps=eps,
        )
        self.tok = self.config.table(self.config.vocab_size)
        self.pos = self.config.table(self.config.max_position_embeddings)
        self.seg = self.config.table(self.config.type_vocab_size)
        self.norm = nn.LayerNorm(self.config.hidden_size, self.config.layer_norm_eps)
        self.drop = nn.Dropout(self.config.hidden_dropout_prob)

    def _places(self, token_ids: torch.Tensor) -> torch.Tensor:
        return torch.ones_like(token_ids).cumsum(1) - 1

    def forward(
        self,
        token_ids: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        limit = self.config.max_position_embeddings
        if (length := token_ids.shape[1]) > limit:
            raise AssertionError(f"length {length} is above max_position_embeddings {limit}")
        kinds = torch.zeros_like(token_ids) if token_type_ids is None else token_type_ids
        places = self._places(token_ids) if position_ids is None else position_ids.expand_as(token_ids)
        rows = torch.stack((self.tok(token_ids), self.pos(places), self.seg(kinds)))
        return self.drop(self.norm(rows.sum(dim=0)))
