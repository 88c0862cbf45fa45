"""Who judges a class: processes on this machine, or the workers of a Dask cluster."""

import logging
import os
from typing import TYPE_CHECKING

import typer

from graders.engine.clean import log_text
from graders.engine.errors import UsageError

if TYPE_CHECKING:
    from graders.engine.batch.crew import Crew, Setup
    from graders.engine.batch.dask_cluster import Address


def read_dask(text: str | None, jobs: int | None) -> "Address | None":
    """Return the address of a cluster, if one was given; raises UsageError for what is none, or can't be used here."""
    if text is None:
        return None
    if jobs is not None:
        raise UsageError("--jobs and --dask: expected one of them; a Dask worker judges as many at a time as it has "
                         "threads")  # fmt: skip
    try:
        from graders.engine.batch.dask_cluster import read_address
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("dask", "distributed"):
            raise
        raise UsageError(
            "--dask needs Dask, which is not installed here; install the extra `dask`, as in "
            'pip install --constraint constraints.txt --editable ".[staff,dask]"'
        ) from error
    return read_address(text)


def start_crew(setup: "Setup", jobs: int | None, cluster: "Address | None") -> "Crew":
    """Return whoever judges; raises UsageError or ServiceError for a cluster that can't."""
    if cluster is None:
        from graders.engine.batch.members import Members

        return Members(setup, jobs or _cores())
    from graders.engine.batch.dask_crew import DaskCrew

    if cluster.is_open:
        _say(
            f"{cluster.text} is not encrypted: who can reach it can run programs there, read the hidden checks and "
            "what was handed in, and change scores. Use tls://"
        )
    # Of a scheduler that is gone, our own words say enough; these would print stack traces.
    for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return DaskCrew(setup, cluster.text, _say)


def _say(line: str) -> None:
    typer.echo(log_text(line), err=True)


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
