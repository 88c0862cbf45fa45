"""The nanoGPT fan: five entries of one ModuleDict, reached through properties under the asked names."""

import torch
import torch.nn as nn


class BertEmbeddings(nn.Module):

    def __init__(self, vocab_size, d_model, max_len=512, type_vocab_size=2, dropout=0.1, eps=1e-12):
        super().__init__()
        self.block_size = max_len
        self.embd = nn.ModuleDict(dict(
            wte=nn.Embedding(vocab_size, d_model),
            wpe=nn.Embedding(max_len, d_model),
            wse=nn.Embedding(type_vocab_size, d_model),
            ln=nn.LayerNorm(d_model, eps=eps),
            drop=nn.Dropout(dropout),
        ))

    tok = property(lambda self: self.embd["wte"])
    pos = property(lambda self: self.embd["wpe"])
    seg = property(lambda self: self.embd["wse"])
    norm = property(lambda self: self.embd["ln"])
    drop = property(lambda self: self.embd["drop"])

    def forward(self, token_ids, token_type_ids=None, position_ids=None):
        b, t = token_ids.size()
        assert t <= self.block_size, f"cannot embed {t} tokens, the block is {self.block_size}"
        if position_ids is None:
            position_ids = torch.arange(t, device=token_ids.device)  # (t)
        x = self.embd.wte(token_ids) + self.embd.wpe(position_ids)  # (b, t, n_embd)
        if token_type_ids is not None:
            x = x + self.embd.wse(token_type_ids)
        else:
            x = x + self.embd.wse.weight[0]  # everything is sentence A
        return self.embd.drop(self.embd.ln(x))
