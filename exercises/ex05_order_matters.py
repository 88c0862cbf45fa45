"""Exercise 5: order matters, and without positions a Transformer cannot see it.

Make strings in which nothing but the order of the tokens tells the class, measure that self-attention alone does not
know one place from another, and write a small classifier that can do with positions what it cannot do without.

Pinned: the names, arguments and defaults below, and what the docstrings say. With positions, the grader's training
brings the model to 0.9 on strings whose runs it has not seen. Without, no change of places changes the logits of a
string by more than rounding (1e-5 of their size), for new weights, trained ones and any others, and the accuracy stays
at chance, at most 0.65. The training: a new ``OrderClassifier(10)``, strings of 4 of 10 tokens, cross entropy, Adam
with learning rate 0.003, batches of 32, rounds of 50 steps in training mode, each with a new Adam; it ends as soon as
0.9 is reached, often after one round, and after 20 rounds at the latest. A check has 5 seconds, so keep layers
narrow: torch's encoder layer is 2048 wide inside unless ``dim_feedforward`` says otherwise.
A model keeps nothing between calls, seeds nothing and leaves its mode alone, and two models share no weights; whatever
it makes in ``forward`` belongs on the device of the ids.
Free: all of the architecture (attention, pairs, a small network at every place), fixed or learned positions and where
they act, pooling, initial values, dropout, helpers and extra optional arguments. The checks use a ``d_model`` that 8
divides, strings of 1 to ``max_len`` tokens, and batches of any size.

Check your work with ``make grade``, or this file alone with
``make grade ARGS="-e ex05_order_matters"``. Run it with Python to see both trainings.
"""

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
    # TODO 1 (about 6 lines): draw n // 2 runs, add the same runs reversed, make the labels, and shuffle both alike.
    raise NotImplementedError("TODO 1: draw runs, add their reverse, shuffle strings and labels alike")


def permutation_gap(attention: nn.Module, x: torch.Tensor) -> float:
    """How far ``attention`` is from treating all places alike: 0, up to rounding, if it knows no order.

    The places of ``x`` are permuted, all items alike and at least two places moved. If the places mean nothing to
    ``attention``, its output is permuted in the same way and is otherwise the same; the gap is the largest absolute
    difference between the two: ``attention(x[:, p])`` and ``attention(x)[:, p]``.

    Shapes: ``x`` and ``attention(x)`` are ``(batch, seq, d_model)``, with ``seq`` 2 or more.
    ``x`` and the mode of ``attention`` stay as they are, and nothing is seeded. No gradient is needed.
    """
    places = torch.arange(x.shape[1])
    # TODO 2 (about 7 lines): draw permutations of the places until one moves something, then compare the output for
    # the permuted input with the permuted output.
    raise NotImplementedError("TODO 2: permute the input, permute the output, return the largest difference")


class OrderClassifier(nn.Module):
    """Says of each string whether it rises (class 0) or falls (class 1).

    Token rows, plus position rows where ``use_positions``, then a Transformer layer, the mean over all places, and
    one number for each class. Without positions every part of it is blind to order, and so is the whole.

    Source: "Attention Is All You Need" (2017), sections 3.1 and 3.5.
    """

    def __init__(self, vocab_size: int, d_model: int = 32, max_len: int = 64, use_positions: bool = True) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        # TODO 3 (about 3 lines): make the position table, if it is asked for, a layer that mixes or bends the vectors
        # at every place, and the last linear layer.
        raise NotImplementedError("TODO 3: make the parts of the classifier")

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The logits of both classes for each string, without a softmax; no other string of the batch counts.

        Shapes: ``ids`` is ``(batch, seq)`` of int64; the result is ``(batch, 2)``.
        """
        x = self.tok(ids)
        # TODO 4 (about 4 lines): add the positions, if there are any, apply the layer, pool over the places, and
        # return one number for each class. Pooling right after the sum would cancel the positions.
        raise NotImplementedError("TODO 4: add positions, apply the layer, pool, return the logits")


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
