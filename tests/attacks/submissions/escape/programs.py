"""Start programs, with more rights than ours where there are any: sudo, a shell, the interpreter itself."""

import os
import subprocess
import sys

for program in ("/bin/sh", "/usr/bin/sudo", "/bin/su", "/usr/bin/newuidmap", sys.executable, "/proc/self/exe"):
    arguments = [program, "-c", f"echo {WON} >&2; sleep 20; : {MARK}"]
    expect_refusal(subprocess.Popen, arguments)
    expect_refusal(os.posix_spawn, program, arguments, {})
    expect_refusal(os.execv, program, arguments)
    if os.path.exists(program):
        expect_refusal(os.execve, os.open(program, os.O_PATH), arguments, {})
if os.system(f"sleep 20 # {MARK}") not in (-1, 127 << 8):  # it could not start a shell
    win("os.system")
expect_refusal(os.popen, f"sleep 20 # {MARK}")
