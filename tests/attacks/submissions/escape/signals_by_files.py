"""Let a descriptor send its signal to the judge: SIGKILL to whoever is said to own it."""

import fcntl
import signal
import struct

F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY = 10, 15, 1024, 1026
line, number = order()
for process in (JUDGE, HOST, -JUDGE):
    for descriptor in (0, 1, line.fileno()):
        expect_refusal(fcntl.fcntl, descriptor, fcntl.F_SETOWN, process)
        expect_refusal(fcntl.fcntl, descriptor, F_SETOWN_EX, struct.pack("ii", 1, process))
        expect_refusal(fcntl.fcntl, descriptor, F_SETSIG, signal.SIGKILL)
        expect_refusal(fcntl.fcntl, descriptor, F_SETLEASE, 0)
        expect_refusal(fcntl.fcntl, descriptor, F_NOTIFY, 1)
