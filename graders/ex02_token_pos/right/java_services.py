"""The Java programmer: one class hands out position numbers, another refuses, and fields have getters."""

import torch
from torch import nn


class PositionNumberProvider:
    @staticmethod
    def getPositions(tokenIds: torch.Tensor) -> torch.Tensor:
        columns = torch.full_like(tokenIds, 1)
        for index in range(tokenIds.shape[1]):
            columns[:, index] = index
        return columns


class SequenceGuard:
    def __init__(self, maximum: int) -> None:
        self.__maximum = maximum

    def getMaximum(self) -> int:
        return self.__maximum

    def requireFits(self, length: int) -> None:
        if length > self.__maximum:
            raise AssertionError("length " + str(length) + " is above the maximum " + str(self.__maximum))


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        self.tok: nn.Embedding = nn.Embedding(vocab_size, d_model)
        self.pos: nn.Embedding = nn.Embedding(max_len, d_model)
        self.drop: nn.Dropout = nn.Dropout(dropout)
        self.max_len: int = max_len
        self.guard: SequenceGuard = SequenceGuard(max_len)

    def getTokenVectors(self, tokenIds: torch.Tensor) -> torch.Tensor:
        return self.tok.forward(tokenIds)

    def getPositionVectors(self, tokenIds: torch.Tensor) -> torch.Tensor:
        return self.pos.forward(PositionNumberProvider.getPositions(tokenIds))

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        self.guard.requireFits(token_ids.shape[1])
        sumOfBoth = torch.add(self.getTokenVectors(token_ids), self.getPositionVectors(token_ids))
        return self.drop.forward(sumOfBoth)
