"""A folder of reports on 127.0.0.1: for one person at one machine, and for no one else.

Only the loopback address is bound. A request has to name it in its Host header, so that a page
of another site cannot read reports through a name that it points here (DNS rebinding). Pages
and their parts are served, and nothing that is hidden, outside the folder, or of another kind,
such as the key of row files.
"""

from __future__ import annotations

import shutil
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from reportgen.errors import OutputError, Problem

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
PORT = 8000
PATIENCE = 30.0
"""Seconds that a connection may say nothing."""

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".pdf": "application/pdf",
    ".svg": "image/svg+xml",
    ".xml": "application/atom+xml; charset=utf-8",
}
"""What is served, by its ending."""

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def path_of(root: Path, target: str) -> Path | None:
    """The file that a request names; nothing where it is not to be served.

    Args:
        root: The folder of the builds.
        target: The target of the request, such as ``/breast-cancer/latest/report.html``.
    """
    try:
        parts = [
            part for part in unquote(urlsplit(target).path, errors="strict").split("/") if part
        ]
    except ValueError:
        return None
    if any(part.startswith(".") or "\0" in part or "\\" in part for part in parts):
        return None
    try:
        whole = root.resolve(strict=True)
        path = whole.joinpath(*parts).resolve(strict=True)
        if path.is_dir():
            pages = (path / name for name in ("index.html", "report.html"))
            path = next((page for page in pages if page.is_file()), path)
        path = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    inside = path.is_relative_to(whole) and not _is_hidden(path.relative_to(whole))
    return path if inside and path.is_file() and path.suffix in TYPES else None


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with files of one folder."""

    protocol_version = "HTTP/1.1"
    server_version = "reportgen"
    sys_version = ""
    timeout = PATIENCE
    server: Server

    def do_GET(self) -> None:
        """Send a file."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Send the headers of a file."""
        self._answer(with_body=False)

    def log_message(self, *_args: Any, **_named: Any) -> None:
        """Write no line for each request."""

    def _answer(self, *, with_body: bool) -> None:
        if self.headers.get_all("Host", []) not in self.server.hosts:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return
        path = path_of(self.server.root, self.path)
        if path is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        elif self._is_folder():
            self._to_folder()
        else:
            self._send(path, with_body=with_body)

    def _is_folder(self) -> bool:
        """Whether a folder was asked for without the slash that links in its page are read from."""
        target = urlsplit(self.path).path
        return not target.endswith("/") and Path(target).suffix not in TYPES

    def _to_folder(self) -> None:
        target = "/" + "/".join(p for p in unquote(urlsplit(self.path).path).split("/") if p)
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self.send_header("Location", quote(target) + "/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, path: Path, *, with_body: bool) -> None:
        try:
            file = path.open("rb")
        except OSError:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        with file:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", TYPES[path.suffix])
            self.send_header("Content-Length", str(path.stat().st_size))
            self.end_headers()
            if with_body:
                shutil.copyfileobj(file, self.wfile)

    def end_headers(self) -> None:
        """Add what holds for every answer."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()


class Server(ThreadingHTTPServer):
    """Serves the reports of a folder on 127.0.0.1.

    Args:
        root: The folder of the builds.
        port: The port; 0 takes a free one.

    Raises:
        OutputError: the port is taken, or may not be used.
    """

    daemon_threads = True

    def __init__(self, root: Path, port: int = PORT) -> None:
        self.root = root
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            message = f"port {port} cannot be used: {reason}"
            raise OutputError(Problem("port", message, ADDRESS, "choose another --port")) from None

    @property
    def hosts(self) -> list[list[str]]:
        """What the Host header of a request may be: once, and this address."""
        return [[f"{name}:{self.server_port}"] for name in NAMES]

    @property
    def url(self) -> str:
        """Where the index is."""
        return f"http://{ADDRESS}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let a connection that breaks end without a trace."""
