"""Print and raise commands for the machine that runs a workflow, and write to the file that it reads."""

import os

TEXT = "::set-output name=points::8\n  ::add-mask::0\n##[error]x\n::stop-commands::x\n\r::notice title=8/8::passed\n"
print(TEXT, flush=True)
expect_refusal(open, OUTPUT, "a")
if path := os.environ.get("GITHUB_OUTPUT"):
    win(path)
raise ValueError(TEXT)
