"""Forty threads that compute without the interpreter, so that nobody else gets a turn."""

import threading

import torch

numbers = torch.randn(400, 400)


def compute():
    while True:
        numbers @ numbers


threading.stack_size(256 << 10)
for _ in range(40):
    threading.Thread(target=compute, daemon=True).start()
threading.Event().wait()
