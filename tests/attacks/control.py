"""Attacks on a sandbox that lacks layers, in a process that may be lost: run by test_controls.py.

It reads a list of controls as JSON, each the layers that are left and an attack, and prints the problems of each.
"""

import ctypes
import json
import sys
import tempfile
from pathlib import Path

from graders.engine.run.isolation import Isolation, Mode
from tests.attacks.grounds import grounds
from tests.attacks.harness import trial
from tests.attacks.planted import planted

IPC_RMID = 0


def main() -> None:
    """Try one attack after the other; those that spoil the course for the next come last."""
    told = []
    with (
        tempfile.TemporaryDirectory() as folder,
        planted(Path(folder) / "here") as secrets,
        grounds(secrets, Isolation(Mode.PRACTICE)) as made,
    ):
        for control in json.load(sys.stdin):
            made.supply.isolation = Isolation(Mode.PRACTICE, tuple(control["layers"]))
            told.append(trial(made, control["attack"], control["seconds"]))
        libc = ctypes.CDLL(None)
        libc.shmctl(libc.shmget(secrets.ipc_key, 0, 0), IPC_RMID, None)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
