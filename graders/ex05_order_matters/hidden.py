"""Hidden checks of exercise 5: where the random numbers come from, gaps of any layer, and the model without order."""

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Generator,
    Given,
    Student,
    Unexpected,
    expect,
    expect_arguments_untouched,
    expect_calls_leave_nothing,
    expect_close,
    expect_placement,
    expect_randomness_untouched,
    expect_same_answer_twice,
    expect_tensor,
    needs,
    objective,
)
from graders.ex05_order_matters.gap import expect_gap, number_in
from graders.ex05_order_matters.order import (
    ROUNDING,
    STEPS,
    VOCAB,
    accuracy,
    changes,
    draw_strings,
    expect_blind,
    expect_places,
    explain_leak,
    logits_of,
    shake,
    train,
)
from graders.ex05_order_matters.strings import expect_other, expect_same, make_strings

CHANCE = 0.65
MANY_RUNS = 60
LONG = 100


@needs("strings")
@objective("explain")
def check_generator(student: Student, rng: Draw) -> None:
    """the generator alone decides on the data; without one, torch's global generator does"""
    vocab, seed = rng.between(15, 18), rng.seed()
    sizes = (24, 4, vocab)

    def draw(everyone: int, own: int | None = None) -> torch.Tensor:
        generator = None if own is None else Generator(own)
        made = student.make_reverse_data.seeded(everyone, *sizes, generator=generator)
        return torch.cat([part.values.reshape(24, -1) for part in made], dim=1)  # the labels are the last column

    given = "Give the generator to every call that draws, as in torch.randperm(..., generator=generator); seed nothing."
    none = "Without a generator, leave it None in every call of torch: the global generator serves then."
    one, other = draw(1, own=seed), draw(1, own=seed + 1)
    expect_other(one, other, "strings", "generators with two seeds", given)
    expect_same(one, draw(2, own=seed), "two generators with one seed", given)
    order = "Shuffle, and with the given generator: otherwise the two classes come in the same order every time."
    expect_other(one[:, -1], other[:, -1], "label sequences", "generators with two seeds", order)
    after = student.make_reverse_data.call_then_random(*sizes, generator=Generator(seed), seed=seed)
    untouched = torch.rand(3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    expect_same(after, untouched, "torch's global generator, when another is given: its random numbers go on", given)
    expect_other(draw(1), draw(2), "strings", "torch's global generator under two seeds, when none is given", none)
    expect_same(draw(1), draw(1), "torch's global generator under one seed, when none is given", none)


@needs("strings")
@objective("explain")
def check_shuffled(student: Student, rng: Draw) -> None:
    """the strings come in random order: no blocks, no alternation, no fixed distance between a run and its reverse"""
    n = 400
    ids, labels = make_strings(student, n, 5, vocab=18)
    expected = 2 * int(labels.sum()) * int((1 - labels).sum()) / n
    turns = int((labels.diff() != 0).sum())
    expect(
        abs(turns - expected) <= 6 * expected / n**0.5,
        expected=f"about {expected:.0f} changes of label from one of {n} strings to the next, as in a random order",
        got=f"{turns} changes",
        hint="Shuffle at the end: draw order = torch.randperm(n, generator=generator), then return ids[order] and "
        "labels[order]. Otherwise a batch of neighbours holds one class, or the place in the data tells the label.",
    )
    places: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(ids.sort(dim=1).values.tolist()):
        places.setdefault(tuple(row), []).append(place)
    pairs = torch.tensor([two for two in places.values() if len(two) == 2] or [[0, 0]])
    for what, values in (("distance", pairs[:, 1] - pairs[:, 0]), ("sum of places", pairs.sum(dim=1))):
        common = int(values.bincount().max())
        expect(
            common <= n // 10,
            expected=f"no {what} that many pairs of a run and its reverse share",
            got=f"{common} of {len(pairs)} pairs have the same {what}",
            hint="Shuffle all strings at the end with one permutation, instead of pairs or halves of them.",
        )


@needs("strings")
@objective("explain")
def check_random_runs(student: Student, rng: Draw) -> None:
    """the runs are random choices from the whole vocabulary"""
    n, length, vocab = 400, 5, 12
    ids, _ = make_strings(student, n, length, vocab)
    runs = ids.sort(dim=1).values.unique(dim=0)
    expect(
        len(runs) >= MANY_RUNS,
        expected=f"well over {MANY_RUNS} different runs among {n // 2} random ones: there are 792 in all",
        got=f"{len(runs)}",
        hint="Draw each of the n // 2 runs anew: one is drawn here, and repeated."
        if len(runs) == 1
        else "Choose `length` different tokens at random for every run, and sort them: torch.randperm(vocab_size)"
        "[:length] does. Neighbours in a run may be any distance apart.",
    )
    for token in range(vocab):
        expect(
            bool((ids == token).any()),
            expected=f"each of the {vocab} tokens in some of {n} strings",
            got=f"no string with token {token}",
            hint="Choose from all tokens, 0 to vocab_size - 1, both included.",
        )


@needs("gap")
@objective("explain")
def check_gap_of_any_layer(student: Student, given: Given, rng: Draw) -> None:
    """permutation_gap is the largest difference wherever it stands, and some places always move"""
    width = rng.between(5, 7)
    hint = "Compare place by place; take the largest absolute difference of all items, places and features."
    first = given.FirstPlace().eval()
    for feature in range(width):
        x = torch.zeros(4, 2, width)
        x[rng.between(1, 3), 0, feature] = size = float(rng.between(20, 40))
        expect_gap(student.permutation_gap(first, x), size, "a layer that reads place 0 alone", hint)
    placed = given.PlacedSelfAttention(width, 20).eval()
    still = "Draw the permutation again as long as it is 0, 1, 2, ...: of 2 places, randperm leaves half unmoved."
    for _ in range(8):
        x = rng.normal(2, 2, width)
        swapped, plain = (expect_tensor(placed(each), x.shape, "the layer's own answer") for each in (x.flip(1), x))
        got = student.permutation_gap(placed, x)
        expected = float((swapped - plain.flip(1)).abs().max())
        expect_gap(got, expected, "self-attention with positions, 2 places", hint if number_in(got) else still)
    gap = number_in(student.permutation_gap(placed, rng.normal(3, 17, width)))
    expect(gap > 0.01, expected="a gap for attention with positions, 17 places", got=f"{gap:.3g}", hint=hint)


@needs("gap")
@objective("explain")
def check_gap_leaves_all(student: Student, given: Given, rng: Draw) -> None:
    """permutation_gap leaves x, the layer's mode and the random seed alone"""
    width = rng.between(5, 7)
    x = rng.normal(3, 8, width)
    still = given.SelfAttention(width, dropout=0.5).eval()
    result, arguments = student.permutation_gap.call_and_show_arguments(still, x)
    hint = "An operation in place wrote into x: x[:, p] is a new tensor, x[:] = ... is not."
    expect_close(arguments[1], x, "x after the call, as it was before", axes=["item", "place", "feature"], hint=hint)
    hint = "Leave the mode alone, without attention.train() or an attention.eval() that stays: training has dropout."
    expect_gap(result, 0.0, "self-attention with dropout, in evaluation mode", hint)
    learning = given.SelfAttention(width).train()
    student.permutation_gap(learning, x)
    for layer, mode in ((still, False), (learning, True)):
        came = layer.in_training()
        expect(came is mode, expected=f"training is {mode} after the call, as before", got=f"{came}", hint=hint)
    one, other = (student.permutation_gap.call_then_random(still, x, seed=seed) for seed in (1, 2))
    expect(
        not torch.equal(one, other),
        expected="torch's random numbers after the call depend on the caller's seed",
        got="the same random numbers under two seeds",
        hint="Remove torch.manual_seed: the caller decides the seed.",
    )


@needs("logits")
@objective("implement")
def check_state(student: Student, rng: Draw) -> None:
    """calls leave nothing behind: mode, ids and random numbers stay, eval() is not random, objects share no weights"""
    ids, long = rng.ids(3, 5, VOCAB, low=0), rng.ids(2, 8, VOCAB)
    for use_positions in (True, False):
        module = student.OrderClassifier(VOCAB, use_positions=use_positions)
        expect_same_answer_twice(module, ids)
        expect_calls_leave_nothing(module, ids, long)
        expect_arguments_untouched(module, ids, weights=())
        kwargs = {"vocab_size": VOCAB, "use_positions": use_positions}
        expect_randomness_untouched(student.OrderClassifier, rng, ids, **kwargs)
        first, second = student.OrderClassifier(**kwargs), student.OrderClassifier(**kwargs).eval()
        before = logits_of(second, ids)
        shake(first, rng)
        expect_close(
            logits_of(second, ids),
            before,
            f"the logits of a second object (use_positions={use_positions}), after the weights of the first changed",
            tolerance=ROUNDING * (1 + before.abs()),
            axes=["string", "class"],
            dtype=None,
            hint="Make every part anew in __init__ and keep it on self: none on the class, in the file or in a cache.",
        )


@needs("logits")
@objective("explain")
def check_baseline(student: Student, rng: Draw) -> None:
    """without positions, training does not help: the accuracy stays at chance, and order changes nothing"""
    training, unseen = draw_strings(rng)
    module = student.OrderClassifier(VOCAB, use_positions=False)
    train(module, training, rng)
    reached = accuracy(module, unseen)
    if reached > CHANCE:
        raise Unexpected(
            f"at most {CHANCE} of {len(unseen[1])} unseen strings without positions, after {STEPS} training steps",
            f"{reached:.2f} of them: order is seen",
            explain_leak(changes(module, unseen[0])),
        )
    expect_blind(module, unseen[0], "a trained model without positions", explain_leak)


@needs("logits")
@objective("implement")
def check_device(student: Student, rng: Draw) -> None:
    """positions are as many as max_len says, and follow the ids to another device"""
    expect_places(student.OrderClassifier(11, max_len=LONG), rng.ids(2, LONG, 11, low=0))
    ids = rng.ids(2, 6, VOCAB)
    for use_positions in (True, False):
        kwargs = {"vocab_size": VOCAB, "d_model": 16, "max_len": 9, "use_positions": use_positions}
        expect_placement(student.OrderClassifier.place([ids], **kwargs))
