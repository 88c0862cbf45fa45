"""TODO: number and title of the exercise, and in one sentence what it is for.

Pinned: TODO, the names, defaults, shapes and exceptions that checks rely on.
Free: TODO, what students may decide for themselves.

Check your work with ``make grade``, or this file alone with
``make grade ARGS="-e ex00_skeleton"``.
"""

import torch
from torch import nn


class Skeleton(nn.Module):
    """TODO: what comes out, in one sentence.

    Source: TODO, the paper and its section.
    """

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """TODO: what this returns, in one sentence.

        Shapes: ``x`` is ``(batch, seq, d_model)``, and so is the result.
        """
        # TODO 1 (about 1 line): TODO, say what is to be done, not how.
        raise NotImplementedError("TODO 1: double every value")
