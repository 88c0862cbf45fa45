"""The attacks once more, for each user that workers can run as: a root that stays one, nobody, an ordinary user."""

import os
import sys
from collections.abc import Callable

import pytest

from graders.engine.run.worker.sandbox.privileges import User
from tests.attacks.grounds import Grounds
from tests.attacks.harness import attacks
from tests.attacks.readable_python import ORDINARY_USER, copied_python, open_folder, running
from tests.attacks.summary import LINE, PROPERTY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other people's code is graded on Linux only")
SECONDS = 200
OPEN_TO_ALL, OF_ROOT_ALONE = 0o755, 0o700
# For each user of the workers: who can read the interpreter, and who grades.
WAYS = {
    str(User.ROOT_WITHOUT_CAPABILITIES): (OF_ROOT_ALONE, 0),
    str(User.NOBODY): (OPEN_TO_ALL, 0),
    f"user {ORDINARY_USER}": (OPEN_TO_ALL, ORDINARY_USER),
}


@pytest.mark.parametrize("user", WAYS)
def test_attacks_are_contained_whoever_grades(
    user: str, strict: Grounds, record_property: Callable[[str, object], None]
) -> None:
    if os.getuid() != 0:
        pytest.skip(f"only root can grade as another: the other tests have shown user {os.getuid()}")
    if strict.report.user == user:
        pytest.skip("the other tests have shown it")
    mode, grader = WAYS[user]
    options = ["-p", "no:xdist", "-p", "no:cacheprovider", "-p", "tests.attacks.summary", "--tb=short"]
    with open_folder() as folder, copied_python(folder / "python", mode) as python:
        home = folder / "home"
        arguments = ["-m", "pytest", "tests/attacks/test_attacks.py", f"--basetemp={home / 'temp'}", *options]
        with running(python, arguments, home, grader) as process:
            told, _ = process.communicate(timeout=SECONDS)
    counted = LINE.search(told)
    assert counted, told[-3000:]
    contained, tried, graded_as = counted.groups()
    record_property(PROPERTY, (graded_as, int(contained), int(tried)))
    assert (int(contained), int(tried), graded_as) == (len(attacks()), len(attacks()), user), told[-3000:]
    assert process.returncode == 0, told[-3000:]
