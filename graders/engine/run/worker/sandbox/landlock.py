"""Landlock: the rule that a worker may read its libraries, and no other file, folder or process.

The kernel knows versions of it (ABI 1 came with Linux 5.13). What an older one lacks, the list of system calls in
`seccomp.py` refuses anyway. Source: landlock(7) and the kernel's include/uapi/linux/landlock.h.
"""

import ctypes
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.run.worker.sandbox.linux import set_no_new_privs, syscall

# The numbers are the same on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION = 1
RULE_PATH_BENEATH = 1

READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
WRITE_FILE = 1 << 1
FILES_BY_ABI = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15, 9: 1 << 16}
"""What can be done with files, in the bits of the version that first knew them."""
NETWORK = 0b11  # TCP: bind, connect
SCOPES = 0b11  # abstract sockets and signals of processes outside
NETWORK_ABI, SCOPES_ABI = 4, 6
WRITABLE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Rules made once for all workers of a host, by the descriptor that holds them, and the paths that they allow."""

    descriptor: int
    abi: int
    readable: tuple[str, ...]


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def prepare(readable: Sequence[str]) -> Ruleset:
    """Return rules that forbid everything but reading beneath these paths; OSError where the kernel has none."""
    abi = syscall("landlock_create_ruleset", CREATE_RULESET, 0, 0, ASK_VERSION)
    files = sum(bits for version, bits in FILES_BY_ABI.items() if version <= abi)
    attributes = _RulesetAttributes(files, NETWORK if abi >= NETWORK_ABI else 0, SCOPES if abi >= SCOPES_ABI else 0)
    # Each kernel gets the structure as it knew it first.
    fields = 1 if abi < NETWORK_ABI else 2 if abi < SCOPES_ABI else 3
    descriptor = syscall("landlock_create_ruleset", CREATE_RULESET, ctypes.addressof(attributes), fields * 8, 0)
    for path in readable:
        _allow(descriptor, path, READ_FILE | READ_FOLDER)
    _allow(descriptor, WRITABLE, READ_FILE | WRITE_FILE)
    return Ruleset(descriptor, abi, tuple(readable))


def _allow(ruleset: int, path: str, access: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            access &= ~READ_FOLDER
        rule = _PathBeneath(access, place)
        syscall("landlock_add_rule", ADD_RULE, ruleset, RULE_PATH_BENEATH, ctypes.addressof(rule), 0)
    finally:
        os.close(place)


def apply(ruleset: Ruleset) -> None:
    """Hold this process to the rules for good, and see that they take away no more than they should."""
    set_no_new_privs()
    syscall("landlock_restrict_self", RESTRICT_SELF, ruleset.descriptor, 0)
    os.close(ruleset.descriptor)
    # Where a rule did not reach the kernel, student code would fail at an import, by no fault of its own.
    for path in ruleset.readable:
        os.close(os.open(path, os.O_RDONLY))
