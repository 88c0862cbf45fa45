"""This script starts a host or a fresh worker with a path made by hand.

It runs as `python -I -S -B -u boot.py ROOT SITE_PATHS KIND ENDPOINT`: no environment, no site module, no `.pth` files,
so that neither the course's own packages nor anything a student installed is on the path by accident. The engine's
package is imported by name and then forgotten: student code cannot import a check or a reference.
"""

import gc
import json
import signal
import sys


def main(root: str, site_paths: str, kind: str, endpoint: str) -> None:
    """Import the engine's part for this process, forget the course again, and run that part."""
    # Ctrl-C reaches every process of a terminal. This one ends when the judge does, which answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # until all is imported: what looks for garbage goes through all of torch each time
    sys.path.extend(json.loads(site_paths))
    sys.path.append(root)
    if kind == "host":
        from graders.engine.run.worker.host import run_host

        forget_course(root)
        run_host(endpoint)
    else:
        from graders.engine.run.worker.fresh import run_fresh_worker

        forget_course(root)
        run_fresh_worker(endpoint)


def forget_course(root: str) -> None:
    """Take the course off the path and its modules out of reach of an import."""
    sys.path.remove(root)
    for name in [name for name in sys.modules if name.partition(".")[0] == "graders"]:
        del sys.modules[name]


if __name__ == "__main__":
    main(*sys.argv[1:])
