"""What judge and worker agree to tell of an exception that student code raised."""

from dataclasses import dataclass

MAX_FRAMES = 20
FAMILIES = (
    AssertionError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    KeyError,
    NameError,
    NotImplementedError,
    RuntimeError,
    ModuleNotFoundError,
    SyntaxError,
    MemoryError,
    RecursionError,
    EOFError,
    OSError,
    SystemExit,
    KeyboardInterrupt,
)


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception of the student's, as far as plain data can tell it."""

    type_name: str
    families: tuple[str, ...]
    message: str
    line: int | None
    frames: tuple[tuple[int, str], ...]
