"""The folders that a spec may read files from."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Roots:
    """Folders without links in their paths, or None where every file may be read.

    >>> Roots.of(["/data"]).hold(Path("/data/a/../../etc/passwd"))
    False
    >>> Roots(None).hold(Path("/etc/passwd"))
    True
    """

    folders: tuple[Path, ...] | None = None

    @classmethod
    def of(cls, folders: Iterable[Path | str]) -> Roots:
        """The roots at these folders, with links followed."""
        return cls(tuple(Path(folder).resolve() for folder in folders))

    def hold(self, path: Path) -> bool:
        """Whether a file, with every link followed, lies in one of the folders.

        The fixed part of a pattern is followed too, and its ``..`` are taken
        as written, so that nothing outside is searched.
        """
        if self.folders is None:
            return True
        try:
            places = [path.resolve(), *_searched(path)]
        except (OSError, RuntimeError, ValueError):  # it cannot be opened either
            return True
        return all(any(place.is_relative_to(f) for f in self.folders) for place in places)


def _searched(path: Path) -> Iterator[Path]:
    """The folder in which a pattern is searched, and its path with ``..`` worked out."""
    if not glob.has_magic(str(path)):
        return
    fixed = [part for part in path.parents if not glob.has_magic(str(part))]
    yield fixed[0].resolve()
    lexical = Path(os.path.normpath(path.absolute()))
    yield next(part for part in lexical.parents if not glob.has_magic(str(part))).resolve()


EVERYWHERE = Roots(None)
"""Of a spec that is written in Python, whose author runs it."""
