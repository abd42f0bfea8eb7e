"""Patterns of file names, such as ``parts/**/*.parquet``, in bounded work."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from fnmatch import translate
from glob import has_magic
from pathlib import Path

from reportgen.errors import DataError, LimitError, Problem
from reportgen.exhaustion import exhausted

MOST_ENTRIES = 100_000
"""Files and folders that a pattern may look at."""

_ANY_DEPTH = "**"


_NO_FOLDER = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}
"""Of what is no folder, or has gone."""


def matches(pattern: str, base: Path) -> list[str]:
    """Return the files and folders that a pattern matches, sorted, relative as it is written.

    As ``glob.glob`` with ``recursive=True``: ``**`` stands for any number of
    folders, a hidden name is matched only by a part that begins with a dot.
    Raises ``LimitError`` beyond
    ``MOST_ENTRIES``, and ``DataError`` for a folder that may not be read, whose
    files would be missing without a word.
    """
    return sorted(set(_Search(pattern, base).matches()))


class _Search:
    """One pattern below one folder, and how many entries it has looked at."""

    def __init__(self, pattern: str, base: Path) -> None:
        self.pattern = pattern
        self.base = base
        self.parts = [part for part in pattern.split("/") if part not in ("", ".")]
        self.entries = 0

    def matches(self) -> Iterator[str]:
        """Everything that the pattern matches; some of it twice."""
        pending = [("/" if self.pattern.startswith("/") else "", 0)]
        while pending:
            folder, place = pending.pop()
            if place == len(self.parts):
                yield folder
            else:
                pending += self.below(folder, place)

    def below(self, folder: str, place: int) -> Iterator[tuple[str, int]]:
        """What the next part of the pattern leads to, and the part that comes after it."""
        part, last = self.parts[place], place == len(self.parts) - 1
        if part == _ANY_DEPTH:
            yield from self.at_any_depth(folder, place)
        elif has_magic(part):
            fits = re.compile(translate(part)).match
            for entry in self.listed(folder):
                hidden = entry.name.startswith(".") and not part.startswith(".")
                if fits(entry.name) and not hidden and (last or self.is_folder(entry)):
                    yield os.path.join(folder, entry.name), place + 1
        elif self.is_there(os.path.join(self.base, folder, part)):
            yield os.path.join(folder, part), place + 1

    def at_any_depth(self, folder: str, place: int) -> Iterator[tuple[str, int]]:
        """What ``**`` leads to: the folder itself, and each below it."""
        last = place == len(self.parts) - 1
        if not last:
            yield folder, place + 1
        for entry in self.listed(folder):
            if entry.name.startswith("."):
                continue
            if self.is_folder(entry):
                yield os.path.join(folder, entry.name), place
            if last:
                yield os.path.join(folder, entry.name), place + 1

    def listed(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """The entries of a folder; none of what is no folder, or has gone."""
        try:
            with os.scandir(self.base / folder) as entries:
                for entry in entries:
                    self.entries += 1
                    if self.entries > MOST_ENTRIES:
                        raise LimitError(self.too_many(folder))
                    yield entry
        except OSError as fault:
            self.require_no_folder(fault, str(self.base / folder))

    def is_folder(self, entry: os.DirEntry[str]) -> bool:
        """Whether an entry leads to a folder; links that lead in a circle lead to none."""
        try:
            return entry.is_dir()
        except OSError as fault:
            self.require_no_folder(fault, entry.path)
            return False

    def is_there(self, path: str) -> bool:
        """Whether there is a file, a folder or a link of this name."""
        try:
            os.lstat(path)
        except OSError as fault:
            self.require_no_folder(fault, os.path.dirname(path))
            return False
        except ValueError:  # a name that no file has
            return False
        return True

    def require_no_folder(self, fault: OSError, folder: str) -> None:
        """Refuse what may be a folder: its files would be missing without a word."""
        if fault.errno in _NO_FOLDER:
            return
        message = f"the folder {folder!r} cannot be read: {fault.strerror}"
        problem = Problem("unreadable", message, self.pattern, "name its files one by one")
        raise exhausted(fault) or DataError(problem) from None

    def too_many(self, folder: str) -> Problem:
        """What is reported of a pattern that is too wide."""
        return Problem(
            "too-many-files",
            f"the pattern looks at more than {MOST_ENTRIES:,} files and folders; "
            f"it had come to {str(self.base / folder)!r}",
            self.pattern,
            "begin it with the folder that holds the data",
        )
