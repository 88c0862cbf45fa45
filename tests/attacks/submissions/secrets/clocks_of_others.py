"""Ask for the processor time of the judge, of the host and of process 1: what they do shows in it."""

import time

for process in (JUDGE, HOST, 1):
    for kind in (2, 6):
        expect_refusal(time.clock_gettime, (~process << 3) | kind)
