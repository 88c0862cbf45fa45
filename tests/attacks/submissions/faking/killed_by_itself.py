"""End by a signal of one's own, so that nobody can say that anything failed."""

import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
