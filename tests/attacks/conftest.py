"""What the tests of attacks share: the grounds on which attacks are judged."""

from collections.abc import Iterator

import pytest

from graders.engine.run.isolation import Isolation, Mode
from tests.attacks.grounds import Grounds, grounds
from tests.attacks.planted import planted


@pytest.fixture(scope="session")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grounds]:
    """Grounds whose workers have every layer, or none starts."""
    with (
        planted(tmp_path_factory.mktemp("attacked") / "here") as secrets,
        grounds(secrets, Isolation(Mode.STRICT)) as made,
    ):
        yield made
