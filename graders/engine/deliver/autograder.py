"""The other way in: this module packs a private course as an autograder that Gradescope runs.

Gradescope unpacks the archive into `source/`, runs `setup.sh` once for an image, and `run_autograder` for a submission.
"""

import io
import zipfile
from collections.abc import Mapping
from typing import Literal

from graders.engine.deliver.release.contents import private_files, public_files
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric

Shutting = Literal["strict", "external"]
SETUP, RUN = "setup.sh", "run_autograder"
# The earliest day that an archive can name: the same files make the same archive.
NO_TIME = (1980, 1, 1, 0, 0, 0)
REGULAR, PLAIN, EXECUTABLE = 0o100000, 0o644, 0o755

SETUP_TEXT = """\
#!/usr/bin/env bash
# Runs once, when the image is built: Python and its packages, with the build of torch that is for CPUs.
# AUTOGRADER is the folder around source/; TORCH_INDEX, set to nothing, takes torch from where pip takes the rest.
set -eu
root="${AUTOGRADER:-/autograder}"
index="${TORCH_INDEX-https://download.pytorch.org/whl/cpu}"

suits='import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
find_python() {
  for candidate in ${PYTHON:-} python3.12 python3.13 python3.11 python3; do
    if "$candidate" -c "$suits" 2> /dev/null; then
      echo "$candidate"
      return
    fi
  done
}

python=$(find_python)
if [ -z "$python" ]; then
  apt-get update
  for version in 3.12 3.11 3.13; do
    if apt-get install -y --no-install-recommends "python$version" "python$version-venv"; then break; fi
  done
  python=$(find_python)
fi
if [ -z "$python" ]; then
  echo "Python 3.11, 3.12 or 3.13 is needed, with venv; choose a base image of Ubuntu 22.04 or later." >&2
  exit 1
fi

"$python" -m venv "$root/venv"
install() {
  "$root/venv/bin/python" -m pip install --disable-pip-version-check --constraint "$root/source/constraints.txt" "$@"
}
if [ -n "$index" ]; then
  install --no-deps --index-url "$index" torch
fi
install --editable "$root/source"
"""

RUN_TEXT = """\
#!/usr/bin/env bash
# Runs for each submission. Whatever goes wrong here leaves no results: then Gradescope says that the autograder failed,
# and nobody gets 0 points for it.
set -eu
root="${AUTOGRADER:-/autograder}"
rm -rf "$root/results/results.json"
cd "$root/source"
exec "${AUTOGRADER_PYTHON:-$root/venv/bin/python}" -m graders run-autograder "$root" --isolation=@ISOLATION@
"""


def autograder(course: Course, rubric: Rubric, isolation: Shutting) -> bytes:
    """Return the archive: everything of the course that can be released, the private files, and the two scripts.

    Raises UsageError for a course that counts hidden checks without having them, CourseError for one that lacks a file.
    """
    scripts = {SETUP: SETUP_TEXT, RUN: RUN_TEXT.replace("@ISOLATION@", isolation)}
    # The private files come last: of the rubric, theirs is the one with the hidden checks.
    files = {**public_files(course, rubric), **private_files(course, rubric)}
    return _packed({**files, **{name: text.encode("utf-8") for name, text in scripts.items()}})


def _packed(files: Mapping[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever it is packed, so that the mode counts
            entry.external_attr = (REGULAR | (EXECUTABLE if path in (SETUP, RUN) else PLAIN)) << 16
            packed.writestr(entry, data)
    return archive.getvalue()
