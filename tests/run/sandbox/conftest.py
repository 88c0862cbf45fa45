"""What the sandbox's tests share: code that runs in a process of its own, which it may restrict for good."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from graders.engine.run.launch import ROOT

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these layers")
root_only = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can become another user; run this test as root too"
)

START = """
import errno, json, os, socket, sys
sys.path.append(sys.argv[1])
from graders.engine.run.worker.sandbox import landlock, limits, linux, privileges, process, readable, restrict, seccomp
from graders.engine.run.worker.sandbox import tries
sys.path.remove(sys.argv[1])
given = json.loads(sys.argv[2])

TELL = 100

def told_by_child(act):
    # What `act` returns in a forked child, which may restrict itself; or what it raised, in words.
    answer, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(tell, TELL)  # which it has to keep
        os.close(tell)
        try:
            said = act()
        except OSError as error:
            said = [type(error).__name__, errno.errorcode.get(error.errno), str(error)]
        os.write(TELL, json.dumps(said).encode())
        os._exit(0)
    os.close(tell)
    with open(answer) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    assert text, f"a child said nothing and ended with status {status}"
    return json.loads(text)

def error_of(act):
    # The name of the error with which the system refuses this, or None where it lets it through.
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno]
"""

Alone = Callable[..., Any]


@pytest.fixture
def alone() -> Alone:
    """``alone(code, given=None)``: what a process of its own, which runs this code, leaves in its name `told`."""

    def alone(code: str, given: object = None) -> Any:
        script = f"{START}\n{textwrap.dedent(code)}\nprint(json.dumps(told))"
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-B", "-c", script, str(ROOT), json.dumps(given)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return alone
