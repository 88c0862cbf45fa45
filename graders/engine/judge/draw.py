"""Random inputs for a check: drawn from a generator that the run's seed and the check's name determine."""

import hashlib
import random

import torch


class Draw:
    """What a check gets as `rng`. The same run seed and the same check give the same draws, whatever else runs."""

    def __init__(self, run_seed: int, check: str) -> None:
        digest = hashlib.sha256(f"{run_seed}:{check}".encode()).digest()
        self._torch = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))
        self._python = random.Random(digest)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included; disjoint ranges give sizes that differ."""
        return self._python.randint(low, high)

    def seed(self) -> int:
        """Return a seed for the worker's own generator."""
        return self._python.randrange(1 << 31)

    def ids(self, batch: int, seq: int, vocab: int, low: int = 1) -> torch.Tensor:
        """Return int64 ids from `low` to vocab - 1, shape (batch, seq). With low=0, id 0 is sure to be among them."""
        drawn = torch.randint(low, vocab, (batch, seq), generator=self._torch)
        if low == 0:
            drawn[self._python.randrange(batch), self._python.randrange(seq)] = 0
        return drawn

    def normal(self, *shape: int) -> torch.Tensor:
        """Return standard normal float32 values."""
        return torch.randn(shape, generator=self._torch, dtype=torch.float32)

    def integers(self, *shape: int, low: int = -4, high: int = 4) -> torch.Tensor:
        """Return float32 values that are whole numbers: sums of them are exact, in any order."""
        return torch.randint(low, high + 1, shape, generator=self._torch).to(torch.float32)

    def table(self, rows: int, width: int) -> torch.Tensor:
        """Return a (rows, width) float32 table of whole numbers in which no two rows are alike."""
        values = self.integers(rows, width, low=-9, high=9)
        values[:, 0] = torch.randperm(rows, generator=self._torch).to(torch.float32) + 1
        return values
