"""`make demo`: makes the class, and runs each command before the reader's eyes."""

import sys

from tests.demo.running import PLACE, Stopped, make_folder, run_in_sight, run_into
from tests.demo.steps import PAGES, Step, steps

OPENING = f"""\
A made class of 60, in {PLACE}/: what they handed in, in three rounds, as Gradescope lets one download it; a roster;
and a copy of this course with a deadline. Each command below was run in that folder, and can be given there again by
hand, with ../../.venv/bin/grade for grade. All together they take a few minutes.
"""
CLOSING = f"""\
Now open {PLACE}/{PAGES}/index.html in a browser. The folder can be deleted; `make demo` makes it anew.
"""
FIRST_LINES, WIDTH = 3, 110


def main() -> None:
    """Make it anew, and stop at a command that does not end well."""
    print(OPENING, flush=True)
    make_folder()
    for step in steps():
        print(f"{step.why}\n{step.typed}", flush=True)
        if step.into:
            _run_and_show(step)
        else:
            run_in_sight(step)
        print(flush=True)
    print(CLOSING)


def _run_and_show(step: Step) -> None:
    lines = run_into(step).read_text(encoding="utf-8").splitlines()
    for line in lines[:FIRST_LINES]:
        print(line if len(line) <= WIDTH else f"{line[: WIDTH - 4]} ...")
    print(f"... {len(lines)} lines in {step.into}")


if __name__ == "__main__":
    try:
        main()
    except Stopped as stopped:
        sys.exit(str(stopped))
