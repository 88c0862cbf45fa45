"""The exercises: every known answer earns what it should, whatever the seed, and no known fault is left out."""

import re
from pathlib import Path

import pytest
import yaml

import graders
from graders.engine.author import lint
from graders.engine.author.answers import known_answer
from graders.engine.judge.outcome import Verdict
from graders.engine.judge.session import Options, judge
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric
from graders.engine.score.results import EARNING

COURSE = find_course(Path(graders.__file__).parents[1])
RUBRIC = load_rubric(COURSE.rubric)
SLUGS = list(RUBRIC.exercises)
LINT_SEEDS = [0]
# At 2646 a sum of two random rows is exactly zero, which is no dropout.
OTHER_SEEDS = [1, 2646, 77_777_777, 2_147_483_647]
SEEDS_EACH = {"ex05_order_matters": 2}
"""Under how many of them a right answer is judged, where it is not one: there a check trains it, from its own start."""

KNOWN_FAULTS = {
    "ex01_sinusoidal": """
        base_1000 bfloat16_positions buffer_requires_grad concat_halves cos_own_frequency dim_from_input
        divide_by_freq exponent_doubled exponent_halved float64_buffer hardcoded_512 length_one_passthrough
        no_length_check plain_attribute positions_from_one returns_table_only scaled_input seq_first_axis
        silent_truncation trainable_parameter
    """,
    "ex02_token_pos": """
        arange_no_device assert_after_512 assert_plus_one assert_strict batch_axis cached_positions clamp concat
        data_positions detached_positions detached_tokens dropout_each dropout_in_eval dropout_keep_prob
        dropout_missing dropout_pos_only dropout_rate_fixed dropout_tok_only eval_leak fixed_float_cast
        frozen_positions half_output hard_cuda layernorm_added mask_padding new_table_each_call no_assert
        no_grad_positions offset_grows output_to_cpu padding_idx_pos positions_from_one positions_from_tokens
        positions_only product python_list reversed_positions scaled_tokens shared_table sinusoid_instead
        swapped_sizes tokens_only truncate view_needs_contiguous
    """,
    "ex03_bert_segments": """
        default_ones dropout_before_norm eps_default fixed_sinusoid no_affine no_layernorm no_length_check
        norm_tokens_only pos_padding_idx positions_skip_padding segment_padding_idx segment_three_rows
        segment_zeros_cpu segments_ignored
    """,
    "ex04_vit_patches": """
        broadcast_single_pos cls_fresh_each_call cls_last cls_no_position column_major dropout_before_positions
        extra_layernorm frozen_positions interpolates_silently per_batch_cls pos_no_cls_row size_not_checked
        view_patches
    """,
    "ex05_order_matters": """
        causal_mask_baseline data_bag_leak data_global_seed data_labels_swapped data_sorted data_unbalanced
        flatten_baseline gru_baseline linear_pool random_answer switch_ignored switch_inverted
    """,
    "ex06_beyond_max_len": """
        alibi_from_zero alibi_sign alibi_signed_distance bucket_no_halving bucket_no_min bucket_sign interp_detached
        interp_half_pixel interp_nearest interp_repeat interp_wrong_axis rope_additive rope_bf16_angles rope_exponent
        rope_from_one rope_inverse rope_offset_ignored rope_sign rope_theta_ignored
    """,
}
"""Mistakes seen in public code or reported in public issues, by the names that they have in wrong.yaml."""


