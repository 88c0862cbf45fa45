"""Leave while the file is loaded, with the exit code that means success."""

import sys

sys.exit(0)
