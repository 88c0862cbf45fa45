"""The Java programmer: calculators with private state, getters, and functions that delegate to them."""

import copy
import math
from typing import Optional

import torch
from torch import nn


class RotationAngleCalculator:
    def __init__(self, width: int, theta: float) -> None:
        self.__width = width
        self.__theta = theta

    def getSpeeds(self, device: torch.device) -> torch.Tensor:
        exponents = torch.arange(0, self.__width, 2, device=device).to(torch.float32) / self.__width
        return torch.pow(torch.tensor(self.__theta, dtype=torch.float32, device=device), exponents).reciprocal()

    def getAngles(self, firstPlace: int, count: int, device: torch.device) -> torch.Tensor:
        places = torch.arange(firstPlace, firstPlace + count, device=device).to(torch.float32)
        return torch.outer(places, self.getSpeeds(device))


class BucketCalculator:
    def __init__(self, numberOfBuckets: int, maximalDistance: int) -> None:
        self.numberOfBuckets: int = numberOfBuckets
        self.maximalDistance: int = maximalDistance

    def getExactCount(self) -> int:
        return self.numberOfBuckets // 2

    def getThresholds(self) -> list:
        exact = self.getExactCount()
        steps = self.numberOfBuckets - exact
        ratio = self.maximalDistance / exact
        return [exact * ratio ** (step / steps) for step in range(1, steps)]

    def compute(self, distances: torch.Tensor) -> torch.Tensor:
        thresholds = torch.tensor(self.getThresholds(), dtype=torch.float64, device=distances.device)
        above = torch.searchsorted(thresholds, distances.to(torch.float64).contiguous(), right=True)
        return torch.where(distances < self.getExactCount(), distances, self.getExactCount() + above)


def interpolate_positions(table: torch.Tensor, new_len: int) -> torch.Tensor:
    lastOldIndex: int = table.shape[0] - 1
    places = torch.linspace(0.0, float(lastOldIndex), new_len, device=table.device)
    lowerIndices = torch.clamp(torch.floor(places), max=lastOldIndex - 1).long()
    upperWeights = (places - lowerIndices.to(places.dtype)).unsqueeze(-1).to(table.dtype)
    lowerRows = torch.index_select(table, 0, lowerIndices)
    upperRows = torch.index_select(table, 0, lowerIndices + 1)
    return torch.add(lowerRows, (upperRows - lowerRows) * upperWeights)


def extend_model(embedding: nn.Module, new_len: int) -> nn.Module:
    result: Optional[nn.Module] = copy.deepcopy(embedding)
    newRows = interpolate_positions(embedding.pos.weight.detach().clone(), new_len).clone()
    newTable = nn.Embedding(num_embeddings=new_len, embedding_dim=newRows.shape[1])
    newTable.weight = nn.Parameter(newRows, requires_grad=True)
    setattr(result, "pos", newTable)
    setattr(result, "max_len", new_len)
    return result


def apply_rope(x: torch.Tensor, theta: float = 10000.0, offset: int = 0) -> torch.Tensor:
    calculator = RotationAngleCalculator(x.shape[-1], theta)
    angles = calculator.getAngles(offset, x.shape[-2], x.device)
    pairs = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(x.shape[:-1] + (x.shape[-1] // 2, 2))
    first, second = pairs.unbind(-1)
    newFirst = torch.sub(first * torch.cos(angles), second * torch.sin(angles))
    newSecond = torch.add(first * torch.sin(angles), second * torch.cos(angles))
    return torch.stack([newFirst, newSecond], -1).reshape(x.shape).to(x.dtype)


def alibi_slopes(n_heads: int) -> torch.Tensor:
    return torch.tensor([math.pow(2.0, -8.0 * (index + 1) / n_heads) for index in range(n_heads)], dtype=torch.float64)


def alibi_bias(n_heads: int, length: int) -> torch.Tensor:
    matrices = []
    for slope in alibi_slopes(n_heads).tolist():
        places = torch.arange(length, dtype=torch.float32)
        matrices.append(places.sub(places.reshape(length, 1)).abs().mul(-slope))
    return torch.stack(matrices, 0)


def relative_bucket(
    rel: torch.Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> torch.Tensor:
    if not bidirectional:
        return BucketCalculator(num_buckets, max_distance).compute(torch.clamp(torch.neg(rel), min=0))
    half = num_buckets // 2
    inside = BucketCalculator(half, max_distance).compute(torch.abs(rel))
    return torch.where(torch.gt(rel, 0), inside + half, inside)
