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
