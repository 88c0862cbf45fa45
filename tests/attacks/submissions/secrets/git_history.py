"""Read deleted answers and tokens from the course's git objects."""

import os
import zlib

expect_refusal(lambda: show(zlib.decompress(open(PLANTED["history"], "rb").read())))
expect_refusal(lambda: show(open(PLANTED["checkout"]).read()))
for folder in (f"{COURSE}/.git", f"{COURSE}/.git/objects", os.path.dirname(PLANTED["history"])):
    expect_refusal(os.listdir, folder)
