"""The timm habit: a position parameter that begins at zero and learns to differ from it, an attention block."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def make_reverse_data(n, length, vocab_size, generator=None):
    # Fisher and Yates, all rows at once: place i gets one of the tokens that are left.
    deck = torch.arange(vocab_size).repeat(n // 2, 1)
    row = torch.arange(n // 2)
    for i in range(length):
        j = torch.randint(i, vocab_size, (n // 2,), generator=generator)
        picked, kept = deck[row, j], deck[row, i]
        deck[row, i], deck[row, j] = picked, kept
    runs = deck[:, :length].sort(dim=1).values
    ids, labels = torch.cat([runs, runs.flip(1)]), torch.tensor([0, 1]).repeat_interleave(n // 2)
    order = torch.randperm(n, generator=generator)
    return ids[order], labels[order]


def permutation_gap(attention, x):
    order = torch.arange(x.shape[1]).roll(-1)
    before = attention(x).detach()
    after = attention(x[:, order]).detach()
    return (after - before[:, order]).abs().max()


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True, num_heads=4):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos_embed = nn.Parameter(torch.zeros(1, max_len, d_model)) if use_positions else None
        self.qkv = nn.Linear(d_model, d_model * 3)
        self.proj = nn.Linear(d_model, d_model)
        self.norm1, self.norm2, self.norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))
        self.fc_norm = nn.Identity()
        self.head = nn.Linear(d_model, 2)
        self.num_heads = num_heads
        nn.init.trunc_normal_(self.tok.weight, std=0.02)

    def attend(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4).unbind(0)
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(B, N, C))

    def forward(self, ids):
        x = self.tok(ids)
        if self.pos_embed is not None:
            x = x + self.pos_embed[:, : x.shape[1]]
        x = x + self.attend(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return self.head(self.fc_norm(self.norm(x).mean(1)))
