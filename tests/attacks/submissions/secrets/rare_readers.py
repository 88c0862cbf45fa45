"""Open the files by whatever else can open one: C, torch, numpy, the loader of libraries, Python's own tools."""

import ctypes
import fileinput
import linecache
import mmap
import tokenize
import zipimport

import numpy as np
import torch

LIBC.fopen.restype = ctypes.c_void_p
for path in PLANTED.values():
    if LIBC.fopen(path.encode(), b"r"):
        win(f"fopen {path}")
    for attempt in (
        lambda: torch.from_file(path, size=32, dtype=torch.uint8).numpy().tobytes(),
        lambda: torch.UntypedStorage.from_file(path, False, 32).tolist(),
        lambda: torch._C.PyTorchFileReader(path),
        lambda: torch.jit.load(path),
        lambda: torch.load(path, weights_only=False),
        lambda: np.memmap(path).tobytes(),
        lambda: np.fromfile(path, dtype=np.uint8).tobytes(),
        lambda: mmap.mmap(open(path).fileno(), 0),
        lambda: tokenize.open(path).read(),
        lambda: zipimport.zipimporter(path),
        lambda: "".join(fileinput.input(path)),
        lambda: ctypes.CDLL(path),
    ):
        expect_refusal(lambda: show(attempt()))
    show("".join(linecache.getlines(path)))
