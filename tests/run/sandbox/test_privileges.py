"""Privileges: whom a worker runs as, that nothing of root is left of it, and that a kernel's word is not enough."""

from pathlib import Path

import pytest

from tests.run.sandbox.conftest import Alone, linux_only, root_only

pytestmark = linux_only

STATUS = """
def status():
    with open("/proc/self/status") as lines:
        fields = dict(line.split(":", 1) for line in lines)
    return {name: fields[name].split() for name in ("Uid", "Gid", "Groups", "NoNewPrivs")} | {
        "capabilities": [int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")]
    }
def after(user):
    privileges.apply(user)
    return status()
"""
NONE = [0, 0, 0, 0]


def test_an_ordinary_user_stays_one_and_holds_nothing(alone: Alone) -> None:
    told = alone(
        STATUS
        + """
def act():
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(1234, 1234, 1234)
        os.setresuid(1234, 1234, 1234)
    user = privileges.choose_user(["/usr/lib"])
    return [str(user), user.numbers()[0], status(), after(user)]
told = told_by_child(act)
"""
    )
    name, number, before, seen = told
    assert name == "the user who grades"
    assert seen["Uid"] == before["Uid"] == [str(number)] * 4
    assert seen["Gid"] == before["Gid"]
    assert seen["capabilities"] == NONE
    assert seen["NoNewPrivs"] == ["1"]


@root_only
def test_root_becomes_nobody(alone: Alone) -> None:
    told = alone(STATUS + "os.setgroups([7])\ntold = told_by_child(lambda: after(privileges.User.NOBODY))")
    assert told["Uid"] == told["Gid"] == ["65534"] * 4
    assert told["Groups"] == []
    assert told["capabilities"] == NONE
    assert told["NoNewPrivs"] == ["1"]


@root_only
def test_root_that_stays_root_can_do_no_more_than_others(alone: Alone, tmp_path: Path) -> None:
    told = alone(
        STATUS
        + """
path = given + "/of-another"
os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
os.chown(path, 1234, 1234)
def act():
    seen = after(privileges.User.ROOT_WITHOUT_CAPABILITIES)
    return seen | {
        "read": error_of(lambda: open(path)),
        "own": error_of(lambda: os.chown(path, 0, 0)),
        "become": error_of(lambda: os.setuid(1234)),
        "name": error_of(lambda: socket.sethostname(socket.gethostname())),
    }
told = told_by_child(act)
""",
        str(tmp_path),
    )
    assert told["Uid"] == ["65534", "0", "0", "0"]
    assert told["capabilities"] == NONE
    assert told["NoNewPrivs"] == ["1"]
    assert (told["read"], told["own"], told["become"], told["name"]) == ("EACCES", "EPERM", "EPERM", "EPERM")


@root_only
def test_nobody_is_chosen_where_it_can_read_everything(alone: Alone, tmp_path: Path) -> None:
    told = alone(
        """
        open_to_all, closed = given + "/open", given + "/closed"
        os.mkdir(open_to_all)
        os.mkdir(closed, 0o700)
        os.mkdir(closed + "/within")
        os.close(os.open(open_to_all + "/file", os.O_CREAT, 0o600))
        os.chmod(given, 0o755)
        # The folders around are those of the test's own, which root may keep to itself.
        os.chroot(given)
        told = {
            name: privileges.choose_user(paths)
            for name, paths in {
                "open": ["/", "/open"],
                "closed": ["/open", "/closed"],
                "within": ["/open", "/closed/within"],
                "file": ["/open", "/open/file"],
                "missing": ["/open", "/missing"],
                "nothing": [],
            }.items()
        }
        told["self"] = os.getuid()
        """,
        str(tmp_path),
    )
    root = "root without capabilities"
    assert told == {
        "open": "nobody",
        "closed": root,
        "within": root,
        "file": root,
        "missing": "the user who grades",
        "nothing": "nobody",
        "self": 0,
    }


# A call that only says it worked


@root_only
@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("os.setresuid", "should be user (65534, 65534, 65534) and is (0, 0, 0)"),
        ("os.setresgid", "should be in group 65534 alone and is in (0, 0, 0)"),
        ("os.setgroups", "should be in group 65534 alone and is in (65534, 65534, 65534), [7]"),
    ],
)
def test_a_change_of_user_is_proved(alone: Alone, call: str, says: str) -> None:
    told = alone(
        f"os.setgroups([7])\n{call} = lambda *numbers: None\n"
        "told = told_by_child(lambda: privileges.apply(privileges.User.NOBODY))"
    )
    assert says in told[2]


@root_only
def test_the_end_of_capabilities_is_proved(alone: Alone) -> None:
    told = alone("""
        privileges._set_no_capabilities = lambda: None
        told = told_by_child(lambda: privileges.apply(privileges.User.ROOT_WITHOUT_CAPABILITIES))
    """)
    assert told[2] == "capabilities were given up and are still there"


def test_the_promise_to_gain_no_rights_is_proved(alone: Alone) -> None:
    told = alone("""
        privileges.set_no_new_privs = lambda: None
        stay = privileges.User.SAME if os.getuid() else privileges.User.ROOT_WITHOUT_CAPABILITIES
        told = told_by_child(lambda: privileges.apply(stay))
    """)
    assert told[2] == "no_new_privs was set and is not there"
