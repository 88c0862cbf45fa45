"""What the tests of rehearsals share: one release of this course, made once by each process of a test run."""

import pytest

from tests.rehearsal.stage import Release, release


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """This course, released with a key of its own."""
    return release(tmp_path_factory.mktemp("released") / "here")
