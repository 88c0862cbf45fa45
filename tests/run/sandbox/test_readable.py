"""What a worker may read: libraries, by their true paths, each once."""

import os
import sys
import sysconfig
from pathlib import Path

import pytest

from graders.engine.run.worker.sandbox import readable
from tests.run.sandbox.conftest import linux_only

pytestmark = linux_only


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python with a folder of packages, one beneath another, a link, and a neighbour whose name begins the same."""
    for name in ("python/lib/python3.11/site-packages", "python/lib2", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("elsewhere")
    for name in ("LIBRARIES", "DEVICES"):
        monkeypatch.setattr(readable, name, ())
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "python/lib/python3.11"))
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path / "python"))
    return tmp_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ([], ["python/lib"]),
        (["python/lib/python3.11/site-packages", "python/lib/python3.11"], ["python/lib"]),
        (["python/lib2"], ["python/lib", "python/lib2"]),
        (["link", "elsewhere", "link/"], ["elsewhere", "python/lib"]),
        (["missing", "python311.zip"], ["python/lib"]),
        (["python/lib2", "elsewhere/../python/lib2"], ["python/lib", "python/lib2"]),
    ],
)
def test_paths_are_true_and_none_lies_beneath_another(
    places: Path, path: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(places / name) for name in path])
    assert readable.readable_paths() == tuple(str(places / name) for name in expected)


def test_nothing_of_the_system_but_libraries_and_devices() -> None:
    libraries = {"/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"}
    assert set(readable.LIBRARIES) == libraries
    assert all(path.startswith("/dev/") for path in readable.DEVICES)
    assert all(os.path.isabs(path) for path in readable.readable_paths())


def test_a_place_at_the_root_covers_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which `keep_apart` then refuses: better one outer folder too many than a rule that no one sees."""
    monkeypatch.setattr(sys, "path", ["/"])
    assert readable.readable_paths() == ("/",)
