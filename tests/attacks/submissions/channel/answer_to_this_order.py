"""Answer an order before the worker does, with its number from the callers' frames, and with values that are wrong.

Earns: constructor, shape.
"""

import torch
from torch import nn


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, ids):
        line, number = order()
        shape = [*ids.shape, 3]
        facts = {"tensor": 0, "requires_grad": False, "device": "cpu", "type": "Tensor"}
        value = {"dict": [["result", facts]]}
        body = torch.zeros(shape).numpy().tobytes()
        line.sendall(frame({"id": number, "value": value, "tensors": [["float32", shape]]}, body))
        return torch.zeros(shape)
