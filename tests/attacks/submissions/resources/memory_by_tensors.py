"""Take memory by tensors."""

import torch

held = []
try:
    while len(held) < 64:
        held.append(torch.ones(8 << 20))
except (MemoryError, RuntimeError, OSError) as error:
    held.clear()
    raise MemoryError from error
win("all of it was given")
