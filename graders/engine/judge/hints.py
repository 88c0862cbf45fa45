"""What a student can do about an exception: one hint, chosen by its family and by words of its message."""

import re

from graders.engine.judge.attempt import Attempt
from graders.engine.run.raised import Raised

NO_ACCELERATOR = "Remove .cuda() and device names from your code: follow the input's device instead."
REFUSED = (
    "Remove what uses files, other processes or the network: the exercise needs none, and the grader lets none be used."
)
REFUSALS = ("Permission denied", "Operation not permitted")
IN_PLACE = "An operation in place (+=, add_) changed what the gradient needs: make a new tensor."
TORCH_REFUSES = "torch refuses this operation: print shapes and dtypes just before this line."
OWN_RAISE = "A `raise` of your own ends this call: look at what leads to it."
HINTS = (
    ("AssertionError", "CUDA", NO_ACCELERATOR),
    ("AssertionError", "", "A check of your own refuses a legal input: look at the condition on this line."),
    ("AttributeError", "module '", "That module has no such name: compare its spelling with the documentation."),
    ("AttributeError", "before Module.__init__", "Call super().__init__() first in __init__."),
    (
        "AttributeError",
        "'Tensor' object",
        "A tensor has no such attribute: compare its spelling with the documentation.",
    ),
    ("AttributeError", "'NoneType' object", "A value is None where an object is needed: fill it in on every path."),
    ("AttributeError", "", "A name is used that was never set: set it in __init__ under the name that the stub gives."),
    ("ModuleNotFoundError", "", "Use torch, numpy and the standard library; the grader has no other packages."),
    ("NameError", "", "A name is used that is not defined here: look for a slip in its spelling, or a missing import."),
    ("SyntaxError", "codec can't decode", "Save the file as UTF-8: your editor's settings name it."),
    ("SyntaxError", "", "Python can't read the file. Look at this line and the one before it."),
    ("SystemExit", "", "Remove exit() and sys.exit(): the grader calls your classes and waits for their answers."),
    ("EOFError", "", "Remove input(): there is no keyboard where your code is graded."),
    ("RecursionError", "", "A function calls itself without an end: look for a property or method that uses itself."),
    ("OSError", "", REFUSED),
    ("TypeError", "NoneType", "A value is None where a tensor is needed: fill it in on every path through forward."),
    ("IndexError", "tuple index", "A shape has fewer axes than this line asks for: print the tensor's shape."),
    ("IndexError", "Dimension out of range", "A tensor has fewer axes than this line asks for: print its shape."),
    ("IndexError", "", "An index went beyond a table: compare its size with the ids that are looked up in it."),
    ("NotImplementedError", 'required "forward"', "Write forward in the class, spelt so and indented as its method."),
    ("NotImplementedError", "", "Replace the raise by your own code."),
    ("RuntimeError", "CUDA", NO_ACCELERATOR),
    ("RuntimeError", "NVIDIA", NO_ACCELERATOR),
    ("RuntimeError", "not linked with support for", NO_ACCELERATOR),
    *(("RuntimeError", words, REFUSED) for words in REFUSALS),
    ("RuntimeError", "start new thread", "Remove what starts threads, or let them end: there is no room for so many."),
    ("RuntimeError", "view size", "Use reshape instead of view: a tensor may lie transposed in memory."),
    ("RuntimeError", "'indices'", "Ids and positions are whole numbers: convert none of them to a float or a byte."),
    ("RuntimeError", "inplace operation", IN_PLACE),
    ("RuntimeError", "in-place operation", IN_PLACE),
    ("RuntimeError", "a second time", "A tensor from an earlier call was kept: compute all of it anew in each call."),
    ("RuntimeError", "size of tensor", "Two shapes don't fit: print the shapes of both tensors just before this line."),
    ("RuntimeError", "changed size during iteration", "A loop changes what it goes over: let it go over a copy."),
    ("RuntimeError", "raised StopIteration", "A generator has nothing more to give: ask for no more than it has."),
    ("RuntimeError", "", TORCH_REFUSES),
    ("ValueError", "", "A value is refused: look at the condition on this line, or print what it is given."),
    ("KeyError", "", "A dictionary has no such key: compare how it is filled with how it is read."),
)
"""A family of exceptions, words that its message holds, and what to do; the first that fits is told."""
LOADING_HINT = (
    'Code outside classes and functions runs when the file is loaded: put trials under `if __name__ == "__main__":`.'
)
CALL_HINT = "Compare the call with the signature in the stub: same names, same order, same defaults."
TYPE_HINT = "A call on this line gives a function something that it doesn't take: compare it with the documentation."
FALLBACK_HINT = "Run this call yourself, and look at the line that raises."
RAISE = re.compile(rb"(?:^|[:;])\s*raise\b")
"""How a line looks that raises something itself."""


def hint_for(raised: Raised, attempt: Attempt, *, loading: bool) -> str:
    """Return the one thing to do about an exception that the student's code raised."""
    families = raised.families
    missing = re.search(r"No module named '([^'.]+)", raised.message)
    if "ModuleNotFoundError" in families and missing and missing[1] in attempt.file.neighbours:
        return f"Each file is graded alone: put what you need of {missing[1]}.py into this one."
    refused = "OSError" in families or any(words in raised.message for words in REFUSALS)
    told_anywhere = {"SyntaxError", "ModuleNotFoundError", "SystemExit", "EOFError"}
    if loading and not refused and not told_anywhere & set(families):
        return LOADING_HINT
    for family, words, hint in HINTS:
        if family in families and words in raised.message:
            return OWN_RAISE if hint is TORCH_REFUSES and _is_own(raised, attempt.file.source) else hint
    if "TypeError" in families:
        # Without a line of the student's, the judge's own call did not fit.
        return TYPE_HINT if raised.line else CALL_HINT
    return FALLBACK_HINT


def _is_own(raised: Raised, source: bytes) -> bool:
    """Return whether a line of the student's raised this itself: what comes out of torch comes out of a call."""
    if raised.line is None:
        return False
    return any(RAISE.search(line) for line in source.splitlines()[raised.line - 1 : raised.line])
