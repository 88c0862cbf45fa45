"""The Java programmer: a factory, a validator, getters, and private fields for all of it."""

import torch
from torch import nn


class EncodingTableFactory:
    BASE = 10000.0

    def __init__(self, d_model: int, max_len: int):
        self._d_model = d_model
        self._max_len = max_len

    def _angle_rates(self) -> torch.Tensor:
        pair_index = torch.arange(self._d_model // 2, dtype=torch.float64)
        log_base = torch.log(torch.tensor(self.BASE, dtype=torch.float64))
        return torch.exp(-log_base * 2 * pair_index / self._d_model)

    def create(self) -> torch.Tensor:
        places = torch.arange(self._max_len, dtype=torch.float64)
        angles = torch.einsum("p,f->pf", places, self._angle_rates())
        table = torch.zeros((self._max_len, self._d_model), dtype=torch.float32)
        for pair in range(self._d_model // 2):
            table[:, 2 * pair] = torch.sin(angles[:, pair])
            table[:, 2 * pair + 1] = torch.cos(angles[:, pair])
        return table


class LengthValidator:
    def __init__(self, maximum: int):
        self._maximum = maximum

    def validate(self, length: int) -> None:
        if length > self._maximum:
            raise ValueError(f"Illegal argument: length {length} > maximum {self._maximum}")


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 512):
        super().__init__()
        self._max_len = max_len
        self._validator = LengthValidator(max_len)
        self.register_buffer("pe", EncodingTableFactory(d_model, max_len).create())

    def get_max_len(self) -> int:
        return self._max_len

    def get_rows(self, length: int) -> torch.Tensor:
        self._validator.validate(length)
        return self.pe[:length, :]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.add(x, self.get_rows(x.size(1)))
