"""The TensorFlow veteran: segments as a one-hot product, positions gathered, shapes asserted all along."""

import torch
from torch import nn
from torch.nn.functional import one_hot


class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512, type_vocab_size=2, dropout=0.1, eps=1e-12):
        super().__init__()
        self.type_vocab_size = type_vocab_size
        self.max_len = max_len
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.seg = nn.Embedding(type_vocab_size, d_model)
        self.norm = nn.LayerNorm(d_model, eps=eps, elementwise_affine=True)
        self.drop = nn.Dropout(dropout)

    def embedding_postprocessor(self, words, token_type_ids, position_ids):
        types = one_hot(token_type_ids.long(), self.type_vocab_size).to(words.dtype)
        output = words + torch.matmul(types, self.seg.weight)
        output = output + self.pos.weight[position_ids.long()]
        assert output.shape == words.shape
        return self.drop(self.norm(output))

    def forward(self, token_ids, token_type_ids=None, position_ids=None):
        batch_size, seq_length = token_ids.shape
        assert seq_length <= self.max_len, f"seq_length {seq_length} must be <= {self.max_len}"
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(token_ids)
        if position_ids is None:
            position_ids = torch.arange(seq_length, device=token_ids.device)
        return self.embedding_postprocessor(self.tok(token_ids), token_type_ids, position_ids)
