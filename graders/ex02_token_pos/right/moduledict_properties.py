"""The nanoGPT fan: wte and wpe in a ModuleDict, and properties in front for the names asked for."""

import torch
import torch.nn as nn


class TokenPosEmbedding(nn.Module):

    def __init__(self, vocab_size, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.block_size = max_len
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(vocab_size, d_model),
            wpe=nn.Embedding(max_len, d_model),
            drop=nn.Dropout(dropout),
        ))

    @property
    def tok(self):
        return self.transformer.wte

    @property
    def pos(self):
        return self.transformer.wpe

    @property
    def drop(self):
        return self.transformer.drop

    @property
    def max_len(self):
        return self.block_size

    def forward(self, idx):
        b, t = idx.size()
        assert t <= self.block_size, f"{t} tokens do not fit a block of {self.block_size}"
        p = torch.arange(0, t, dtype=torch.long, device=idx.device)  # (t)
        tok_emb = self.transformer.wte(idx)  # (b, t, n_embd)
        pos_emb = self.transformer.wpe(p)  # (t, n_embd)
        return self.transformer.drop(tok_emb + pos_emb)
