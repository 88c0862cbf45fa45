"""The numbers that the kernel's headers give system calls, as `call_numbers.txt` keeps them."""

from pathlib import Path

KEPT = Path(__file__).with_name("call_numbers.txt")
MACHINES = ("x86_64", "aarch64")


def kept_numbers() -> dict[str, dict[str, int]]:
    """Return for each architecture the number of each call that it has."""
    numbers: dict[str, dict[str, int]] = {machine: {} for machine in MACHINES}
    for line in KEPT.read_text(encoding="ascii").splitlines():
        if line.startswith("#"):
            continue
        name, *columns = line.split()
        for machine, number in zip(MACHINES, columns, strict=True):
            if number != "-":
                numbers[machine][name] = int(number)
    return numbers
