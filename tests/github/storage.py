"""The server on which GitHub keeps artifacts: it knows addresses, and nobody's token."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.github.state import GitHub


class _Handler(http.server.BaseHTTPRequestHandler):
    github: GitHub

    def do_GET(self) -> None:
        number, _, signature = self.path.removeprefix("/").partition("?")
        if "authorization" in self.headers:
            self.github.violations.append("the server of the artifacts was told a token")
        kept = [kept for one in self.github.repositories for kept in one.artifacts if str(kept.id) == number]
        found = bool(kept) and signature == "signature=of-this-file"
        self.send_response(200 if found else 404)
        self.end_headers()
        self.wfile.write(kept[0].content if found else b"")

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def storing(github: GitHub) -> Iterator[None]:
    """Serve the artifacts of a GitHub from another address than its API."""
    handler = type("Handler", (_Handler,), {"github": github})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        github.storage = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
