"""Leave files behind, wherever one might be left and by whatever can write one."""

import os
import tempfile

import numpy as np
import torch

expect_refusal(tempfile.TemporaryFile)
for folder in FOLDERS:
    path = os.path.join(folder, MARK)
    for attempt in (
        lambda: open(path, "w"),
        lambda: os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o777),
        lambda: os.open(folder, os.O_TMPFILE | os.O_RDWR),
        lambda: os.mkdir(path),
        lambda: os.mkfifo(path),
        lambda: os.mknod(path, 0o100644),
        lambda: os.symlink("/", path),
        lambda: np.save(path, np.zeros(3)),
        lambda: torch.save(torch.zeros(3), path),
        lambda: torch.from_file(path, shared=True, size=32, dtype=torch.uint8),
    ):
        expect_refusal(attempt, also=(RuntimeError,))
