"""Expectations: no value that is not finite lets another one pass, and odd answers are told, not tripped over."""

import pytest
import torch

from graders.engine.judge.expect import Unexpected, expect_close, expect_tensor, tensor_in
from graders.engine.judge.training import expect_dropout
from graders.engine.run.values import RemoteTensor
from graders.ex01_sinusoidal.hidden import name_base
from graders.ex05_order_matters.gap import number_in

ONES = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("expected", "tolerance"),
    [
        (torch.full((2, 3), torch.inf), torch.inf),
        (torch.full((2, 3), torch.nan), torch.inf),
        (torch.full((2, 3), torch.inf), 1.0),
        (5 * ONES, torch.inf),
        (ONES, torch.inf),
        (ONES, torch.nan),
        (ONES, torch.full((2, 3), torch.inf)),
    ],
)
def test_what_is_not_finite_makes_no_comparison_pass(expected, tolerance):
    with pytest.raises(Unexpected):
        expect_close(ONES, expected, "the output", tolerance=tolerance)


def test_a_finite_tolerance_holds_for_each_value_by_itself():
    tolerance = torch.tensor([0.0, 1.0, 2.0]).expand(2, 3)
    expect_close(ONES, ONES + tolerance, "the output", tolerance=tolerance)
    with pytest.raises(Unexpected, match="2 of 6 values differ"):
        expect_close(ONES, ONES + 1, "the output", tolerance=tolerance)


@pytest.mark.parametrize("values", [ONES / 0, ONES * torch.nan, ONES * 1j])
def test_nothing_is_expected_of_an_answer_that_is_not_finite_and_real(values):
    with pytest.raises(Unexpected):
        tensor_in(RemoteTensor(values))


def test_a_finite_complex_number_is_one_whose_size_is_none():
    large = torch.full((2, 3), 3e38 + 3e38j, dtype=torch.complex64)
    expect_tensor(RemoteTensor(large), (2, 3), "the output", dtype=torch.complex64)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64, torch.float16, torch.float64])
def test_an_answer_of_any_real_dtype_can_be_expected_again(dtype):
    assert torch.equal(tensor_in(RemoteTensor(ONES.to(dtype))), ONES.to(dtype))


def dropped(rate, seed):
    generator = torch.Generator().manual_seed(seed)
    kept = torch.rand(400, 8, generator=generator) >= rate
    return RemoteTensor(kept / (1 - rate) * torch.ones(400, 8))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.4])
def test_dropout_that_draws_anew_is_right(rate):
    for seed in range(20):
        expect_dropout([dropped(rate, seed), dropped(rate, seed + 100)], torch.ones(400, 8), rate, "the output")


@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_dropout_that_drops_the_same_values_twice_is_wrong(rate):
    with pytest.raises(Unexpected, match="drawn anew"):
        expect_dropout([dropped(rate, 1), dropped(rate, 1)], torch.ones(400, 8), rate, "the output")


@pytest.mark.parametrize("turn", [5e-324, 1e-300, 1e-12, 0.0, -1.0, 1e-3, 1.0, 3.14])
def test_every_angle_has_words(turn):
    for pair in (1, 14):
        assert name_base(turn, pair, d_model=30).startswith(("Pair i turns by", "The exponent"))


@pytest.mark.parametrize("got", [float("inf"), float("nan"), RemoteTensor(torch.tensor(torch.inf))])
def test_a_gap_is_finite(got):
    with pytest.raises(Unexpected, match="a finite number"):
        number_in(got)
