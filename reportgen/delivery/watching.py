"""Build a spec again when it, its data, its texts or the templates change.

Files are looked at once a second, by name, size and time of change. A build runs as a process
of its own, as from the command line, so that one that fails leaves the server and the reports
as they are.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import psutil

from reportgen.errors import ReportgenError
from reportgen.predictions.files import find
from reportgen.progress import OnStep
from reportgen.resources import TEMPLATES
from reportgen.spec import Spec, read
from reportgen.spec.option_groups import text_sections
from reportgen.spec.outside import local_name, location

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
        words = [sys.executable, "-m", "reportgen", "build", str(spec), "--quiet", *self.options]
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
