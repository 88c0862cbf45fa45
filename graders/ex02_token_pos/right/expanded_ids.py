"""The careful beginner: a position id for every single token, so that both look-ups have the same shape."""

import torch
from torch import nn


class TokenPosEmbedding(nn.Module):
    """Adds a learned position vector to each token vector."""

    def __init__(self, vocab_size, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.tok = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self.pos = nn.Embedding(num_embeddings=max_len, embedding_dim=d_model)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, token_ids):
        batch_size, seq_len = token_ids.shape
        assert seq_len <= self.max_len, (
            f"Sequence too long: {seq_len} tokens, but there are only {self.max_len} positions."
        )
        # one row of ids 0, 1, 2, ... for the first sequence, then the same row for all others
        one_row = torch.arange(seq_len, device=token_ids.device).unsqueeze(0)
        pos_ids = one_row.expand(batch_size, seq_len)

        tok_vectors = self.tok(token_ids)
        pos_vectors = self.pos(pos_ids)
        out = tok_vectors + pos_vectors
        out = self.drop(out)
        return out
