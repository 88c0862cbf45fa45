"""Open each file with a secret by its path, and list the folders around it."""

import os

for path in PLANTED.values():
    expect_refusal(lambda path=path: show(open(path, "rb").read()))
    expect_refusal(os.listdir, os.path.dirname(path))
for folder in ("/", "/proc", "/etc", "/tmp", ".", "..", *FOLDERS):
    expect_refusal(os.listdir, folder)
