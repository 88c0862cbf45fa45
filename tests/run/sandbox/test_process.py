"""A worker's place among processes: no inherited descriptor, a session of its own, and death with whoever made it."""

import pytest

from tests.run.sandbox.conftest import Alone, linux_only, root_only

pytestmark = linux_only

OPEN = """
def still_open():
    return [number for number in range(300) if error_of(lambda: os.fstat(number)) is None]
parent = os.getpid()
"""


def test_what_was_inherited_is_closed(alone: Alone) -> None:
    """Also what is kept between others, and what lies above a limit that was set after it was opened."""
    told = alone(
        OPEN
        + """
import resource
def act():
    for number in (50, 51, 52, 250, 299):
        os.dup2(0, number)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    process.apply(parent, [51, TELL])
    return still_open()
told = told_by_child(act)
"""
    )
    assert told == [0, 1, 2, 51, 100]


def test_it_leads_a_session_of_its_own(alone: Alone) -> None:
    told = alone(
        OPEN
        + """
def act():
    process.apply(parent, [TELL])
    first = [os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()]
    process.apply(parent, [TELL])  # whoever leads one already may not ask again, and need not
    return [*first, os.getsid(0) == os.getpid()]
told = told_by_child(act)
"""
    )
    assert told == [True, True, True]


DEATH = """
line, held = socket.socketpair()
middle = os.fork()
if middle == 0:
    line.close()
    parent = os.getpid()
    if os.fork() == 0:
        act()
        held.sendall(b"!")
        held.recv(1)  # for ever: the other end says nothing
        os._exit(0)
    held.close()
    os.waitpid(-1, 0)
    os._exit(0)
held.close()
assert line.recv(1) == b"!"
os.kill(middle, 9)
os.waitpid(middle, 0)
line.settimeout(given)
try:
    told = line.recv(1).decode()  # the end of the line, once its last holder is gone
except TimeoutError:
    told = "lives"
"""
SOON, LONG = 0.3, 30


def test_it_dies_with_its_parent(alone: Alone) -> None:
    assert alone("def act(): process.apply(parent, range(3, 20))" + DEATH, LONG) == ""


@root_only
def test_it_dies_with_its_parent_after_a_change_of_user(alone: Alone) -> None:
    code = "def act():\n    privileges.apply(privileges.User.NOBODY)\n    process.apply(parent, range(3, 20))"
    assert alone(code + DEATH, LONG) == ""


@root_only
def test_a_change_of_user_would_undo_that(alone: Alone) -> None:
    """Why privileges come first. If a kernel leaves that be some day, the order no longer matters."""
    code = "def act():\n    process.apply(parent, range(3, 20))\n    privileges.apply(privileges.User.NOBODY)"
    assert alone(code + DEATH, SOON) == "lives"


PRETENCES = """
parent = os.getpid()
spare = os.open("/dev/null", 0)
def all_but(pretended):
    return lambda what, *arguments: 0 if what == pretended else linux.prctl(what, *arguments)
"""


@pytest.mark.parametrize(
    ("pretence", "says"),
    [
        ("os.setsid = lambda: None", "asked for a session of its own and has none"),
        ("os.closerange = lambda lower, upper: None", "descriptors are still open"),
        ("parent = 1", "the process that started this worker is gone"),
        ("process.prctl = all_but('PR_SET_PDEATHSIG')", "would not die with its host"),
        ("process.prctl = all_but('PR_SET_DUMPABLE')", "could be looked into"),
    ],
    ids=["session", "descriptors", "parent", "death", "memory"],
)
def test_each_tie_that_is_cut_is_proved(alone: Alone, pretence: str, says: str) -> None:
    told = alone(f"{PRETENCES}\n{pretence}\ntold = told_by_child(lambda: process.apply(parent, [TELL]))")
    assert says in told[2]


def test_a_second_thread_would_stay_as_it_is_and_is_noticed(alone: Alone) -> None:
    """The kernel holds only those threads to new rules that ask for them, and those that they make later."""
    told = alone("""
        import threading
        parent = os.getpid()
        def act():
            threading.Thread(target=threading.Event().wait, daemon=True).start()
            process.apply(parent, [TELL])
        told = told_by_child(act)
    """)
    assert "more than one thread" in told[2]
