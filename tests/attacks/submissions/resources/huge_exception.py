"""An exception with a message of 40 MB, a chain of a thousand others, and frames without end."""


def fail(depth):
    try:
        if depth:
            fail(depth - 1)
        raise ValueError("x" * 40_000_000)
    except ValueError as error:
        raise OverflowError(depth) from error


fail(900)
