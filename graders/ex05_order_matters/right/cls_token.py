"""The BERT user: a learned summary token in front, norms before each block, and the answer read off that token."""

import torch
from torch import nn


def make_reverse_data(n: int, length: int, vocab_size: int, generator: torch.Generator | None = None):
    weights = torch.ones(n // 2, vocab_size)
    runs = torch.multinomial(weights, length, replacement=False, generator=generator).sort(dim=1)[0]
    order = torch.randperm(n, generator=generator)
    ids = torch.cat([runs, runs.fliplr()])[order]
    return ids, (order >= n // 2).to(torch.int64)


@torch.no_grad()
def permutation_gap(attention: nn.Module, x: torch.Tensor) -> float:
    backwards = torch.arange(x.shape[1] - 1, -1, -1, device=x.device)
    return float((attention(x[:, backwards]) - attention(x)[:, backwards]).abs().amax())


class OrderClassifier(nn.Module):
    def __init__(self, vocab_size: int, d_model: int = 32, max_len: int = 64, use_positions: bool = True) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, d_model)
        self.position_embeddings = nn.Embedding(max_len, d_model) if use_positions else None
        self.cls = nn.Parameter(torch.zeros(1, 1, d_model))
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(
                d_model, nhead=4, dim_feedforward=4 * d_model, dropout=0.1, activation="gelu",
                batch_first=True, norm_first=True,
            ),
            num_layers=1,
            norm=nn.LayerNorm(d_model),
            enable_nested_tensor=False,
        )
        self.classifier = nn.Linear(d_model, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        B, L = ids.shape
        h = self.word_embeddings(ids)
        if self.position_embeddings is not None:
            h = h + self.position_embeddings.weight[:L]
        h = torch.cat([self.cls.expand(B, -1, -1), h], dim=1)
        return self.classifier(self.encoder(h)[:, 0])
