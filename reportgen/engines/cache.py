"""Counts that are known already, in a folder: one file per leaf, named by what it counts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from reportgen import interrupts
from reportgen.engines.partial import Partial

VARIABLE = "REPORTGEN_CACHE"
"""Names another folder for the counts; empty: none are kept."""


@dataclass(frozen=True)
class Cache:
    """A folder of partials; ``folder`` is null where nothing is kept."""

    folder: Path | None

    def read(self, name: str) -> Partial | None:
        """Return counts by their name; None where they are not known, or damaged."""
        if self.folder is None:
            return None
        try:
            return Partial.from_bytes(self._path(self.folder, name).read_bytes())
        except (OSError, ValueError):
            return None

    def write(self, name: str, counts: Partial | bytes) -> None:
        """Keep counts, written aside and then renamed; without effect where that is impossible."""
        if self.folder is None:
            return
        path = self._path(self.folder, name)
        content = counts.to_bytes() if isinstance(counts, Partial) else counts
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
                aside = Path(file.name)
                file.write(content)
            aside.replace(path)
        except OSError:
            interrupts.check()

    @staticmethod
    def _path(folder: Path, name: str) -> Path:
        return folder / name[:2] / f"{name}.counts"


def default() -> Cache:
    """The folder that the environment names, else the user's own for caches."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Cache(Path(named) if named else None)
    try:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    except RuntimeError:  # the user has no home
        return Cache(None)
    return Cache(Path(base) / "reportgen" / "counts")
