"""A Dask cluster as a crew needs it: who is there, one call on one worker, and what came of it."""

import contextlib
import ipaddress
import queue
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from distributed import Client, Future
from distributed.client import ClosedClientError
from distributed.security import Security

from graders.engine.clean import one_line
from graders.engine.errors import ServiceError, UsageError

CONNECT_SECONDS = 15.0
ANSWER_SECONDS = 30.0
"""For a question to the scheduler."""
RESULT_SECONDS = 10.0
"""For an answer that is ready, and only has to be fetched."""
CLOSE_SECONDS = 5.0
SCHEDULER_GONE = (OSError, RuntimeError, ClosedClientError)
"""What Dask raises for a scheduler that is gone or silent, and for a client that has therefore been closed."""
ADDRESS = re.compile(r"(?:(tcp|tls)://)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a scheduler is, and whether what is said to it can be read or changed on the way."""

    text: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """A call's number, and what it returned; or, of one that never came to an end of its own, the reason."""

    call: int
    answer: tuple[str, str] | None
    problem: str = ""


def read_address(text: str) -> Address:
    """Return the address that somebody typed; raises UsageError for what is none."""
    found = ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found[3]) < 1 << 16:
        raise UsageError(
            f'--dask "{one_line(text)}": expected the address of a Dask scheduler, as tls://HOST:8786, or as '
            "tcp://127.0.0.1:8786 on this machine alone"
        )
    scheme, host = found[1] or "tcp", found[2]
    return Address(f"{scheme}://{host}:{found[3]}", scheme != "tls" and not _is_loopback(host.strip("[]")))


class Cluster:
    """A client of a cluster that belongs to somebody else. One thread may use it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._ended: queue.SimpleQueue[tuple[int, Future[tuple[str, str]]]] = queue.SimpleQueue()
        self._calls: dict[int, Future[tuple[str, str]]] = {}
        self._count = 0
        security = _security(address)
        try:
            self._client = Client(
                address, timeout=CONNECT_SECONDS, set_as_default=False, name="grade-class", security=security
            )
        except (OSError, RuntimeError) as error:
            raise ServiceError(
                f"no Dask scheduler answers at {address} ({one_line(str(error))}); start one with `dask scheduler`, "
                "with the same certificates as here, or without any for tcp://"
            ) from error

    def workers(self) -> dict[str, int]:
        """Return the address of each worker, with how many calls it takes at a time; raises ServiceError."""
        if self._client.status != "running":  # it would try for half a minute to come back, and know of nothing then
            raise self._lost()
        try:
            return dict(self._client.nthreads(callback_timeout=ANSWER_SECONDS))
        except SCHEDULER_GONE as error:
            raise self._lost() from error

    def call(self, worker: str, function: Callable[..., tuple[str, str]], *arguments: object) -> int:
        """Have that worker, and no other, call a function once; returns at once, with the call's number."""
        self._count += 1
        number = self._count
        try:
            future = self._client.submit(function, *arguments, workers=[worker], pure=False)
        except SCHEDULER_GONE as error:
            raise self._lost() from error
        self._calls[number] = future
        future.add_done_callback(lambda done: self._ended.put((number, done)))
        return number

    def next(self, seconds: float) -> Ended | None:
        """Wait for the end of a call that has not been dropped; returns nothing if none came in that time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                number, future = self._ended.get(timeout=left)
            except queue.Empty:
                break
            if self._calls.pop(number, None) is not None:
                return self._what_came(number, future)
        return None

    def drop(self, calls: Iterable[int]) -> None:
        """Forget calls, and do not begin those that have not begun."""
        futures = [self._calls.pop(call) for call in calls if call in self._calls]
        with contextlib.suppress(*SCHEDULER_GONE):  # which needs to know nothing then
            self._client.cancel(futures)

    def tell(self, workers: list[str], function: Callable[..., object], *arguments: object) -> None:
        """Have these workers call a function beside whatever they do, as far as they are still there."""
        if self._client.status != "running":
            return
        with contextlib.suppress(*SCHEDULER_GONE):  # halls end by themselves then, when they have been idle
            self._client.run(
                function, *arguments, workers=workers, on_error="ignore", callback_timeout=2 * CLOSE_SECONDS
            )

    def close(self) -> None:
        """Take leave; the cluster goes on without us."""
        self.drop(list(self._calls))
        with contextlib.suppress(*SCHEDULER_GONE):
            self._client.close(timeout=CLOSE_SECONDS)

    def _what_came(self, number: int, future: "Future[tuple[str, str]]") -> Ended:
        if future.cancelled():  # nobody but a client that has lost its scheduler does that
            raise self._lost()
        try:
            return Ended(number, future.result(timeout=RESULT_SECONDS))
        except TimeoutError:
            return Ended(number, None, "the worker was lost with its answer")
        except Exception as error:  # whatever the call raised
            if self._client.status != "running":
                raise self._lost() from error
            return Ended(number, None, one_line(f"{type(error).__name__}: {error}"))
        finally:
            future.release()

    def _lost(self) -> ServiceError:
        return ServiceError(
            f"the Dask scheduler at {self._address} is gone, or does not answer; what was graded until then is kept. "
            "See to the cluster, and run the same command again: it goes on from here"
        )


def _security(address: str) -> Security:
    """Return the certificates that Dask's own configuration has for this; raises UsageError where it has none."""
    security = Security()
    try:
        found = address.startswith("tcp:") or security.get_connection_args("client").get("ssl_context") is not None
    except OSError as error:
        raise UsageError(
            f"the certificates in Dask's configuration cannot be read ({one_line(str(error))}); expected files in PEM "
            "format under distributed.comm.tls"
        ) from error
    if not found:
        raise UsageError(
            f"--dask {address}: Dask's configuration names no certificates; set ca-file, client.cert and client.key "
            "under distributed.comm.tls"
        )
    return security


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
