"""Spoil what others left: the reference, the checks, another student's work, a workflow's results."""

import os
import shutil

for path in (*PLANTED.values(), OUTPUT):
    for attempt in (
        lambda: open(path, "a"),
        lambda: os.open(path, os.O_RDONLY | os.O_TRUNC),
        lambda: os.open(path, os.O_ACCMODE | os.O_TRUNC),  # for neither reading nor writing
        lambda: os.truncate(path, 0),
        lambda: os.chmod(path, 0o777),
        lambda: os.chown(path, os.getuid(), os.getgid()),
        lambda: os.utime(path, (0, 0)),
        lambda: os.setxattr(path, "user.x", b"x"),
        lambda: os.rename(path, path + MARK),
        lambda: os.unlink(path),
        lambda: shutil.rmtree(os.path.dirname(path)),
        lambda: os.link(path, path + MARK),
    ):
        expect_refusal(attempt)
