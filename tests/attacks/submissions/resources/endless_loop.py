"""Never end, with every signal ignored or blocked.

Earns: constructor.
"""

import signal

from torch import nn


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                continue
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
