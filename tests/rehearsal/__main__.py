"""`make rehearsal`: prints the play as it goes on."""

import sys
import tempfile
from pathlib import Path

import pytest

from tests.rehearsal.play import play
from tests.rehearsal.stage import release, staged
from tests.rehearsal.told import opening, told


def main() -> None:
    """Play it in a folder of its own, which is gone afterwards."""
    with tempfile.TemporaryDirectory() as scratch, staged(Path(scratch), release(Path(scratch) / "release")) as stage:
        print(opening(stage), flush=True)
        for scene in play(stage):
            print(told(stage, scene), flush=True)
        assert stage.github.violations == [], stage.github.violations


if __name__ == "__main__":
    try:
        main()
    except pytest.skip.Exception as skipped:
        sys.exit(f"No rehearsal here: {skipped}")
