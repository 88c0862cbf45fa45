"""Type into the terminal of whoever started the grader."""

import errno
import fcntl
import os
import termios

line, number = order()
for descriptor in (0, 1, 2, line.fileno()):
    expect_refusal(fcntl.ioctl, descriptor, termios.TIOCSTI, b"x", also=(errno.ENOTTY,))
    expect_refusal(fcntl.ioctl, descriptor, termios.TIOCLINUX, b"\x02", also=(errno.ENOTTY,))
    if os.isatty(descriptor):
        win("a terminal")
for name in ("/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/0", "/dev/tty1", "/dev/vcs"):
    expect_refusal(os.open, name, os.O_RDWR, also=(errno.ENOENT,))
