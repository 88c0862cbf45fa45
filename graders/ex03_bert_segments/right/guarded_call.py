"""The one who builds for reuse: a base class adds up tables, the subclass lists them, __call__ guards."""

import torch
from torch import nn


class SummedTables(nn.Module):
    """A base for input layers: a look-up for every entry of a dict of ids, added up."""

    def look_up(self, **ids: torch.Tensor) -> torch.Tensor:
        return sum(getattr(self, name)(which) for name, which in ids.items())


class BertEmbeddings(SummedTables):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        max_len: int = 512,
        type_vocab_size: int = 2,
        dropout: float = 0.1,
        eps: float = 1e-12,
        init_std: float = 0.02,
    ) -> None:
        super().__init__()
        sizes = {"tok": vocab_size, "pos": max_len, "seg": type_vocab_size}
        for name, rows in sizes.items():
            table = nn.Embedding(rows, d_model)
            nn.init.normal_(table.weight, mean=0.0, std=init_std)
            self.add_module(name, table)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.drop = nn.Dropout(dropout)
        self.max_len = max_len

    def __call__(self, token_ids, *args, **kwargs):
        if token_ids.shape[-1] > self.max_len:
            raise ValueError(f"{token_ids.shape[-1]} places do not fit into {self.max_len}")
        return super().__call__(token_ids, *args, **kwargs)

    def forward(self, token_ids, token_type_ids=None, position_ids=None):
        if position_ids is None:
            position_ids = torch.linspace(
                0, max(token_ids.shape[1] - 1, 0), token_ids.shape[1], device=token_ids.device
            ).round().long()
        if token_type_ids is None:
            token_type_ids = torch.full_like(token_ids, 0)
        return self.drop(self.norm(self.look_up(tok=token_ids, pos=position_ids, seg=token_type_ids)))
