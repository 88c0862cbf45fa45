"""The rules of the house that tools can see to: style, types, pins, and no path of anyone's machine."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tools import REPOSITORY, run_tool

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_ruff():
    run_tool("ruff", "check", ".")
    run_tool("ruff", "format", "--check", ".")


def test_mypy():
    run_tool("mypy")


# ------------------------------------------------------------ pins


def installed_closure():
    """Return the name and version of everything installed that the project and its test extra ask for here."""
    extra = PROJECT["optional-dependencies"]["test"]
    waiting = [Requirement(line) for line in PROJECT["dependencies"] + extra]
    found = {}
    seen = set()
    while waiting:
        wanted = waiting.pop()
        key = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if key in seen:
            continue
        seen.add(key)
        distribution = metadata.distribution(wanted.name)
        found[key[0]] = distribution.version
        for line in distribution.requires or []:
            needed = Requirement(line)
            extras = wanted.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(needed)
    return found


def pins():
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {canonicalize_name(requirement.name): requirement for requirement in wanted}


def test_everything_that_is_installed_is_pinned():
    ours = {canonicalize_name(PROJECT["name"]), "pip", "setuptools", "wheel"}
    installed, pinned = installed_closure(), pins()
    assert len(installed) > len(PROJECT["dependencies"])
    assert sorted(set(installed) - ours - set(pinned)) == [], "constraints.txt lacks these"
    loose = [str(pin) for pin in pinned.values() if [part.operator for part in pin.specifier] != ["=="]]
    assert loose == [], "a pin names one version, with =="
    other = {
        name: version
        for name, version in installed.items()
        if name in pinned and not pinned[name].specifier.contains(version, prereleases=True)
    }
    assert other == {}, "these are installed in another version than constraints.txt names; run the set-up anew"


# ------------------------------------------------------------ private paths

# Written in pieces, so that this file is not one of those it looks for.
PRIVATE = re.compile(
    rb"/(?:home|Users)/(?!runner\b|student\b|user\b)[A-Za-z0-9_.-]+|/root/[A-Za-z0-9_.-]+"
    rb"|(?<![A-Za-z0-9_./-])/" + rb"work/|/tmp/" + rb"w/"
)


def tracked_files():
    git = shutil.which("git")
    if git is None or not (REPOSITORY / ".git").exists():
        pytest.skip("only a git checkout knows which files are its own")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True, timeout=60)
    return [REPOSITORY / name.decode() for name in listed.stdout.split(b"\0") if name]


def test_no_file_names_a_place_on_someones_machine():
    found = [
        f"{path.relative_to(REPOSITORY)}: {match.group().decode()}"
        for path in tracked_files()
        if path.is_file()
        for match in PRIVATE.finditer(path.read_bytes())
    ]
    assert found == []


def test_these_tests_run_on_a_python_that_the_project_supports():
    from packaging.specifiers import SpecifierSet

    version = ".".join(map(str, sys.version_info[:3]))
    assert SpecifierSet(PROJECT["requires-python"]).contains(version)
