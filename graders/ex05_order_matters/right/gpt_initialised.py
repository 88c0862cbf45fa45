"""The nanoGPT reader: tables in a ModuleDict, weights of deviation 0.02, a fused projection, no mask here."""

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F


def make_reverse_data(n, length, vocab_size, generator=None):
    # a row of noise is below its own (length+1)-th smallest value at `length` places: a random subset
    noise = torch.rand(n // 2, vocab_size, generator=generator, dtype=torch.float64)
    kth = noise.kthvalue(length, dim=1, keepdim=True).values
    subset = (noise <= kth).nonzero()[:, 1].view(n // 2, length)
    x = torch.cat((subset, subset.flip(1)), dim=0)
    y = torch.cat((torch.zeros(n // 2, dtype=torch.long), torch.ones(n // 2, dtype=torch.long)))
    ix = torch.randperm(n, generator=generator)
    return x[ix], y[ix]


def permutation_gap(attention, x):
    T = x.size(1)
    ix = torch.randperm(T - 1) + 1
    ix = torch.cat((ix, torch.zeros(1, dtype=torch.long)))  # place 0 goes last, so it has moved
    with torch.no_grad():
        return (attention(x[:, ix]) - attention(x)[:, ix]).abs().max().item()


@dataclass
class Config:
    vocab_size: int
    n_embd: int
    block_size: int
    n_head: int = 4


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.n_head = config.n_head

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in self.c_attn(x).chunk(3, dim=2))
        att = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.size(-1)), dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd)
        self.attn = SelfAttention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd)
        self.mlp = nn.Sequential(
            nn.Linear(config.n_embd, 4 * config.n_embd), nn.GELU(), nn.Linear(4 * config.n_embd, config.n_embd)
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size, d_model=32, max_len=64, use_positions=True):
        super().__init__()
        config = Config(vocab_size, d_model, max_len)
        tables = {"wte": nn.Embedding(config.vocab_size, config.n_embd)}
        if use_positions:
            tables["wpe"] = nn.Embedding(config.block_size, config.n_embd)
        self.transformer = nn.ModuleDict({**tables, "h": Block(config), "ln_f": nn.LayerNorm(config.n_embd)})
        self.head = nn.Linear(config.n_embd, 2, bias=False)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, idx):
        t = idx.size(1)
        x = self.transformer.wte(idx)
        if "wpe" in self.transformer:
            x = x + self.transformer.wpe(torch.arange(t, device=idx.device))
        x = self.transformer.ln_f(self.transformer.h(x))
        return self.head(x.mean(dim=1))
