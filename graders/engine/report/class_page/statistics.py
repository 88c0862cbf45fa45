"""Figures of a class: this module takes sequences of numbers, and knows nothing of cards."""

import math
from collections.abc import Sequence


def median(values: Sequence[int]) -> float:
    """The middle value, or the mean of the two in the middle; raises ValueError for no values."""
    return quantile(values, 0.5)


def quantile(values: Sequence[int], share: float) -> float:
    """The value below which such a share lies, by linear interpolation (Hyndman and Fan's type 7, as in numpy)."""
    if not values:
        raise ValueError("no values have no quantile")
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def point_biserial(passed: Sequence[bool], scores: Sequence[int]) -> float | None:
    """The correlation of passing with a score, -1 to 1; none where all passed, all failed, or all have one score.

    To say something about a check, the scores have to be without its own points ("corrected", Henrysson 1963). The sums
    are of whole numbers, and so exact until the root.
    """
    number, right = len(scores), sum(passed)
    total = sum(scores)
    of_right = sum(score for score, one in zip(scores, passed, strict=True) if one)
    spread = (number * right - right**2) * (number * sum(score * score for score in scores) - total**2)
    return (number * of_right - right * total) / math.sqrt(spread) if spread > 0 else None


def strongest(passed: Sequence[bool], scores: Sequence[int]) -> tuple[int, int]:
    """How many of the third with the highest scores passed, and how many these are, equals of the last included."""
    if not scores:
        return 0, 0
    lowest = sorted(scores, reverse=True)[math.ceil(len(scores) / 3) - 1]
    top = [one for one, score in zip(passed, scores, strict=True) if score >= lowest]
    return sum(top), len(top)


def tenths(values: Sequence[int], most: int) -> list[int]:
    """How many values lie in each tenth of the maximum, which itself, with all above it, belongs to the last one."""
    counts = [0] * 10
    for value in values:
        counts[min(value * 10 // most, 9)] += 1
    return counts


def joined(counts: Sequence[int], least: int) -> list[tuple[int, int, int]]:
    """Neighbouring bins joined until each holds so many: first bin, last bin and number; none where all are fewer."""
    groups: list[tuple[int, int, int]] = []
    first = held = 0
    for place, number in enumerate(counts):
        held += number
        if held >= least:
            groups.append((first, place, held))
            first, held = place + 1, 0
    if groups and first < len(counts):
        start, _, number = groups.pop()
        groups.append((start, len(counts) - 1, number + held))
    return groups
