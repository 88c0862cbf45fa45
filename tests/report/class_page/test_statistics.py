"""The figures against values worked out by hand, and against numpy where it has the same one."""

import math
import random

import numpy as np
import pytest

from graders.engine.report.class_page.statistics import joined, median, point_biserial, quantile, strongest, tenths


def test_the_correlation_is_the_one_worked_out_by_hand():
    # Those who pass have 8 and 6 (mean 7), those who fail 5 and 1 (mean 3); all: mean 5, variance (9+1+0+16)/4 = 6.5.
    # (7 - 3) / sqrt(6.5) * sqrt(1/2 * 1/2) = 2 / sqrt(6.5).
    assert point_biserial([True, True, False, False], [8, 6, 5, 1]) == pytest.approx(2 / math.sqrt(6.5))


def test_the_correlation_is_pearsons():
    draw = random.Random(3)
    scores = [draw.randrange(100) for _ in range(200)]
    passed = [score + draw.randrange(80) > 90 for score in scores]
    assert point_biserial(passed, scores) == pytest.approx(np.corrcoef(passed, scores)[0, 1])


@pytest.mark.parametrize(
    ("passed", "scores"),
    [([], []), ([True], [5]), ([True, True], [1, 2]), ([False, False], [1, 2]), ([True, False], [4, 4])],
    ids=["nobody", "one", "all pass", "none pass", "one score"],
)
def test_there_is_no_correlation_of_what_does_not_vary(passed, scores):
    assert point_biserial(passed, scores) is None


def test_perfect_agreement_and_its_opposite():
    assert point_biserial([True, False], [2, 1]) == pytest.approx(1)
    assert point_biserial([False, True], [2, 1]) == pytest.approx(-1)


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.75, 1])
def test_quantiles_are_numpys(share):
    values = [3, 1, 4, 1, 5, 9, 2, 6]
    assert quantile(values, share) == pytest.approx(np.quantile(values, share))


def test_medians():
    assert median([7]) == 7
    assert median([4, 1, 2]) == 2
    assert median([4, 1]) == 2.5
    with pytest.raises(ValueError, match="no quantile"):
        median([])


def test_the_strongest_third_is_rounded_up_and_takes_equals_in():
    assert strongest([True, False, True, False], [9, 8, 2, 1]) == (1, 2)
    assert strongest([True, False, False, True, True, False], [9, 8, 8, 8, 1, 0]) == (2, 4)
    assert strongest([], []) == (0, 0)


def test_tenths_of_a_maximum():
    assert tenths([0, 9, 10, 99, 100, 107], 100) == [2, 1, 0, 0, 0, 0, 0, 0, 0, 3]
    assert tenths([0, 1, 2, 3], 3) == [1, 0, 0, 1, 0, 0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("counts", "groups"),
    [
        ([5, 0, 5], [(0, 0, 5), (1, 2, 5)]),
        ([1, 1, 4, 9], [(0, 2, 6), (3, 3, 9)]),
        ([7, 2, 1], [(0, 2, 10)]),
        ([1, 2], []),
        ([0, 0], []),
        ([], []),
    ],
)
def test_bins_are_joined_until_nobody_stands_out(counts, groups):
    assert joined(counts, 5) == groups


def test_joined_bins_hold_everybody():
    draw = random.Random(5)
    for _ in range(200):
        counts = [draw.choice([0, 1, 2, 5, 8]) for _ in range(10)]
        groups = joined(counts, 5)
        assert all(number >= 5 for _, _, number in groups)
        assert sum(number for _, _, number in groups) == (sum(counts) if groups else 0)
        assert [first for first, _, _ in groups[1:]] == [last + 1 for _, last, _ in groups[:-1]]
