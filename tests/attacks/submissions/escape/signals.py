"""Signal everybody else: the host and the judge to death, and groups to see whether one could."""

import os
import signal

PIDFD_OPEN, PIDFD_SEND_SIGNAL = 434, 424
RT_SIGQUEUEINFO, TKILL = 129, 200  # on x86-64; on others these are calls that are refused as well
for process in (HOST, JUDGE):
    expect_refusal(os.kill, process, signal.SIGKILL)
    expect_refusal(libc, "tgkill", process, process, signal.SIGKILL)
    expect_refusal(syscall, TKILL, process, signal.SIGKILL)
    expect_refusal(libc, "sigqueue", process, signal.SIGKILL, 0)
    expect_refusal(syscall, RT_SIGQUEUEINFO, process, signal.SIGKILL, 0)
    expect_refusal(syscall, PIDFD_OPEN, process, 0)
    expect_refusal(os.killpg, process, 0)
for group in (0, -1, -HOST, -JUDGE, 1):
    expect_refusal(os.kill, group, 0)
expect_refusal(syscall, PIDFD_SEND_SIGNAL, 0, signal.SIGKILL, 0, 0)
