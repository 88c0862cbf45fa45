"""What a process does before workers are made of it, since they may read no files by then: imports and first calls."""

import os
import tempfile

import torch

# The first backward of a process imports this, and 480 modules with it: 310 ms, paid once here instead of in each fork.
import torch.fx.experimental.symbolic_shapes


def warm_up() -> None:
    """Make torch single-threaded, and let it find out what it finds out once: here, a matter of 2 ms."""
    # More than one thread would leave a forked child waiting for threads that it does not have.
    torch.set_num_threads(1)
    # Parts of torch ask for this name when they are imported, and it is found by writing a file, once.
    try:
        tempfile.gettempdir()
    except FileNotFoundError:  # a machine on which nothing can be written, as nothing can be in a worker
        tempfile.tempdir = os.path.abspath(os.sep)
    # The libraries that torch computes with read from /proc what the processor can do, and fail where they may not.
    with torch.no_grad():
        square = torch.ones(1, 4, 4)
        square.half() @ square.half()
        square.bfloat16() @ square.bfloat16()
        torch.nn.functional.scaled_dot_product_attention(square, square, square)
        torch.nn.functional.conv1d(square, torch.ones(4, 4, 1))
