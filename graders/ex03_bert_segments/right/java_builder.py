"""The Java programmer: an abstract source of default ids, two implementations, and getters for the parts."""

from abc import ABC, abstractmethod

import torch
from torch import nn


class DefaultIds(ABC):
    @abstractmethod
    def create(self, token_ids: torch.Tensor) -> torch.Tensor: ...

    def orElse(self, given: torch.Tensor | None, token_ids: torch.Tensor) -> torch.Tensor:
        return self.create(token_ids) if given is None else given


class FirstSegment(DefaultIds):
    def create(self, token_ids: torch.Tensor) -> torch.Tensor:
        return token_ids.new_zeros(token_ids.shape)


class CountedPlaces(DefaultIds):
    def create(self, token_ids: torch.Tensor) -> torch.Tensor:
        batch, length = token_ids.shape
        return torch.arange(length, device=token_ids.device).repeat(batch, 1)


class BertEmbeddings(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        max_len: int = 512,
        type_vocab_size: int = 2,
        dropout: float = 0.1,
        eps: float = 1e-12,
    ):
        super().__init__()
        self._max_len = max_len
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.seg = nn.Embedding(type_vocab_size, d_model)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.drop = nn.Dropout(dropout)
        self._default_segments = FirstSegment()
        self._default_places = CountedPlaces()

    def getMaxLen(self) -> int:
        return self._max_len

    def forward(
        self,
        token_ids: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        if token_ids.shape[1] > self.getMaxLen():
            raise ValueError(f"Illegal length {token_ids.shape[1]}, maximum is {self.getMaxLen()}")
        segments = self._default_segments.orElse(token_type_ids, token_ids)
        places = self._default_places.orElse(position_ids, token_ids)
        result = self.seg(segments) + (self.pos(places) + self.tok(token_ids))
        return self.drop(self.norm(result))
