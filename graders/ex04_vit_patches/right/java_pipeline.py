"""The Java programmer: an abstract step, four steps, and a pipeline that runs them one after the other."""

from abc import ABC, abstractmethod

import torch
from torch import nn


class AbstractStep(nn.Module, ABC):
    @abstractmethod
    def process(self, value: torch.Tensor) -> torch.Tensor:
        ...

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        return self.process(value)


class SizeGuardStep(AbstractStep):
    def __init__(self, height: int, width: int) -> None:
        super().__init__()
        self.__height = height
        self.__width = width

    def process(self, value: torch.Tensor) -> torch.Tensor:
        if value.size(2) != self.__height:
            raise ValueError("height is " + str(value.size(2)) + " instead of " + str(self.__height))
        if value.size(3) != self.__width:
            raise ValueError("width is " + str(value.size(3)) + " instead of " + str(self.__width))
        return value


class PatchProjectionStep(AbstractStep):
    def __init__(self, inChannels: int, dModel: int, patchSize: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(inChannels, dModel, patchSize, stride=patchSize)

    def process(self, value: torch.Tensor) -> torch.Tensor:
        featureMap = self.convolution.forward(value)
        return featureMap.view(featureMap.size(0), featureMap.size(1), -1).permute(0, 2, 1)


class ClassTokenStep(AbstractStep):
    def __init__(self, dModel: int) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.rand(1, dModel))

    def process(self, value: torch.Tensor) -> torch.Tensor:
        result = [torch.cat((self.token, value[index]), dim=0) for index in range(value.size(0))]
        return torch.stack(result)


class PositionStep(AbstractStep):
    def __init__(self, numberOfTokens: int, dModel: int) -> None:
        super().__init__()
        self.table = nn.Embedding(numberOfTokens, dModel)

    def process(self, value: torch.Tensor) -> torch.Tensor:
        return torch.add(value, self.table.weight)


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size: int = 8, in_channels: int = 3, d_model: int = 64, dropout: float = 0.0):
        super().__init__()
        height = image_size if isinstance(image_size, int) else image_size[0]
        width = image_size if isinstance(image_size, int) else image_size[1]
        numberOfPatches = int(height / patch_size) * int(width / patch_size)
        self.pipeline = nn.Sequential(
            SizeGuardStep(height, width),
            PatchProjectionStep(in_channels, d_model, patch_size),
            ClassTokenStep(d_model),
            PositionStep(numberOfPatches + 1, d_model),
            nn.Dropout(dropout),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.pipeline.forward(images)
