"""Exercise 2: learned positions, a second embedding table that is looked up by place."""

import torch
from torch import nn


class TokenPosEmbedding(nn.Module):
    """Token ids become vectors that say which token stands there and at which place.

    Two tables are trained together: ``tok`` has a row for every token of the vocabulary, ``pos`` a row for
    every place from 0 to max_len - 1. ``drop`` acts on the sum of the two rows. There is no scaling, no norm
    and no masking.

    Shapes: ``tok.weight`` is ``(vocab_size, d_model)`` and ``pos.weight`` is ``(max_len, d_model)``.
    Source: "Improving Language Understanding by Generative Pre-Training" (GPT, 2018), sections 3.1 and 4.1.
    """

    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)
        self.max_len = max_len

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        """The token row plus the position row for every id, with dropout on the sum.

        Shapes: ``token_ids`` is ``(batch, seq)`` of integers; the result is ``(batch, seq, d_model)``.
        Raises: AssertionError, naming both numbers, where ``seq`` is larger than ``max_len``.
        """
        length = token_ids.shape[1]
        assert length <= self.max_len, f"a sequence of {length} does not fit max_len={self.max_len}"
        positions = torch.arange(length, device=token_ids.device)
        token_rows = self.tok(token_ids)
        position_rows = self.pos(positions)
        total = token_rows + position_rows
        return self.drop(total)
