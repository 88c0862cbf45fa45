"""Every attack is contained: no points, no secrets, nothing left, nothing hurt, and the next submission is judged."""

import os
import sys
from collections.abc import Callable

import pytest

from graders.engine.run.worker.sandbox.privileges import User
from tests.attacks.grounds import Grounds
from tests.attacks.harness import SUBMISSIONS, attacks, trial
from tests.attacks.summary import PROPERTY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other people's code is graded on Linux only")
LEAST = 60


@pytest.mark.parametrize("name", attacks())
def test_an_attack_is_contained(name: str, strict: Grounds, record_property: Callable[[str, object], None]) -> None:
    problems = trial(strict, (SUBMISSIONS / f"{name}.py").read_text(encoding="utf-8"))
    user = f"user {os.getuid()}" if strict.report.user == User.SAME else strict.report.user
    record_property(PROPERTY, (user, int(not problems), 1))
    assert problems == {}


def test_there_are_enough_attacks() -> None:
    assert len(attacks()) >= LEAST
