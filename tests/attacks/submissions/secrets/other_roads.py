"""The same files by other paths: through /proc, through dots, relative to open folders, and without an own folder."""

import errno
import os

ROADS = ("/proc/self/root", "/proc/thread-self/root", "/proc/1/root", f"/proc/{HOST}/root", f"/proc/{JUDGE}/root", "//")
LIBRARY = os.path.dirname(os.__file__)
UP = "/.." * LIBRARY.count("/")

for path in PLANTED.values():
    for road in (*ROADS, LIBRARY + UP):
        expect_refusal(lambda: show(open(road + path, "rb").read()))
    library = os.open(LIBRARY, os.O_RDONLY)
    expect_refusal(lambda: show(os.read(os.open("." + UP + path, os.O_RDONLY, dir_fd=library), 4096)))
    os.close(library)
    bare = os.open(path, os.O_PATH)
    expect_refusal(os.read, bare, 4096, also=(errno.EBADF,))
    expect_refusal(lambda: show(open(f"/proc/self/fd/{bare}", "rb").read()))
    expect_refusal(lambda: show(os.read(os.open(f"/dev/fd/{bare}", os.O_RDONLY), 4096)))
    os.close(bare)
for move in (os.chdir, os.chroot):
    expect_refusal(move, COURSE)
