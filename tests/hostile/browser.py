"""A page opened in Chromium with scripts on: what it did, and what it asked for."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HOST = "bait.example"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
_ROOT = re.compile(r"<html\b[^>]*>")


@dataclass(frozen=True)
class Seen:
    """What became of a page: its markup when it had come to rest, and the connections it made."""

    markup: str
    connections: int

    @property
    def has_effect(self) -> bool:
        """Whether a text was run."""
        root = _ROOT.search(self.markup)
        return root is None or "data-effect" in root[0]


class Listener:
    """Counts the connections to a port of this machine, and answers none."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                accepted, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            accepted.close()


@contextmanager
def listening() -> Iterator[Listener]:
    """Listen for as long as it takes."""
    listener = Listener()
    try:
        yield listener
    finally:
        listener.socket.shutdown(socket.SHUT_RDWR)
        listener.socket.close()


def opened(page: Path, profile: Path, *, width: int = 1280) -> Seen:
    """Open a page so tall that every chart is in sight; the baits lead to the listener."""
    assert CHROMIUM is not None
    with listening() as listener:
        command = [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *("--disable-default-apps", "--disable-extensions", f"--window-size={width},20000"),
            f"--user-data-dir={profile}",
            f"--host-resolver-rules=MAP {HOST} 127.0.0.1:{listener.port}, MAP * ~NOTFOUND",
            *("--virtual-time-budget=4000", "--dump-dom", page.as_uri()),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        return Seen(done.stdout, listener.connections)
