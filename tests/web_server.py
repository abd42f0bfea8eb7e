"""A web server on this machine that keeps what it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Posted(ThreadingHTTPServer):
    """What was posted, as path and JSON; ``answers`` are the next status codes, then 200."""

    def __init__(self) -> None:
        self.bodies: list[tuple[str, Any]] = []
        self.answers: list[int] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def texts(self) -> list[str]:
        """The texts of what was posted to a webhook."""
        return [body["text"] for _, body in self.bodies]


class _Handler(BaseHTTPRequestHandler):
    server: Posted

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        code = self.server.answers.pop(0) if self.server.answers else 200
        if code == 200:
            self.server.bodies.append((self.path, json.loads(content)))
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args: Any, **_named: Any) -> None:
        pass


@contextmanager
def web_server() -> Iterator[Posted]:
    """Serve on a free port."""
    with Posted() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
