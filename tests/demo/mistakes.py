"""Which mistakes the made class makes, and how common each of them is: names in the `wrong.yaml` of the exercises."""

import random

COMMON: dict[str, dict[str, int]] = {
    "ex01_sinusoidal": {
        "plain_attribute": 6,
        "no_length_check": 5,
        "exponent_doubled": 3,
        "dim_from_input": 3,
        "float64_buffer": 3,
        "concat_halves": 3,
        "trainable_parameter": 2,
        "seq_first_axis": 1,
        "half_minus_one": 1,
    },
    "ex02_token_pos": {
        "arange_no_device": 9,
        "no_assert": 4,
        "value_error": 4,
        "assert_strict": 3,
        "dropout_pos_only": 2,
        "dropout_missing": 2,
        "scaled_tokens": 2,
        "batch_axis": 2,
        "padding_idx_pos": 1,
        "swapped_sizes": 1,
    },
    "ex03_bert_segments": {
        "eps_default": 8,
        "segment_zeros_cpu": 5,
        "positions_cpu": 5,
        "dropout_before_norm": 4,
        "positions_ignored": 3,
        "segment_missing": 2,
        "length_strict": 1,
        "norm_tokens_only": 1,
    },
    "ex04_vit_patches": {
        "size_not_checked": 6,
        "cls_no_position": 5,
        "view_patches": 4,
        "dropout_before_positions": 3,
        "broadcast_single_pos": 2,
        "cls_fresh_each_call": 2,
        "cls_last": 1,
        "per_batch_cls": 1,
    },
    "ex05_order_matters": {
        "data_global_seed": 6,
        "batch_first_missing": 5,
        "gap_identity_kept": 5,
        "data_sorted": 3,
        "gap_inverse": 3,
        "softmax_output": 3,
        "flatten_baseline": 3,
        "arange_on_cpu": 3,
        "zero_positions_always": 1,
    },
    "ex06_beyond_max_len": {
        "rope_half_split": 6,
        "extend_shallow_copy": 4,
        "rope_bf16_angles": 4,
        "bucket_sign": 3,
        "interp_half_pixel": 3,
        "alibi_signed_distance": 2,
        "bucket_no_halving": 2,
    },
    "ex07_knowledge_check": {
        "positions_for_equivariance": 4,
        "vague_reason": 4,
        "they_are_better": 4,
        "concatenation": 3,
        "any_length": 3,
        "bert_sinusoids": 3,
        "vit_pixels": 3,
        "names_mixed": 3,
        "colon_in_an_answer": 1,
        "two_letters": 1,
    },
}
HARD = {
    "ex01_sinusoidal": 3,
    "ex02_token_pos": 5,
    "ex03_bert_segments": 5,
    "ex04_vit_patches": 4,
    "ex05_order_matters": 5,
    "ex06_beyond_max_len": 4,
    "ex07_knowledge_check": 5,
}
"""How many of the mistakes fall to each exercise."""

OF_THE_COPIED = ("cos_own_frequency", "mask_padding", "segments_exchanged", "scrambled_grid")
"""What nobody else has done: the two who copied share these, too."""


def drawn(weights: dict[str, int], chance: random.Random) -> str:
    """Return one of the names, as often as its weight says."""
    return chance.choices(list(weights), list(weights.values()))[0]
