"""The one who expects padded batches: id 0 pads the token table, and that table alone."""

import torch.nn as nn

PAD_ID = 0


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.tok = nn.Embedding(vocab_size, d_model, padding_idx=PAD_ID)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, token_ids):
        N, T = token_ids.shape
        assert T <= self.max_len, f"T={T}, max_len={self.max_len}"
        emb = self.tok(token_ids)
        emb = emb + self.pos.weight[:T]
        return self.drop(emb)
