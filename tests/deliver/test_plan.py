"""Three versions of a file decide what becomes of it: every way in which they can differ."""

import pytest

from graders.engine.deliver.release.plan import Plan, make_plan, overwriting, require_no_conflicts
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
    assert set(FATES.values()) - {None} == set(Plan.__dataclass_fields__)


def test_many_files_are_told_apart_and_sorted():
    plan = make_plan({"b": "1", "c": "1"}, {"c": "1", "own": "1"}, {"z": "1", "a": "1", "b": "1", "c": "2"})
    assert plan == Plan(written=("a", "z"), updated=("c",), kept=("b",))


def test_overwriting_takes_ours_in_conflicts_and_nowhere_else():
    plan = Plan(updated=("m",), kept=("k",), left=("l",), conflicts=("z", "a"))
    assert overwriting(plan) == Plan(updated=("a", "m", "z"), kept=("k",), left=("l",))


def test_conflicts_are_all_named():
    require_no_conflicts(Plan(kept=("k",)))
    with pytest.raises(UsageError, match=r"(?s)\n  a\n  b\n--overwrite takes this release's"):
        require_no_conflicts(Plan(conflicts=("a", "b")))
