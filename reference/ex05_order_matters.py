"""Exercise 5: order matters, and without positions a Transformer cannot see it."""

import torch
from torch import nn


def make_reverse_data(
    n: int, length: int, vocab_size: int, generator: torch.Generator | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Strings of rising tokens and the same strings reversed, in random order, with the label 1 for reversed.

    A run is a random choice of ``length`` different tokens from 0 to vocab_size - 1, in rising order. Half of the
    strings are runs (label 0), the other half are the same runs from back to front (label 1): which tokens stand
    in a string says nothing about its label, their order says all.

    Shapes: ``ids`` is ``(n, length)`` and ``labels`` is ``(n,)``, both int64. ``n`` is even, and ``length`` lies
    between 2 and ``vocab_size``.
    All random numbers come from ``generator``; without one, torch's global generator serves.
    """
    noise = torch.rand(n // 2, vocab_size, generator=generator)
    runs = noise.argsort(dim=1)[:, :length].sort(dim=1).values
    ids = torch.cat((runs, runs.flip(1)))
    labels = torch.arange(2).repeat_interleave(n // 2)
    order = torch.randperm(n, generator=generator)
    return ids[order], labels[order]


def permutation_gap(attention: nn.Module, x: torch.Tensor) -> float:
    """How far ``attention`` is from treating all places alike: 0, up to rounding, if it knows no order.

    The places of ``x`` are permuted, all items alike and at least two places moved. If the places mean nothing to
    ``attention``, its output is permuted in the same way and is otherwise the same; the gap is the largest absolute
    difference between the two: ``attention(x[:, p])`` and ``attention(x)[:, p]``.

    Shapes: ``x`` and ``attention(x)`` are ``(batch, seq, d_model)``, with ``seq`` 2 or more.
    ``x`` and the mode of ``attention`` stay as they are, and nothing is seeded. No gradient is needed.
    """
    places = torch.arange(x.shape[1])
    permutation = places
    while torch.equal(permutation, places):
        permutation = torch.randperm(x.shape[1])
    with torch.no_grad():
        difference = attention(x[:, permutation]) - attention(x)[:, permutation]
    return difference.abs().max().item()


class OrderClassifier(nn.Module):
    """Says of each string whether it rises (class 0) or falls (class 1).

    Token rows, plus position rows where ``use_positions``, then a Transformer layer, the mean over all places, and
    one number for each class. Without positions every part of it is blind to order, and so is the whole.

    Source: "Attention Is All You Need" (2017), sections 3.1 and 3.5.
    """

    def __init__(self, vocab_size: int, d_model: int = 32, max_len: int = 64, use_positions: bool = True) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model) if use_positions else None
        self.layer = nn.TransformerEncoderLayer(d_model, 4, 2 * d_model, dropout=0.0, batch_first=True)
        self.head = nn.Linear(d_model, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The logits of both classes for each string, without a softmax; no other string of the batch counts.

        Shapes: ``ids`` is ``(batch, seq)`` of int64; the result is ``(batch, 2)``.
        """
        x = self.tok(ids)
        if self.pos is not None:
            x = x + self.pos(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.layer(x).mean(dim=1))


def rehearse(use_positions: bool) -> float:
    """The accuracy on unseen strings after a training like the grader's, which you may change as you like."""
    ids, labels = make_reverse_data(600, 4, 10)
    # A sum does not depend on the order: a run and its reverse are both seen or both unseen.
    unseen = ids.sum(dim=1) % 4 == 0
    model = OrderClassifier(10, use_positions=use_positions)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(200):
        batch = torch.randint(int((~unseen).sum()), (32,))
        loss = nn.functional.cross_entropy(model(ids[~unseen][batch]), labels[~unseen][batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    return (model(ids[unseen]).argmax(dim=1) == labels[unseen]).float().mean().item()


if __name__ == "__main__":
    print(f"with positions {rehearse(True):.2f}, without {rehearse(False):.2f}")
