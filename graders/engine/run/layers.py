"""The layers of the sandbox by name, and what a worker reports of them to the judge."""

from dataclasses import dataclass

LAYERS = ("limits", "privileges", "process", "landlock", "seccomp")
"""In the order in which they are applied."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker is kept from: why a layer does not hold, by its name, and which tries were not refused.

    `user` is whom it runs as, `landlock_abi` the version of those rules, `readable` what it may read.
    """

    missing: dict[str, str]
    possible: tuple[str, ...]
    user: str
    landlock_abi: int
    readable: tuple[str, ...]
