"""What a card says about its grader: versions, seed, and how student code was shut in."""

import platform
from importlib.metadata import version

from graders import __version__
from graders.engine.run.isolation import Mode
from graders.engine.run.layers import LAYERS, Report
from graders.engine.score.card import Grader, Sandbox

VERSION = __version__


def torch_version() -> str:
    """Return the version of the torch that is installed, without importing it."""
    return version("torch")


def python_version() -> str:
    """Return the version of this Python."""
    return platform.python_version()


def describe(seed: int, hidden: bool, mode: Mode, report: Report, commit: str) -> Grader:
    """Return the record for a card of a submission, from that commit if it was one."""
    return Grader(
        version=VERSION,
        seed=seed,
        commit=commit or None,
        torch=torch_version(),
        python=python_version(),
        hidden=hidden,
        mode=mode.value,
        sandbox=in_card(report),
    )


def in_card(report: Report) -> Sandbox:
    """Return what a card says about the sandbox."""
    held = tuple(layer for layer in LAYERS if layer not in report.missing)
    return Sandbox(user=report.user, landlock_abi=report.landlock_abi, layers=held, missing=tuple(report.missing))
