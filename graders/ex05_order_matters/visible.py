"""Visible checks of exercise 5: the strings, the gap of a layer, and a classifier that sees order if it may."""

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Given,
    Student,
    Unexpected,
    expect,
    expect_close,
    expect_tensor,
    needs,
    objective,
)
from graders.ex05_order_matters.gap import expect_gap, explain_causal_gap
from graders.ex05_order_matters.order import (
    ROUNDS,
    SEEN,
    STEPS,
    VOCAB,
    accuracy,
    changes,
    draw_strings,
    exchange_labels,
    expect_blind,
    explain_blindness,
    explain_company,
    explain_failure,
    explain_leak,
    logits_of,
    shake,
    train,
)
from graders.ex05_order_matters.strings import expect_no_string, make_strings

GOAL = 0.9


@objective("explain")
def check_strings(student: Student, rng: Draw) -> None:
    """make_reverse_data returns n strings, rising (label 0) or falling (label 1), as int64 ids and labels"""
    student.make_reverse_data.expect_function()
    vocab = rng.between(9, 11)
    # The longest strings come from few tokens: an answer may list all vocab_size ** length of them.
    for n, length, size in ((2 * rng.between(12, 20), rng.between(4, 6), vocab), (2, 5, 5), (8, 2, vocab)):
        ids, labels = make_strings(student, n, length, size)
        expect(
            int(ids.min()) >= 0 and int(ids.max()) < size,
            expected=f"tokens from 0 to vocab_size - 1 = {size - 1}",
            got=f"tokens from {int(ids.min())} to {int(ids.max())}",
            hint="Ids are rows of an embedding table: the first is 0, the last vocab_size - 1.",
        )
        steps = ids.diff(dim=1)
        falls = (steps < 0).all(dim=1)
        neither = ~(falls | (steps > 0).all(dim=1))
        hint = "A run is made of different tokens, sorted. Reverse it along axis 1, as a whole: runs.flip(1)."
        expect_no_string(neither, ids, labels, "every string rises or falls all along, no token twice", hint)
        wrong = falls.to(torch.int64) != labels
        hint = "Shuffle ids and labels with the same permutation, so that each string keeps its label."
        hint = "The labels are exchanged: 1 means reversed." if bool(wrong.all()) else hint
        expect_no_string(wrong, ids, labels, "label 1 for the falling strings, 0 for the rising ones", hint)


@needs("strings")
@objective("explain")
def check_bags(student: Student, rng: Draw) -> None:
    """half of the strings are reversed, and both classes hold the same runs, each as often"""
    n, vocab = 2 * rng.between(30, 40), rng.between(11, 13)
    ids, labels = make_strings(student, n, 4, vocab)
    expect(
        int(labels.sum()) == n // 2,
        expected=f"label 1 for {n // 2} of {n} strings",
        got=f"label 1 for {int(labels.sum())}",
        hint="Draw n // 2 runs, and put each of them in twice, as it is and reversed: then no answer is right more "
        "often than the other.",
    )
    bags = [sorted(sorted(row) for row in ids[labels == label].tolist()) for label in (0, 1)]
    for bag in bags[0]:
        expect(
            bags[0].count(bag) == bags[1].count(bag),
            expected="every run occurs as often reversed as it does as it is",
            got=f"{bag} occurs {bags[0].count(bag)} times as it is and {bags[1].count(bag)} times reversed",
            hint="Reverse the very runs of class 0 to make class 1. With runs of its own in each class, the tokens "
            "alone can tell the label, and a model needs no order.",
        )


@objective("explain")
def check_gap(student: Student, given: Given, rng: Draw) -> None:
    """permutation_gap is 0 for self-attention without positions, and not under a causal mask"""
    student.permutation_gap.expect_function()
    width = rng.between(5, 7)
    for batch, seq in ((3, rng.between(13, 16)), (2, rng.between(17, 20)), (9, 9)):
        expect_gap(
            student.permutation_gap(given.SelfAttention(width).eval(), 3 * rng.normal(batch, seq, width)),
            0.0,
            f"self-attention without positions, {batch} items of {seq} places",
            "Use one permutation p of the places (axis 1) on both sides: compare attention(x[:, p]) with "
            "attention(x)[:, p], since the output moves along with the input.",
        )
    what = "a layer that takes the mean of each place and those before it, as a causal mask does; 2 places"
    layer = given.CausalMean().eval()
    for _ in range(20):
        x = rng.integers(3, 2, width) + 0.5
        got = student.permutation_gap(layer, x)
        difference = (x[:, 1] - x[:, 0]) / 2
        expect_gap(got, float(difference.abs().max()), what, explain_causal_gap(got, difference))


