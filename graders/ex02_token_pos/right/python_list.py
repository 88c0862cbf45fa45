"""The plain Python habit: count with range, turn the list into a tensor beside the ids."""

import torch
from torch import nn


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512, dropout=0.1):
        nn.Module.__init__(self)
        self.max_len = max_len
        self.drop = nn.Dropout(dropout)
        self.pos = nn.Embedding(max_len, d_model)
        self.tok = nn.Embedding(vocab_size, d_model)

    def forward(self, token_ids):
        how_many = len(token_ids[0]) if len(token_ids) else token_ids.shape[1]
        assert not how_many > self.max_len, "%d > %d" % (how_many, self.max_len)
        numbers = [n for n in range(how_many)]
        numbers = torch.tensor(numbers, dtype=torch.long, device=token_ids.device)
        return self.drop(self.pos(numbers) + self.tok(token_ids))
