"""Exercise 2: learned positional embeddings, the heart of the lesson.

Give every place of a sequence a trainable vector and add it to the vector of the token that stands there.

Pinned: the names and defaults below; ``tok`` and ``pos`` are ``nn.Embedding`` tables, ``drop`` is an
``nn.Dropout``, and these hold every parameter there is; plain addition, then dropout; a sequence of exactly
``max_len`` is welcome and a longer one meets your own ``AssertionError``. Whatever you make in ``forward``
belongs on the device of the ids.
Free: how you number the places, how the tables are initialised, helpers and extra optional arguments.

Check your work with ``make grade``, or this file alone with
``make grade ARGS="-e ex02_token_pos"``.
"""

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
        self.max_len = max_len
        # TODO 1 (about 3 lines): make the two tables and the dropout, under the names in the docstring.
        raise NotImplementedError("TODO 1: make tok, pos and drop")

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        """The token row plus the position row for every id, with dropout on the sum.

        Shapes: ``token_ids`` is ``(batch, seq)`` of integers; the result is ``(batch, seq, d_model)``.
        Raises: AssertionError, naming both numbers, where ``seq`` is larger than ``max_len``.
        """
        # TODO 2 (about 6 lines): refuse a sequence that has more places than the table, number the places
        # from 0, look both kinds of rows up, add them and apply the dropout.
        raise NotImplementedError("TODO 2: look up both tables, add the rows, apply the dropout")
