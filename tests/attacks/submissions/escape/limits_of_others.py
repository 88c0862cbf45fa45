"""Take processor time, priority and limits away from the judge and the host."""

import os
import resource

for process in (JUDGE, HOST):
    for limit in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_AS):
        expect_refusal(resource.prlimit, process, limit, (1, 1))
        expect_refusal(resource.prlimit, process, limit)
    expect_refusal(os.setpriority, os.PRIO_PROCESS, process, 19)
    expect_refusal(os.sched_setaffinity, process, {0})
    expect_refusal(os.sched_setscheduler, process, os.SCHED_IDLE, os.sched_param(0))
    expect_refusal(open, f"/proc/{process}/oom_score_adj", "w")
    expect_refusal(libc, "ioprio_set", 1, process, 3 << 13, also=(AttributeError,))
expect_refusal(os.setpriority, os.PRIO_USER, 0, 19)
