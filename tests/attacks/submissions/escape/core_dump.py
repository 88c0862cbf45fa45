"""Die with a core dump, which would hold whatever this process inherited."""

import os
import resource
import signal

try:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    win("cores are allowed")
except (OSError, ValueError):
    os.kill(os.getpid(), signal.SIGQUIT)
