"""Three versions of a file decide what becomes of it: every way in which they can differ."""

import pytest

from graders.engine.deliver.release.plan import Plan, make_plan, needing, overwriting, require_no_conflicts
from graders.engine.errors import UsageError

FATES = {
    # base, theirs, ours
    (None, None, "a"): "written",
    (None, "a", "a"): None,
    (None, "b", "a"): "conflicts",
    ("a", "a", "a"): None,
    ("a", "a", "b"): "updated",
    ("a", "b", "a"): "kept",
    ("a", "b", "b"): None,
    ("a", "b", "c"): "conflicts",
    ("a", None, "a"): "kept",
    ("a", None, "b"): "conflicts",
    ("a", "a", None): "removed",
    ("a", "b", None): "left",
    ("a", None, None): None,
    (None, "a", None): None,
}


def versions(*texts):
    return [{} if text is None else {"file": text} for text in texts]


@pytest.mark.parametrize("texts", FATES, ids=str)
def test_what_becomes_of_a_file(texts):
    fate = FATES[texts]
    assert make_plan(*versions(*texts)) == (Plan(**{fate: ("file",)}) if fate else Plan())


def test_every_fate_there_is_has_been_tried():
    decided_later = {"needed", "overwritten"}
    assert set(FATES.values()) - {None} == set(Plan.__dataclass_fields__) - decided_later


def test_many_files_are_told_apart_and_sorted():
    plan = make_plan({"b": "1", "c": "1"}, {"c": "1", "own": "1"}, {"z": "1", "a": "1", "b": "1", "c": "2"})
    assert plan == Plan(written=("a", "z"), updated=("c",), kept=("b",))


def test_overwriting_takes_ours_in_conflicts_and_nowhere_else():
    plan = Plan(updated=("m",), kept=("k",), left=("l",), conflicts=("z", "a"), needed=("n",))
    assert overwriting(plan) == Plan(updated=("m",), kept=("k",), left=("l",), overwritten=("a", "n", "z"))


def test_what_hidden_checks_need_is_not_kept():
    plan = Plan(updated=("a",), kept=("b", "c"))
    assert needing(plan, ["a", "c", "d"]) == Plan(updated=("a",), kept=("b",), needed=("c",))


def test_conflicts_are_all_named():
    assert require_no_conflicts(Plan(kept=("k",))) == Plan(kept=("k",))
    with pytest.raises(UsageError, match=r"(?s)\n  a\n  b\n--overwrite takes this release's; then `git checkout -p`"):
        require_no_conflicts(Plan(conflicts=("a", "b")))
    with pytest.raises(UsageError, match=r"(?s)this release:\n  a\n--.*own version of these:\n  b\n--overwrite takes"):
        require_no_conflicts(Plan(conflicts=("a",), needed=("b",)))


def test_a_conflict_is_named_as_it_is_called_upstream_too():
    with pytest.raises(UsageError, match=r"\n  LICENSE\n  README.md \(upstream graders/handout/README.md\)\n"):
        require_no_conflicts(Plan(conflicts=("LICENSE", "README.md")))