def known_right(seed):
    """The references, and the other right answers whose turn it is under this seed.

    What a check draws depends on its name and the seed alone, so that a few answers try what all of them would.
    """
    turn = OTHER_SEEDS.index(seed)
    for slug in SLUGS:
        step = len(OTHER_SEEDS) // SEEDS_EACH.get(slug, 1)
        due = [path for number, path in enumerate(COURSE.right(slug)) if number % step == turn % step]
        for path in (COURSE.reference(slug), *due):
            yield known_answer(slug, f"{slug} {path.stem}", path.read_bytes(), path.suffix)


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("seed", LINT_SEEDS)
def test_lint_finds_nothing_and_every_failure_of_a_wrong_answer_is_explained(slug, seed, supply, monkeypatch):
    outcomes = {}

    def judge_and_keep(course, rubric, answers, *rest):
        judged = judge(course, rubric, answers, *rest)
        outcomes.update(zip((answer.label for answer in answers), judged, strict=True))
        return judged

    monkeypatch.setattr(lint, "judge", judge_and_keep)
    found = lint.lint_exercise(COURSE, RUBRIC, slug, supply, seed)
    assert not found.problems, "\n".join(found.problems)

    right = re.compile("reference|stub|right/.*")
    wrong = {name: judged for name, judged in outcomes.items() if not right.fullmatch(name)}
    failures = [(name, outcome) for name, judged in wrong.items() for outcome in judged]
    failures = [(name, outcome) for name, outcome in failures if outcome.verdict in lint.FAILING]
    assert wrong
    assert {name for name, _ in failures} == set(wrong)
    silent = [
        f"{name}: {outcome.check} is {outcome.verdict} without {word}"
        for name, outcome in failures
        for word in ("expected", "got", "hint")
        if not getattr(outcome, word).strip()
    ]
    assert not silent, "\n".join(silent)


@pytest.mark.parametrize("seed", OTHER_SEEDS)
def test_right_answers_get_full_marks_under_other_seeds_too(seed, supply):
    answers = list(known_right(seed))
    judged = judge(COURSE, RUBRIC, answers, supply, Options(seed, hidden=True))
    lost = [
        f"{answer.label}: {outcome.check} is {outcome.verdict}: expected {outcome.expected}; got {outcome.got}"
        for answer, outcomes in zip(answers, judged, strict=True)
        for outcome in outcomes
        if outcome.verdict is not Verdict.PASS
    ]
    assert not lost, "\n".join(lost)
    for answer, outcomes in zip(answers, judged, strict=True):
        exercise = RUBRIC.exercises[answer.files[0].slug]
        assert {outcome.check for outcome in outcomes} == {*exercise.visible, *exercise.hidden}


def judge_stub(slug, supply):
    """The outcomes of an exercise as students find it."""
    path = COURSE.stub(slug)
    answer = known_answer(slug, "stub", path.read_bytes(), path.suffix)
    (outcomes,) = judge(COURSE, RUBRIC, [answer], supply, Options(0, hidden=True))
    assert [outcome.check for outcome in outcomes if outcome.verdict in EARNING] == []
    assert {outcome.verdict for outcome in outcomes} <= {Verdict.TODO, Verdict.BLOCKED}
    return outcomes


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if RUBRIC.exercises[slug].kind == "code"])
def test_a_stub_earns_nothing_and_its_todos_are_named(slug, supply):
    source = COURSE.stub(slug).read_bytes()
    todos = re.findall(rb"raise NotImplementedError\(\"TODO (\d+): ", source)
    assert todos
    assert todos == re.findall(rb"# TODO (\d+) \(about \d+ lines?\): ", source)
    assert todos == [b"%d" % number for number in range(1, len(todos) + 1)]
    todo = [outcome for outcome in judge_stub(slug, supply) if outcome.verdict is Verdict.TODO]
    named = {line for outcome in todo for line in outcome.got.splitlines()}
    assert named == {f"TODO {number.decode()} is not done yet" for number in todos}


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if RUBRIC.exercises[slug].kind == "answers"])
def test_an_empty_sheet_earns_nothing_and_its_questions_are_named(slug, supply):
    questions = yaml.safe_load(COURSE.stub(slug).read_text(encoding="utf-8"))
    todo = [outcome for outcome in judge_stub(slug, supply) if outcome.verdict is Verdict.TODO]
    assert questions
    assert all(any(question in outcome.got for outcome in todo) for question in questions)


@pytest.mark.parametrize("slug", KNOWN_FAULTS)
def test_no_known_fault_is_left_out(slug):
    entries = yaml.safe_load(COURSE.wrong(slug).read_text(encoding="utf-8"))
    assert [fault for fault in KNOWN_FAULTS[slug].split() if fault not in entries] == []
