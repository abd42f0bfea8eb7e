"""Where a spec came from."""

from __future__ import annotations

import datetime as dt
import glob
import os
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.spec.document import Document


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


class Origin:
    """Where a spec came from; kept beside its values so that later errors can point at them."""

    def __init__(
        self,
        base: Path = Path(),
        path: Path | None = None,
        text: str = "",
        document: Document | None = None,
        roots: Roots = EVERYWHERE,
    ) -> None:
        self.base = base
        self.path = path
        self.text = text
        self.document = document or Document(None, source="spec")
        self.roots = roots
        self.date: dt.date | None = None
        self.data_key = "data"

    def on(self, date: dt.date) -> Origin:
        """The same origin, of a build of this date."""
        dated = copy(self)
        dated.date = date
        return dated

    def of_reference(self) -> Origin:
        """The same origin where ``data`` stands for ``reference``."""
        earlier = copy(self)
        earlier.data_key = "reference"
        keys, values = (
            {
                ("data", *steps[1:]) if steps[:1] == ("reference",) else steps: place
                for steps, place in table.items()
                if steps[:1] != ("data",)
            }
            for table in (self.document.keys, self.document.values)
        )
        earlier.document = replace(self.document, keys=keys, values=values)
        return earlier

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin)  # two specs are equal when they say the same

    def __hash__(self) -> int:
        return hash(Origin)
