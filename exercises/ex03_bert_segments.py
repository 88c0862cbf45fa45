"""Exercise 3: the full input representation of BERT.

Build on exercise 2: a third table says which sentence of a pair a token belongs to, and the sum of the three
rows is normalised.

Pinned: the names and defaults below; sum, then LayerNorm, then dropout, in this order; what missing ids mean;
no parameters besides the three tables and the weight and bias of ``norm``; a refusal of sequences longer than
``max_len``. Whatever you make in ``forward`` belongs on the device of the ids.
Free: the order of the additions, how missing ids are filled in, initialisation, helpers.

Check your work with ``make grade``, or this file alone with
``make grade ARGS="-e ex03_bert_segments"``.
"""

import torch
from torch import nn


class BertEmbeddings(nn.Module):
    """Token ids become normalised vectors that say which token, at which place, in which segment.

    Three trained tables are added: ``tok`` by token id, ``pos`` by place, ``seg`` by segment (0 for the first
    sentence of a pair, 1 for the second). The sum goes through the LayerNorm ``norm``, which adds ``eps`` to
    the variance, and then through the dropout ``drop``.

    Shapes: ``tok.weight`` is ``(vocab_size, d_model)``, ``pos.weight`` is ``(max_len, d_model)``,
    ``seg.weight`` is ``(type_vocab_size, d_model)``; the weight and the bias of ``norm`` are ``(d_model,)``.
    Source: "BERT" (2018), section 3 and figure 2.
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        max_len: int = 512,
        type_vocab_size: int = 2,
        dropout: float = 0.1,
        eps: float = 1e-12,
    ) -> None:
        super().__init__()
        self.max_len = max_len
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        # TODO 1 (about 3 lines): make the segment table, the LayerNorm and the dropout, each with its own
        # argument from the signature.
        raise NotImplementedError("TODO 1: make seg, norm and drop")

    def forward(
        self,
        token_ids: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The three rows of every place added up, normalised, and sent through dropout.

        Without ``token_type_ids`` every place is in segment 0; without ``position_ids`` the places are
        0, 1, 2 and so on. Given ids are used as they are.

        Shapes: ``token_ids`` and ``token_type_ids`` are ``(batch, seq)``, ``position_ids`` is ``(seq,)`` or
        ``(batch, seq)``; the result is ``(batch, seq, d_model)``.
        Raises: AssertionError or ValueError, naming both numbers, where ``seq`` is larger than ``max_len``.
        """
        length = token_ids.shape[1]
        assert length <= self.max_len, f"a sequence of {length} does not fit max_len={self.max_len}"
        # TODO 2 (about 9 lines): fill in the ids that were not given, look the three kinds of rows up, add
        # them, normalise the sum and apply the dropout.
        raise NotImplementedError("TODO 2: fill in missing ids, add three rows, normalise, apply the dropout")
