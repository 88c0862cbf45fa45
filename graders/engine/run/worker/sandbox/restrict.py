"""The order in which a worker gives up what it may do: what is prepared before the fork, what is applied after it.

Each layer takes hold and proves itself before the next; the list of system calls comes last, since it takes away calls
that the others need. Nothing is decided here: the judge reads the report, and hands out student code or does not.
"""

import os
import platform
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from graders.engine.run.layers import LAYERS, Report
from graders.engine.run.worker.sandbox import landlock, limits, privileges, process, seccomp, tries
from graders.engine.run.worker.sandbox.readable import readable_paths

ONLY_ON_LINUX = "only Linux has it"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What one process makes for all workers that it forks; `lacks` tells why this system cannot do without."""

    parent: int
    readable: tuple[str, ...] = ()
    user: privileges.User = privileges.User.SAME
    mapped: int = 0
    threads: int = 0
    ruleset: landlock.Ruleset | None = None
    calls: tuple[seccomp.Instruction, ...] = ()
    lacks: dict[str, str] = field(default_factory=dict)


def prepare(parent: int) -> Prepared:
    """Make what workers need to restrict themselves; `parent` is the process that they shall die with."""
    if sys.platform != "linux":
        here = ["limits"] if sys.platform == "darwin" else []
        return Prepared(parent, lacks={name: ONLY_ON_LINUX for name in LAYERS if name not in here})
    readable = readable_paths()
    user = privileges.choose_user([*readable, *_loaded_files()])
    prepared = Prepared(parent, readable, user, limits.mapped_bytes(), limits.threads_of(user.numbers()[0]))
    try:
        prepared = replace(prepared, ruleset=landlock.prepare(readable))
    except OSError as error:
        prepared.lacks["landlock"] = _reason(error)
    try:
        prepared = replace(prepared, calls=seccomp.program(platform.machine()))
    except OSError as error:
        prepared.lacks["seccomp"] = _reason(error)
    return prepared


def _loaded_files() -> list[str]:
    """Return the files of all modules so far: where they can be read, their neighbours most likely can."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return [file for file in files if file and os.path.isabs(file)]  # torch has modules without a file that name one


def restrict(prepared: Prepared, memory_mib: int, line: int, layers: Collection[str]) -> Report:
    """Apply these layers to this process for good. `line` is the descriptor that it speaks on and keeps."""
    os.environ.clear()
    missing = dict(prepared.lacks)
    for name, apply in _steps(prepared, memory_mib, line).items():
        if name not in layers:
            missing[name] = "it was left out on purpose"
        elif name not in missing:
            missing |= _problem(name, apply)
    # Where no layer was to take hold, there is nothing to prove.
    possible = tries.open_tries() if sys.platform == "linux" and layers else []
    for one in possible:
        missing.setdefault(one.layer, f"it took hold, and a worker could {one.what} all the same")
    abi = prepared.ruleset.abi if prepared.ruleset else 0
    return Report(missing, tuple(one.what for one in possible), prepared.user, abi, prepared.readable)


def _steps(prepared: Prepared, memory_mib: int, line: int) -> dict[str, Callable[[], None]]:
    """The layers in the order in which they can be applied."""
    ruleset = prepared.ruleset
    kept = [line] if ruleset is None else [line, ruleset.descriptor]
    return {
        "limits": lambda: limits.apply(limits.wanted(memory_mib, prepared.mapped, prepared.threads)),
        "privileges": lambda: privileges.apply(prepared.user),
        "process": lambda: process.apply(prepared.parent, kept),
        "landlock": lambda: landlock.apply(ruleset) if ruleset else None,
        "seccomp": lambda: seccomp.apply(prepared.calls),
    }


def _problem(name: str, apply: Callable[[], None]) -> dict[str, str]:
    try:
        apply()
    except OSError as error:
        return {name: _reason(error)}
    return {}


def _reason(error: OSError) -> str:
    # Not strerror: that leaves out which file it was.
    return str(error).removeprefix(f"[Errno {error.errno}] ")
