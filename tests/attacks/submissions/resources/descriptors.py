"""Use up descriptors and the kernel's buffers behind them."""

import errno
import os

opened = []
try:
    while len(opened) < 1000:
        opened += os.pipe()
        os.write(opened[-1], bytes(1 << 16))
except OSError as error:
    if error.errno != errno.EMFILE:
        raise
try:
    while len(opened) < 1000:
        opened.append(os.open("/dev/null", os.O_RDONLY))
    win("a thousand descriptors")
except OSError:
    for descriptor in opened:
        os.close(descriptor)
