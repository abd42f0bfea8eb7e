"""Data files: find them, tell their format, and open them lazily."""

from __future__ import annotations

import glob
import hashlib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path, PurePath
from typing import Literal
from urllib.parse import unquote

import polars as pl

from reportgen.errors import DataError, Problem
from reportgen.predictions import workbooks
from reportgen.predictions.packed import PACKED, Packed, unpack
from reportgen.predictions.patterns import matches
from reportgen.spec.nearest import suggestion

FileFormat = Literal["parquet", "csv", "tsv", "ipc", "ndjson", "xlsx", "counts"]

SUFFIXES: dict[str, FileFormat] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".ipc": "ipc",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".xlsx": "xlsx",
    ".counts": "counts",
}


MOST_BESIDE = 1000
"""Files of a folder among which the one that was meant is looked for."""

SEPARATORS: dict[FileFormat, str] = {"csv": ",", "tsv": "\t"}
"""The formats that are tables of text, with what separates their fields."""

TEXT: tuple[FileFormat, ...] = (*SEPARATORS, "ndjson")
"""The formats that have an encoding."""

UTF8 = "utf-8"

Verified = Literal["stated", "checksum file", "page checksums", "not verified"]
"""What shows that the bytes of a file are those that were written."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What the file system says of a file: another one where it was changed or replaced."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        """The state in what ``stat`` returned."""
        times = status.st_mtime_ns, status.st_ctime_ns
        return cls(status.st_dev, status.st_ino, status.st_size, *times)

    @property
    def latest(self) -> int:
        """When the file was last changed, in nanoseconds."""
        return max(self.modified, self.changed)


@dataclass(frozen=True, slots=True)
class Examined:
    """A file's SHA-256, its state when that was taken, and what is known of its text.

    ``records`` of a table of text is what must be read of it; ``spanning`` of them are
    written on several lines. ``settled`` says that a later change would show in the state.
    """

    sha256: str
    state: FileState
    settled: bool
    records: int | None = None
    spanning: int = 0
    first_spanning: tuple[int, ...] = ()
    verified: Verified = "not verified"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file: its name in messages, where it is, its format, and how its text is written.

    ``packed``: how its text is compressed. ``separator`` is that of the fields of a csv
    file, ``decimal`` the mark in its numbers. ``partitions`` are columns that its folders name.
    """

    name: str
    path: Path
    format: FileFormat
    encoding: str = UTF8
    examined: Examined | None = None
    packed: Packed | None = None
    separator: str = ""
    decimal: str = "."
    partitions: tuple[tuple[str, str | None], ...] = ()

    @property
    def typed(self) -> bool:
        """Whether the format keeps types; CSV is text."""
        return self.format not in SEPARATORS

    @property
    def plain(self) -> bool:
        """Whether its bytes are those of UTF-8 text, or of a format that has no encoding."""
        return self.packed is None and (self.encoding == UTF8 or self.format not in TEXT)

    @property
    def between(self) -> str | None:
        """What separates the fields of a table of text; None of another format."""
        return (self.format == "csv" and self.separator) or SEPARATORS.get(self.format)


NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""How Hive writes null in the name of a folder."""


def find(
    names: Sequence[str],
    base: Path,
    encoding: str = UTF8,
    separator: str = "",
    decimal: str = ".",
    places: Sequence[str] = (),
) -> list[DataFile]:
    """Return the files that names and patterns stand for, each once, patterns sorted.

    A name that exists is taken as it is, even if it looks like a pattern. ``encoding``
    is that of their text, ``separator`` that of csv files, ``decimal`` the mark in numbers.
    ``places`` are those of the names in the spec, if they stand in one.
    Raises ``DataError`` with every name that stands for nothing.
    """
    files: dict[Path, DataFile] = {}
    problems: list[Problem] = []
    for name, place in zip_longest(names, places, fillvalue=""):
        for file_name in _matches(name, base):
            path = base / file_name
            kind, packed = form_of(path.name)
            if not os.path.isfile(path):
                problems.append(_named_at(_missing(file_name, path), place))
            elif kind is None:
                problems.append(_named_at(_unknown(path, file_name), place))
            else:
                file = DataFile(file_name, path, kind, encoding, None, packed, separator, decimal)
                files.setdefault(path, file)
    if problems:
        raise DataError(*problems)
    return list(files.values())


def _named_at(problem: Problem, place: str) -> Problem:
    """The problem with a file, and where the spec names it."""
    return replace(problem, message=f"{problem.message} (named at {place})") if place else problem


def form_of(name: str) -> tuple[FileFormat | None, Packed | None]:
    """The format that a file's name ends in, and the compression of a table of text.

    >>> form_of("a.PARQUET"), form_of("a.csv.gz"), form_of("a.parquet.gz")
    (('parquet', None), ('csv', 'gzip'), (None, 'gzip'))
    """
    path = PurePath(name.lower())
    packed = PACKED.get(path.suffix)
    form = SUFFIXES.get(path.with_suffix("").suffix if packed else path.suffix)
    return (None if packed and form not in TEXT else form), packed


def _unknown(path: Path, name: str) -> Problem:
    message = f"the ending {path.suffix!r} is not a known format"
    text = " or ".join(end for end, form in SUFFIXES.items() if form in TEXT)
    packed = f"; {text} may be followed by {' or '.join(PACKED)}"
    hint = f"known endings: {', '.join(SUFFIXES)}{packed}"
    if path.suffix.lower() in {".txt", ".dat", ".tab"}:
        hint = "name a table of text .csv, or .tsv where tabs separate its fields"
    return Problem("unknown-format", message, name, hint)


def _matches(name: str, base: Path) -> list[str]:
    if os.path.exists(base / name) or not glob.has_magic(name):
        return [name]
    return [match for match in matches(name, base) if not os.path.isdir(base / match)] or [name]


def _missing(name: str, path: Path) -> Problem:
    if os.path.lexists(path) and not _unreachable(path) and not os.path.isdir(path):
        return _no_file(name, path)
    if glob.has_magic(name):
        return Problem("missing-file", "no file matches the pattern", name, f"tried {path}")
    if os.path.isdir(path):
        hint = f"name its files, for example {name.rstrip('/')}/*.parquet"
        return Problem("missing-file", "this is a folder, not a file", name, hint)
    folder = path.parent
    if reason := _unreachable(path):
        return Problem("unreadable", f"the file cannot be reached: {reason}", name)
    if not os.path.isdir(folder):
        return Problem("missing-file", "there is no such file", name, f"no folder {folder}")
    listed = islice(folder.iterdir(), MOST_BESIDE) if os.access(folder, os.R_OK) else ()
    beside = [p.name for p in sorted(listed) if form_of(p.name)[0]]
    hint = suggestion(path.name, beside) or f"there is no data file in {folder}"
    return Problem("missing-file", "there is no such file", name, hint)


def _no_file(name: str, path: Path) -> Problem:
    if os.path.exists(path):
        hint = "write the data to a file, or leave it out of the pattern"
        return Problem("missing-file", "this is a pipe or a device, not a file", name, hint)
    hint = f"it leads to {os.readlink(path)}: remove it, or restore that file"
    return Problem("missing-file", "the link leads to no file", name, hint)


def _unreachable(path: Path) -> str | None:
    """Why the system does not say whether a file is there; None where it does."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        return (fault.strerror or "it cannot be opened").lower()
    return None


