"""A folder of reports on 127.0.0.1, built again on changes: for one person at one machine.

Only the loopback address is bound. A request has to name it in its Host header, so that a page
of another site cannot read reports through a name that it points here (DNS rebinding). Pages
and their parts are served, and nothing that is hidden, outside the folder, or of another kind,
such as the key of row files.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import psutil

from reportgen.errors import OutputError, Problem, ReportgenError
from reportgen.own_processes import own_process
from reportgen.predictions.files import find
from reportgen.progress import OnStep
from reportgen.resources import TEMPLATES
from reportgen.spec import Spec, read
from reportgen.spec.option_groups import text_sections
from reportgen.spec.outside import local_name, location

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


SECONDS = 1.0

FilesState = frozenset[tuple[str, int, int]]
"""Files with their size and time of change."""


def files_of(spec: Path) -> Iterator[Path]:
    """The files that a report is made of: spec, data, texts and templates.

    Where the spec cannot be read these are the spec and the templates.
    """
    yield spec
    yield from sorted(path for path in TEMPLATES.rglob("*") if path.is_file())
    try:
        declared = read(spec, allowed_roots=None)
        texts = text_sections(declared.sections)
        yield from (declared.base / one.markdown for _, one in texts)
        yield from _data_files(declared)
        if declared.reference is not None:
            yield from _data_files(declared.of_reference())
    except (ReportgenError, OSError):
        return


def _data_files(declared: Spec) -> Iterator[Path]:
    names = [local_name(name) for name in declared.data_names]
    if any(location(name) is not None for name in declared.data_names):
        yield from (declared.base / name for name in names)
        return
    decimal, separator = declared.decimal, declared.separator or ""
    for file in find(names, declared.base, declared.encoding, separator, decimal):
        yield file.path


def state_of(spec: Path) -> FilesState:
    """How these files are now."""
    return frozenset(_facts(spec))


def _facts(spec: Path) -> Iterator[tuple[str, int, int]]:
    for path in files_of(spec):
        try:
            status = path.stat()
        except OSError:
            continue
        yield str(path), status.st_size, status.st_mtime_ns


@dataclass
class Watch:
    """Specs that are built when their files change.

    ``options`` are further words of ``reportgen build``, ``log`` receives what happens.
    """

    specs: Sequence[Path]
    options: Sequence[str] = ()
    log: OnStep = print
    stopped: Event = field(default_factory=Event)
    _built: dict[Path, FilesState] = field(default_factory=dict)
    _seen: dict[Path, FilesState] = field(default_factory=dict)

    def run(self) -> None:
        """Look at the files each second until ``stopped`` is set."""
        while True:
            self.rebuild_changed()
            if self.stopped.wait(SECONDS):
                return

    def rebuild_changed(self) -> list[Path]:
        """Build the specs whose files have changed, and have been still since the last check."""
        due = []
        for spec in self.specs:
            now = state_of(spec)
            is_still = self._seen.get(spec) in (None, now)
            self._seen[spec] = now
            if is_still and now != self._built.get(spec):
                due.append(spec)
                self._built[spec] = now
                self._build(spec)
        return due

    def _build(self, spec: Path) -> None:
        words = own_process("reportgen", "build", str(spec), "--quiet", *self.options)
        self.log(f"building {spec}")
        pipe = subprocess.PIPE
        child = psutil.Popen(
            words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT, text=True
        )
        try:
            text, _ = child.communicate()
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()
        for line in text.splitlines():
            self.log(line)
