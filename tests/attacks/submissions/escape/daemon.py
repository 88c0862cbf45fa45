"""Become a daemon: fork, begin a session, fork again, and wait for the next student."""

import os
import time

expect_refusal(os.setsid)
expect_refusal(os.setpgid, 0, 0)
for _ in range(2):
    try:
        if os.fork():
            print(WON)
            os._exit(0)
    except OSError:
        break
else:
    os.setsid()
    time.sleep(20)
