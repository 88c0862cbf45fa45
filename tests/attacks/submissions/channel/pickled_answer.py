"""A pickle that runs code where it is opened, as an answer, as a parameter and on the line itself.

Earns: constructor.
"""

import io
import os
import pickle

import torch
from torch import nn


class Bomb:
    def __reduce__(self):
        return print, (WON,)


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.bomb = Bomb()

    def forward(self, ids):
        saved = io.BytesIO()
        torch.save({"bomb": Bomb()}, saved)
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, pickle.dumps(Bomb()) + saved.getvalue())
            except OSError:
                continue
        return Bomb()
