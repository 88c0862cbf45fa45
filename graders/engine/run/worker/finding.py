"""What an exception from a module on an accelerator says about devices, as one finding of the placement probe."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from linecache import getline
from typing import Literal

from graders.engine.run.worker.pretend_tensor import DeviceMismatch
from graders.engine.run.worker.student_file import describe_exception, raised_by_statement, raised_in_file

Kind = Literal["ok", "mismatch", "wrong_output_device", "cuda_hardcoded", "refused", "raised", "inconclusive"]
"""What a try shows. "raised", by a statement of the student's file that says no reason, is for the probe to judge."""
FAULTS: frozenset[Kind] = frozenset({"mismatch", "wrong_output_device", "cuda_hardcoded", "refused"})
"""The kinds that are the student's fault; "inconclusive" says nothing either way and must cost nothing."""

_MAX_WORDS = 300
# By Python's own descriptors: an exception class may have properties of these names.
_cause, _context = (BaseException.__dict__[name].__get__ for name in ("__cause__", "__context__"))
# A student's own raise or assert that fires there is about devices if its line or words say so.
_ABOUT_DEVICES = re.compile(r"device|is_cuda|is_cpu|\b(?:cpu|gpu|cuda)\b", re.IGNORECASE)
# What PyTorch says about tensors on two devices, by the layer that notices; it calls the pretended "meta".
_MIXTURE = re.compile(
    r"expected all tensors to be on the same device|should be either on cpu or on the same device"
    r"|invalid gradient at index \d+ - expected device|expected object of device type"
    r"|device type tensor to numpy|is on cpu, but expected|tensor on device"
    r"|input type \(torch\.(cuda|meta)\.\w+\) and \w+ type \(torch\.(?!cuda|meta)"
    r"|input type \(torch\.(?!cuda|meta)\w+\) and \w+ type \(torch\.(cuda|meta)\.",
    re.IGNORECASE,
)
# What it says where code names an accelerator that this machine lacks.
_NO_ACCELERATOR = re.compile(
    r"not compiled with cuda|found no nvidia driver|not linked with support for|no cuda gpus are available"
    r"|cannot get cuda generator|cuda driver version is insufficient",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Placement:
    """What trying a module on an accelerator showed; `operator` and `line` where they are known."""

    kind: Kind
    message: str = ""
    line: int | None = None
    operator: str = ""


def explained(error: BaseException, filename: str) -> Placement:
    """Return what an exception says about devices; `describe_exception` trusts no part of it."""
    for link in _chain(error):
        if isinstance(link, DeviceMismatch):
            # The student's code may have caught it and raised another one.
            facts = describe_exception(link, filename)
            return Placement("mismatch", facts["message"], facts["line"], link.operator)
    facts = describe_exception(error, filename)
    text, line = facts["message"], facts["line"]
    words = f"{facts['type']}: {text.partition(chr(10))[0]}"[:_MAX_WORDS]
    if _MIXTURE.search(text):
        return Placement("mismatch", re.sub(r"\bmeta\b", "cuda", words), line)
    if _NO_ACCELERATOR.search(text):
        return Placement("cuda_hardcoded", words, line)
    if raised_in_file(error, filename) and _ABOUT_DEVICES.search(f"{getline(filename, line or 0)} {text}"):
        return Placement("refused", words, line)
    # All of the chain, as a statement may translate an exception that is a limit of the pretence.
    if all(raised_by_statement(link, filename) for link in _chain(error)):
        return Placement("raised", words, line)
    return Placement("inconclusive", words, line)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those it was raised from or while handling, at most ten."""
    link: BaseException | None = error
    for _ in range(10):
        if link is None:
            return
        yield link
        link = _cause(link) or _context(link)
