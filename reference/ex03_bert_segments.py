"""Exercise 3: the input layer of BERT, where token, position and segment vectors meet."""

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
        self.seg = nn.Embedding(type_vocab_size, d_model)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.drop = nn.Dropout(dropout)

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
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(token_ids)
        if position_ids is None:
            position_ids = torch.arange(length, device=token_ids.device)
        token_rows = self.tok(token_ids)
        position_rows = self.pos(position_ids)
        segment_rows = self.seg(token_type_ids)
        total = token_rows + position_rows + segment_rows
        normalised = self.norm(total)
        return self.drop(normalised)
