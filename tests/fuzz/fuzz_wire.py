"""Coverage-guided fuzzing of all that reads a worker's bytes: `make fuzz`, ten minutes unless ARGS says otherwise.

Not collected by pytest; `test_seeded` is the short form of it. What it finds is left in build/fuzz, and goes into
`test_seeded` by value.
"""

import random
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=[f"graders.engine.run.{name}" for name in ("wire", "values", "answers")]):
    from tests.fuzz.frames import NAMES, honest, mutated
    from tests.fuzz.reading import TAKEN_AT_ONCE, read, read_unfinished

FOLDER = Path("build/fuzz")
FLAGS = [
    "-max_total_time=600",
    f"-max_len={TAKEN_AT_ONCE}",
    "-rss_limit_mb=2048",
    "-timeout=10",
    "-print_final_stats=1",
]
LEFT_OPEN = 0x80
"""This bit of the first byte says that the worker stays silent after the stream; the others choose the order."""
STRUCTURED = 0.7


def read_one(data: bytes) -> None:
    """Read everything after the first byte as an answer."""
    if data:
        order, stream = NAMES[(data[0] & ~LEFT_OPEN) % len(NAMES)], data[1:]
        if data[0] & LEFT_OPEN:
            read_unfinished(stream)
        else:
            read(stream, order)


def mutate(data: bytes, longest: int, seed: int) -> bytes:
    """Return a neighbour of an input: mostly one that is still a frame, else whatever the fuzzer makes of it."""
    tell = random.Random(seed)
    if len(data) < 2 or tell.random() > STRUCTURED:
        changed: bytes = atheris.Mutate(data, longest)
        return changed
    return (data[:1] + mutated(data[1:], tell))[:longest]


def main() -> None:
    corpus = FOLDER / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, (order, frame) in enumerate(honest()):
        (corpus / f"{number:03}_{order}").write_bytes(bytes([NAMES.index(order)]) + frame)
    flags = [f"-artifact_prefix={FOLDER}/", *FLAGS, *sys.argv[1:]]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], read_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