def partitions_of(name: str) -> tuple[tuple[str, str | None], ...]:
    """The columns that the folders of a file name, as Hive writes them.

    >>> partitions_of("nights/site=A%20b/day=2026-01-31/part=0.parquet")
    (('site', 'A b'), ('day', '2026-01-31'))
    >>> partitions_of("site=__HIVE_DEFAULT_PARTITION__/0.parquet")
    (('site', None),)
    """
    pairs = (part.partition("=") for part in Path(name).parts[:-1] if "=" in part)
    return tuple(
        (unquote(key), None if value == NO_VALUE else unquote(value))
        for key, _, value in pairs
        if key
    )


def scan(file: DataFile) -> pl.LazyFrame:
    """Open a file lazily. CSV columns are text as written; other formats keep their types.

    Columns of its folders are text.

    Raises ``DataError`` where a file has a column of the same name as one of its folders.
    """
    lazy = _scan(file)
    if not file.partitions:
        return lazy
    both = {key for key, _ in file.partitions} & set(lazy.collect_schema().names())
    if both:
        name = min(both)
        message = f"column {name!r} is in the file, and a folder of its path names it too"
        raise DataError(Problem("partition", message, file.name, "leave out hive: true"))
    text = pl.String()
    return lazy.with_columns(pl.lit(value, text).alias(key) for key, value in file.partitions)


def _scan(file: DataFile) -> pl.LazyFrame:
    """The columns of the file itself."""
    if file.format == "parquet":
        return pl.scan_parquet(file.path, glob=False, hive_partitioning=False)
    if file.format == "ipc":
        return pl.scan_ipc(file.path, glob=False, hive_partitioning=False)
    if file.format == "counts":
        hint = "`reportgen build` adds up files of counts, given alone; nothing else reads them"
        raise DataError(Problem("counts", "the file holds counts, no rows", file.name, hint))
    if file.format == "xlsx":
        return workbooks.read(file.path).lazy()
    text = None if file.plain else io.BytesIO(decoded(file))
    if file.format == "ndjson":
        source = glob.escape(str(file.path)) if text is None else text
        return pl.scan_ndjson(source, infer_schema_length=None)
    separator = file.between or ","
    lazy = pl.scan_csv(text or file.path, infer_schema=False, separator=separator, glob=False)
    return _unescaped(lazy)


def repeated_columns(file: DataFile, names: Sequence[str]) -> set[str]:
    """The columns that a table of text has twice, by its names as Polars gives them.

    It calls the second one ``p_duplicated_0``, which may also be the name of a column.
    """
    suspects = {name for name in names if f"{name}_duplicated_0" in names}
    if not suspects or file.typed:
        return set()
    source = file.path if file.plain else io.BytesIO(decoded(file))
    first = pl.read_csv(
        source,
        has_header=False,
        n_rows=1,
        infer_schema=False,
        separator=file.between or ",",
        truncate_ragged_lines=True,
        glob=False,
    )
    header = first.row(0)
    return {name for name in suspects if header.count(name) > 1}


def decoded(file: DataFile) -> bytes:
    """The text of a file as UTF-8, without compression.

    Raises ``UnicodeDecodeError`` where it is not in its encoding, ``PackedError`` where it
    cannot be unpacked.
    """
    data = unpack(file.path, file.packed, file.name) if file.packed else file.path.read_bytes()
    return data if file.encoding == UTF8 else data.decode(file.encoding).encode()


def _unescaped(lazy: pl.LazyFrame) -> pl.LazyFrame:
    """Mend the names of columns: Polars leaves a doubled quote in a quoted header as it is.

    Not by its ``with_column_names``, where a signal or any other exception
    would come out as a damaged file.
    """
    names = lazy.collect_schema().names()
    mended = {name: name.replace('""', '"') for name in names if '""' in name}
    return lazy.rename(mended) if mended else lazy


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
