"""The functional stylist: modules contain the weights, the calls all come from torch.nn.functional."""

import torch.nn.functional as F
from torch import Tensor, nn


class BertEmbeddings(nn.Module):
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
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.seg = nn.Embedding(type_vocab_size, d_model)
        self.norm = nn.LayerNorm(d_model, eps)
        self.drop = nn.Dropout(dropout)
        for table in (self.tok, self.pos, self.seg):
            nn.init.trunc_normal_(table.weight, std=0.02)

    def forward(
        self, token_ids: Tensor, token_type_ids: Tensor | None = None, position_ids: Tensor | None = None
    ) -> Tensor:
        length, limit = token_ids.size(1), self.pos.num_embeddings
        if length > limit:
            raise ValueError(f"length {length} > limit {limit}")
        p = self.pos.weight[:length] if position_ids is None else F.embedding(position_ids, self.pos.weight)
        s = self.seg.weight[0] if token_type_ids is None else F.embedding(token_type_ids, self.seg.weight)
        h = F.embedding(token_ids, self.tok.weight) + p + s
        h = F.layer_norm(h, (h.size(-1),), self.norm.weight, self.norm.bias, self.norm.eps)
        return F.dropout(h, self.drop.p, self.training)
