"""The one who trusts no black box: LayerNorm written out with its mean and variance, in float64 inside."""

import torch
from torch import nn


class RowNorm(nn.Module):
    """Mean 0 and variance 1 along the last axis, then a learned scale and shift."""

    def __init__(self, width: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.double()
        mean = wide.mean(dim=-1, keepdim=True)
        centred = wide - mean
        variance = (centred * centred).mean(dim=-1, keepdim=True)
        unit = centred * (variance + self.eps).rsqrt()
        return (unit * self.weight + self.bias).to(x.dtype)


class BertEmbeddings(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, max_len: int = 512, type_vocab_size: int = 2,
        dropout: float = 0.1, eps: float = 1e-12,
    ):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.seg = nn.Embedding(type_vocab_size, d_model)
        self.norm = RowNorm(d_model, eps)
        self.drop = nn.Dropout(dropout)
        self.max_len = max_len

    def forward(self, token_ids, token_type_ids=None, position_ids=None):
        seq = token_ids.shape[1]
        assert seq <= self.max_len, f"seq = {seq} but max_len = {self.max_len}"
        if position_ids is None:
            position_ids = torch.arange(seq, device=token_ids.device)
        if token_type_ids is None:
            token_type_ids = token_ids * 0
        return self.drop(self.norm(self.tok(token_ids) + self.pos(position_ids) + self.seg(token_type_ids)))