@objective("implement")
def check_logits(student: Student, rng: Draw) -> None:
    """OrderClassifier makes two logits for every string, whatever else is in the batch"""
    student.OrderClassifier.expect_module_class()
    vocab = rng.between(11, 14)
    for args in ((vocab,), (vocab, 16, 9, True), (vocab, 16, 9, False)):
        module = student.OrderClassifier(*args).eval()
        for batch, seq in ((5, 7), (6, 6), (1, 9), (3, 1)):
            ids = rng.ids(batch, seq, vocab, low=0)
            what = f"the logits of {batch} strings of {seq} tokens"
            logits = expect_tensor(
                module(ids), (batch, 2), what, hint="Pool over axis 1, the places; end with 2 numbers."
            )
            expect(
                bool((logits < 0).any()) or float((logits.sum(dim=1) - 1).abs().max()) > 1e-4,
                expected=f"{what}, as the last linear layer gives them",
                got="numbers from 0 to 1 that add up to 1",
                hint="Leave the softmax out: cross entropy applies it by itself, and a second one slows learning down.",
            )
            expect_close(
                module(ids[:1]),
                logits[:1],
                "the logits of a string alone, as in its batch",
                tolerance=1e-4 * (1 + logits[:1].abs()),
                axes=["string", "class"],
                hint=explain_company(logits, logits_of(module, ids)),
            )


@needs("logits")
@objective("explain")
def check_order_blind(student: Student, rng: Draw) -> None:
    """without positions the logits stay the same when the tokens of a string change places"""
    ids = rng.ids(7, 6, VOCAB, low=0)

    def explain(found: dict[str, float]) -> str:
        other = shake(student.OrderClassifier(VOCAB, use_positions=True), rng)
        inverted = max(changes(other, ids).values()) <= SEEN
        return "The switch is inverted: add positions where use_positions is True." if inverted else explain_leak(found)

    module = student.OrderClassifier(VOCAB, use_positions=False).eval()
    expect_blind(module, ids, "a new model without positions", explain)
    expect_blind(shake(module, rng), ids, "a model without positions, random weights", explain, SEEN)


@needs("logits")
@objective("implement")
def check_order_seen(student: Student, rng: Draw) -> None:
    """with positions the logits of a string and of its reverse differ, for random weights"""
    _, (ids, _) = draw_strings(rng)
    module = shake(student.OrderClassifier(VOCAB), rng)
    found = changes(module, ids)
    if found["reversed"] <= SEEN:
        raise Unexpected(
            "a model with positions, random weights: other logits for a string than for its reverse",
            f"they differ by {found['reversed']:.2g} of their size",
            explain_blindness(found, logits_of(module, ids)),
        )


@needs("order_seen")
@objective("implement")
def check_learns(student: Student, rng: Draw) -> None:
    """with positions, training reaches 0.9 on strings whose runs it has not seen"""
    training, unseen = draw_strings(rng)
    module = student.OrderClassifier(VOCAB)
    before, exchanged = logits_of(module.eval(), unseen[0]), ""
    if accuracy(module, unseen) >= GOAL:
        # By luck, or by a rule that is written down; what was learned shows in the opposite.
        training, unseen = exchange_labels(training), exchange_labels(unseen)
        exchanged = ", the two labels exchanged, since a new model gave the right ones already"
    for _ in range(ROUNDS):
        loss = train(module, training, rng)
        reached = accuracy(module, unseen)
        if reached >= GOAL:
            return
    raise Unexpected(
        f"{GOAL} of {len(before)} unseen strings after at most {ROUNDS * STEPS} training steps{exchanged}",
        f"{reached:.2f} of them; the training loss is {loss:.2f}",
        explain_failure(loss, trained=not torch.equal(before, logits_of(module, unseen[0]))),
    )
