"""What all tests share: comparing rendered text with golden files, and one supply of workers."""

import gc
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.supply import WorkerSupply, start_supply, try_out

# Here, since pytest-xdist's own process reads no other conftest.py.
from tests.attacks.summary import pytest_terminal_summary as pytest_terminal_summary
from tests.command_line import CommandLine

GOLDEN = Path(__file__).parent / "golden"

Golden = Callable[[str, str, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write tests/golden anew from what the code renders now, instead of comparing",
    )


def pytest_configure() -> None:
    """See that Ctrl-C reaches what tests start: programs in the background of a shell ignore it, and hand that on."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage in what is imported and collected, a million objects that stay: neither now nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """``golden(folder, name, text)``: ``text`` is what ``tests/golden/<folder>/<name>.txt`` holds."""

    def compare(folder: str, name: str, text: str) -> None:
        path = GOLDEN / folder / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        remedy = "after a look at the change, rewrite it with: python -m pytest tests --update-golden"
        assert path.is_file(), f"there is no {path}; {remedy}"
        assert text == path.read_text(encoding="utf-8"), f"{path} differs; {remedy}"

    return compare


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Tensors here are small: a second thread costs more than it brings, above all beside other tests."""
    import torch  # not above: what hands tests to workers reads this file too, and needs no torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def supply() -> Iterator[WorkerSupply]:
    """Where workers come from. It is started once, as importing torch takes it two seconds."""
    with closing(start_supply(Isolation(Mode.PRACTICE))) as supply:
        # Where this machine has every layer, no test may go on without one.
        if not try_out(supply, 1024).missing:
            supply.isolation = Isolation(Mode.STRICT)
        yield supply


@pytest.fixture(scope="session")
def command_line(supply: WorkerSupply) -> CommandLine:
    """The command line in this process."""
    return CommandLine(supply)
