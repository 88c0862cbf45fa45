"""The API of a small GitHub, served on this machine.

Every request and every answer is held against GitHub's own description of its API; what it has against them is
collected in `violations`, for a test to find empty. What is queued in `faults` happens in the place of answers.
"""

import http.server
import json
import re
import socket
import struct
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from urllib.parse import parse_qsl, urlsplit

from openapi_core.testing import MockRequest, MockResponse

from tests.github.openapi import API, violations
from tests.github.state import Fault, GitHub, Request

__all__ = ["Fault", "GitHub", "serving"]

JSON = "application/json; charset=utf-8"
# What is sent at once, and then again and again.
DROPS = {
    "a slow status": (b"HTTP/1.1 200 ", b"O"),
    "a slow header": (b"HTTP/1.1 200 OK\r\nx: ", b"x"),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a slow size": (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"0"),
    "a slow body": (b"HTTP/1.1 200 OK\r\ncontent-length: 102\r\n\r\n", b" "),
}
ACCEPTED = ("application/vnd.github+json", "application/json", "*/*")


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    github: GitHub

    def do_GET(self) -> None:
        github = self.github
        length = int(self.headers.get("content-length", "0"))
        data = self.rfile.read(length)
        parts = urlsplit(self.path)
        path = self._by_name(parts.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, path, dict(parse_qsl(parts.query)), headers, json.loads(data) if data else None)
        github.requests.append(request)
        github.before(request)
        asked = self._judge_request(request, data)
        fault = next((fault for fault in github.faults if fault.fits(request.method, path)), None)
        if fault is not None:
            github.faults.remove(fault)
        if fault is None or fault.act or fault.how == "cut":
            token = headers.get("authorization", "").removeprefix("Bearer ").removeprefix("token ")
            status, more, record = github.answer(request, token)
            body = json.dumps(record).encode()
            answer = MockResponse(body, status, content_type=JSON)
            github.violations += violations(asked, answer)
        if fault is None:
            self._send(status, more, body)
        elif fault.how == "answer":
            given = json.dumps({"message": fault.message}).encode() if fault.body is None else fault.body
            self._send(fault.status, fault.headers, given)
        elif fault.how == "cut":
            self._send(status, {**more, "content-length": str(len(body))}, body[: len(body) // 2])
        else:
            self._break(fault.how)

    do_POST = do_PATCH = do_GET

    def _by_name(self, path: str) -> str:
        """Return a path with the repository's name where it has its number, as redirects do."""
        numbered = re.fullmatch(r"/repositories/(\d+)((?:/.*)?)", path)
        if numbered is None:
            return path
        for repository in self.github.repositories:
            if repository.id == int(numbered[1]):
                return f"/repos/{repository.full_name}{numbered[2]}"
        return path

    def _judge_request(self, request: Request, data: bytes) -> MockRequest:
        content_type = request.headers.get("content-type", "")
        asked = MockRequest(
            API,
            request.method.lower(),
            request.path,
            args=request.query,
            headers=request.headers,
            data=data or None,
            content_type=content_type,
        )
        self.github.violations += violations(asked)
        if request.headers.get("accept") not in ACCEPTED or not request.headers.get("user-agent"):
            self.github.violations.append(f"{request.method} {request.path}: GitHub wants Accept and User-Agent")
        return asked

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Send an answer and end the connection, so that what is cut is known to be."""
        self.send_response(status)
        for name, value in ({"content-length": str(len(body)), "content-type": JSON} | dict(headers)).items():
            self.send_header(name, value)
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def _break(self, how: str) -> None:
        self.close_connection = True
        if how == "silent":
            self.github.closing.wait(60)
        elif how in DROPS:
            start, drop = DROPS[how]
            with suppress(OSError):  # the client has had enough
                self.wfile.write(start)
                for _ in range(100):
                    self.wfile.write(drop)
                    self.github.closing.wait(0.05)
        elif how == "endless":
            self._send(200, {"transfer-encoding": "chunked"}, b"")
            block = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
            with suppress(OSError):  # the client has had enough
                while not self.github.closing.is_set():
                    self.wfile.write(block)
        # Closed with what was not read, or at once: either is a reset for the client.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing: requests are kept in a list."""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Let a test fail for a fault of ours; a client that has gone is none."""
        error = sys.exception()
        if not isinstance(error, OSError):
            self.RequestHandlerClass.github.violations.append(f"the server failed: {error!r}")


@contextmanager
def serving(github: GitHub) -> Iterator[str]:
    """Serve it on this machine, and return the address of its API."""
    handler = type("Handler", (_Handler,), {"github": github})
    server = _Server(("127.0.0.1", 0), handler)
    github.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield github.url
    finally:
        github.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
