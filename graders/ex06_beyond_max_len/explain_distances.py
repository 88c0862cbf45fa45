"""Exercise 6: which other buckets came, in words for the student who made them."""

import math

import torch

from graders.ex06_beyond_max_len.formulas import bucket_rule
from graders.ex06_beyond_max_len.parts import agree


def explain_buckets(
    values: torch.Tensor, certain: torch.Tensor, rel: torch.Tensor, both: bool, count: int, limit: int
) -> str:
    """Say which other rule gives these buckets."""
    size = count // 2 if both else count
    right = bucket_rule(rel, both, count, limit)[0]
    one_range = bucket_rule(-rel.abs(), False, count, limit)[0]
    distance = rel.abs() if both else (-rel).clamp(min=0)
    exact = size // 2
    logarithm = torch.log(distance.clamp(min=exact).to(torch.float64) / exact)
    growth = logarithm / math.log(limit / exact) * (size - exact)
    first = (rel > 0).long() * (size if both else 0)

    def with_far(far: torch.Tensor) -> torch.Tensor:
        return first + torch.where(distance < exact, distance, far.clamp(max=size - 1))

    if not both and agree(values[certain], one_range[certain]):
        return "Without bidirectional, keys after the query have bucket 0: clamp -rel at 0, instead of abs()."
    mistakes = (
        (bucket_rule(-rel, both, count, limit)[0], "The direction is swapped: rel = key - query, so rel > 0 means a "
         "key after the query."),
        (one_range, "Both directions share all buckets: halve num_buckets, and let rel > 0 use the upper half."),
        (one_range + (rel > 0) * count, "Halve num_buckets before anything else: here the upper half lies beyond it."),
        (one_range + (rel > 0) * size, "Halve num_buckets before the distances are sorted: each direction has only one "
         "half."),
        (bucket_rule(-rel.abs(), False, size, limit)[0], "The direction is lost: rel > 0 uses the upper half, so add "
         "num_buckets // 2 there."),
        (right + (rel == 0) * size, "rel = 0 belongs to the lower half: compare with rel > 0."),
        (bucket_rule(rel, not both, count, limit)[0], "bidirectional is not obeyed, or taken the wrong way round."),
        (bucket_rule(rel, both, 32, limit)[0], "num_buckets is not used: 32 is only its default."),
        (bucket_rule(rel, both, count, 128)[0], "max_distance is not used: 128 is only its default."),
        (bucket_rule(rel, both, 32, 128)[0], "num_buckets and max_distance are not used: 32 and 128 are defaults."),
        (first + torch.where(distance < exact, distance, exact + growth.floor().long()), "Limit the far buckets to the "
         "last one of the range, size - 1."),
        (first + distance.clamp(max=size - 1), "Only distances below exact = size // 2 have a bucket each: beyond, "
         "buckets grow with the logarithm."),
        (with_far(exact + growth.round().long()), "Cut the far buckets down to whole numbers: round() takes some of "
         "them one too far."),
        (with_far(exact + growth.ceil().long()), "Cut the far buckets down to whole numbers: ceil() takes them one too "
         "far."),
        (with_far(exact + logarithm.floor().long()), "Divide the logarithm by log(max_distance / exact), and multiply "
         "it by size - exact."),
        (with_far(exact + (growth / (size - exact) * size).floor().long()), "The far buckets are size - exact in "
         "number: multiply by that."),
        (with_far(exact + (growth / (size - exact) * exact).floor().long()), "The far buckets are size - exact in "
         "number, one more than exact where size is odd: multiply by that."),
        (with_far(growth.floor().long()), "The far buckets come after the near ones: add exact."),
        (with_far(exact + (logarithm / math.log(limit) * (size - exact)).floor().long()), "Divide by "
         "log(max_distance / exact): both logarithms are taken of a distance over exact."),
    )  # fmt: skip
    for mistaken, words in mistakes:
        if agree(values[certain], mistaken[certain]):
            return words
    return "Near distances have a bucket each; far ones share buckets that grow with the logarithm, up to the last."
