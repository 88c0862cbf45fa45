"""The student's strings: how a check gets them, and how it says what is wrong with them."""

import torch

from graders.engine.judge.vocabulary import Student, Unexpected, expect, expect_tensor
from graders.ex05_order_matters.gap import kind_of


def make_strings(student: Student, n: int, length: int, vocab: int, **kwargs: object) -> tuple[torch.Tensor, ...]:
    """Return ids and labels that the student's function makes, with the shapes and the dtype asked for."""
    made = student.make_reverse_data(n, length, vocab, **kwargs)
    call = f"make_reverse_data({n}, {length}, {vocab})"
    if not isinstance(made, tuple | list) or len(made) != 2:
        got = f"{len(made)} values" if isinstance(made, tuple | list) else kind_of(made)
        raise Unexpected(f"{call} returns two tensors, (ids, labels)", got, "End it with `return ids, labels`.")
    hint = "ids has a row of `length` tokens for each of the n strings, labels one number; both are int64 (long)."
    ids = expect_tensor(made[0], (n, length), f"ids of {call}", dtype=torch.int64, hint=hint)
    labels = expect_tensor(made[1], (n,), f"labels of {call}", dtype=torch.int64, hint=hint)
    return ids, labels


def expect_no_string(wrong: torch.Tensor, ids: torch.Tensor, labels: torch.Tensor, expected: str, hint: str) -> None:
    """Expect that no string is wrong, or show the first that is."""
    rows = wrong.nonzero().flatten().tolist()
    if rows:
        first = f"{ids[rows[0]].tolist()} with label {int(labels[rows[0]])}"
        raise Unexpected(expected, f"{first}; {len(rows)} of {len(ids)} strings are wrong", hint)


def expect_same(one: torch.Tensor, other: torch.Tensor, what: str, hint: str) -> None:
    """Expect that two draws are equal."""
    expect(torch.equal(one, other), expected=f"the same from {what}", got="something else", hint=hint)


def expect_other(one: torch.Tensor, other: torch.Tensor, drawn: str, what: str, hint: str) -> None:
    """Expect that two draws are not equal; `drawn` says of what they are."""
    expect(not torch.equal(one, other), expected=f"other {drawn} from {what}", got=f"the same {drawn}", hint=hint)
