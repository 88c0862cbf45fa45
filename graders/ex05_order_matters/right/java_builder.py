"""The Java programmer: a factory for the data, an enum for the mode, getters, and a class for each duty."""

import enum

import torch
from torch import nn


class Label(enum.IntEnum):
    RISING = 0
    FALLING = 1


class ReverseDataFactory:
    def __init__(self, length: int, vocabSize: int, generator: torch.Generator | None) -> None:
        self.length = length
        self.vocabSize = vocabSize
        self.generator = generator

    def createRun(self) -> list[int]:
        shuffledTokens: torch.Tensor = torch.randperm(self.vocabSize, generator=self.generator)
        return sorted(shuffledTokens[: self.length].tolist())

    def createPair(self) -> list[tuple[list[int], Label]]:
        run = self.createRun()
        return [(run, Label.RISING), (list(reversed(run)), Label.FALLING)]

    def createAll(self, numberOfPairs: int) -> list[tuple[list[int], Label]]:
        samples = []
        for _ in range(numberOfPairs):
            samples.extend(self.createPair())
        order = torch.randperm(len(samples), generator=self.generator).tolist()
        return [samples[index] for index in order]


def make_reverse_data(n: int, length: int, vocab_size: int, generator: torch.Generator | None = None):
    samples = ReverseDataFactory(length, vocab_size, generator).createAll(n // 2)
    ids = torch.tensor([run for run, _ in samples], dtype=torch.int64)
    labels = torch.tensor([int(label) for _, label in samples], dtype=torch.int64)
    return ids, labels


class PermutationExperiment:
    def __init__(self, attention: nn.Module, places: int) -> None:
        self.attention = attention
        self.permutation = self.drawPermutation(places)

    @staticmethod
    def drawPermutation(places: int) -> torch.Tensor:
        while True:
            permutation = torch.randperm(places)
            if not torch.equal(permutation, torch.arange(places)):
                return permutation

    def measure(self, x: torch.Tensor) -> float:
        first = self.attention.forward(x[:, self.permutation].clone())
        second = self.attention.forward(x.clone())[:, self.permutation]
        return float(torch.max(torch.abs(torch.sub(first, second))))


def permutation_gap(attention: nn.Module, x: torch.Tensor) -> float:
    return PermutationExperiment(attention, x.shape[1]).measure(x)


class PositionProvider(nn.Module):
    def __init__(self, maxLen: int, dModel: int) -> None:
        super().__init__()
        self.table = nn.Embedding(maxLen, dModel)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return vectors + self.table(torch.arange(vectors.shape[1], device=vectors.device)).unsqueeze(0)


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size: int, d_model: int = 32, max_len: int = 64, use_positions: bool = True) -> None:
        super().__init__()
        self.tokenTable = nn.Embedding(vocab_size, d_model)
        self.positionProvider: nn.Module = PositionProvider(max_len, d_model) if use_positions else nn.Identity()
        self.attention = nn.MultiheadAttention(d_model, num_heads=1, batch_first=True)
        self.activation = nn.ReLU()
        self.hidden = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, len(Label))

    def getAttended(self, vectors: torch.Tensor) -> torch.Tensor:
        attended, _ = self.attention(vectors, vectors, vectors)
        return attended

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        vectors = self.positionProvider(self.tokenTable(ids))
        vectors = vectors + self.getAttended(vectors)
        vectors = self.activation(self.hidden(vectors))
        return self.output(vectors.sum(dim=1) / vectors.shape[1])
