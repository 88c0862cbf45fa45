"""The harness is not blind: it notices each kind of harm, by attacks on a sandbox that lacks a layer.

They hurt nothing but their own course, their own host and the process that judges them, which may be lost.
"""

import json
import sys
from dataclasses import dataclass, fields, replace

import pytest

from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.run.layers import LAYERS
from tests.attacks.grounds import Grounds
from tests.attacks.harness import HONEST, SECONDS, SUBMISSIONS, problems_of_words
from tests.attacks.planted import SLUG
from tests.attacks.readable_python import as_ordinary_user
from tests.attacks.surroundings import MOST_GROWTH, Surroundings, differences, look

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other people's code is graded on Linux only")


@dataclass(frozen=True)
class Control:
    """An attack, the layers that are left out, and the kinds of problems that must be told, at least."""

    name: str
    without: tuple[str, ...]
    kinds: set[str]
    attack: str
    seconds: float = SECONDS


CONTROLS = [
    Control("an honest answer is no attack", (), {"points"}, HONEST),
    Control("a mistake in an attack", (), {"stumble"}, "undefined"),
    Control("a delay", (), {"time"}, "import time\ntime.sleep(5)", seconds=0.2),
    Control("a secret is read", ("landlock",), {"leak"}, 'show(open(PLANTED["hidden"]).read())'),
    Control(
        "a secret in disguise", ("landlock",), {"leak"},
        'import base64\nprint(base64.b64encode(b"x" + open(PLANTED["private"], "rb").read()).decode())',
    ),
    Control("a file is left", ("landlock",), {"files"}, "open(os.path.join(FOLDERS[-1], MARK), 'w')"),
    Control("a file is spoilt", ("landlock",), {"planted"}, 'open(PLANTED["public"], "w")'),
    Control("a socket", ("seccomp",), {"leak"}, "import socket\nexpect_refusal(socket.socket, 2, socket.SOCK_DGRAM)"),
    Control("the judge's priority", ("seccomp",), {"judge"}, "os.setpriority(os.PRIO_PROCESS, JUDGE, 5)"),
    Control("shared memory", ("seccomp",), {"ipc"}, "libc('shmget', IPC_KEY, 4096, 0o1600)"),
    Control(
        "the host dies and a process stays", ("landlock", "seccomp"), {"host", "processes"},
        "import time\nif os.fork():\n    os.kill(HOST, 9)\nelse:\n    os.setsid()\n    time.sleep(8)\n    os._exit(0)",
    ),
    Control(
        "more memory than allowed", ("limits",), {"leak"},
        "import torch\nexpect_refusal(lambda: len(torch.empty(180 << 20)), also=(RuntimeError,))",
    ),
    Control("threads without number", ("limits",), {"leak"}, (SUBMISSIONS / "resources/bare_threads.py").read_text()),
    Control("an open descriptor", ("process",), {"leak"}, "expect_refusal(os.fstat, order()[0].fileno() + 1)"),
    *(
        Control(f"secrets/{name}", LAYERS, {"leak"}, (SUBMISSIONS / f"secrets/{name}.py").read_text())
        for name in ("files_by_path", "git_history", "handles", "other_roads", "other_students", "rare_readers")
    ),
    Control(
        "the reference is spoilt", ("landlock", "limits"), {"honest", "planted"},
        'text = open(PLANTED["reference"]).read()\n'
        'open(PLANTED["reference"], "w").write(text.replace("+ self.bias", "- self.bias"))',
    ),
    Control("the reference is shut", ("seccomp",), {"crash"}, 'os.chmod(PLANTED["reference"], 0)'),
]  # fmt: skip


def test_each_harm_is_noticed() -> None:
    """All in one process of an ordinary user."""
    controls = [
        {
            "layers": [layer for layer in LAYERS if layer not in control.without],
            "attack": control.attack,
            "seconds": control.seconds,
        }
        for control in CONTROLS
    ]
    with as_ordinary_user(["-m", "tests.attacks.control"]) as process:
        output, _ = process.communicate(json.dumps(controls), timeout=120)
    assert process.returncode == 0, output[-3000:]
    told = dict(zip((control.name for control in CONTROLS), json.loads(output.splitlines()[-1]), strict=True))
    unseen = {
        control.name: told[control.name] for control in CONTROLS if not control.kinds <= told[control.name].keys()
    }
    assert unseen == {}


def test_every_kind_of_problem_has_a_control() -> None:
    """But for two that have a test of their own below: memory, and words that steer."""
    kinds = {kind for control in CONTROLS for kind in control.kinds}
    around = {field.name for field in fields(Surroundings)} - {"memory"}
    assert kinds == {"crash", "time", "points", "stumble", "leak", "honest"} | around


def test_a_judge_that_grows_is_noticed(strict: Grounds) -> None:
    before = look(strict.planted, strict.host)
    held = b"x" * (64 << 20)
    after = look(strict.planted, strict.host)
    assert after.memory - before.memory > len(held) // 2
    assert differences(before, replace(before, memory=before.memory + MOST_GROWTH + 1)).keys() == {"memory"}


@pytest.mark.parametrize("field", ["expected", "got", "hint", "output"])
@pytest.mark.parametrize("text", ["\x1b[31m", "\u202e", "\r"])
def test_words_that_steer_are_noticed(field: str, text: str, strict: Grounds) -> None:
    exercise = strict.rubric.exercises[SLUG]
    checks = [(name, "visible") for name in exercise.visible] + [(name, "hidden") for name in exercise.hidden]
    outcomes = [Outcome(SLUG, name, "", "look_up", visibility, Verdict.FAIL) for name, visibility in checks]
    assert dict(problems_of_words(strict, "", outcomes)) == {}
    outcomes[0] = replace(outcomes[0], **{field: text})
    assert dict(problems_of_words(strict, "", outcomes)).keys() == {"steering"}
