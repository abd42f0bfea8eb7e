"""The data files of a spec: located, examined, compared with each other and stated SHA-256s."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import polars as pl

from reportgen.errors import DataError, EmptyError, Problem, SpecError
from reportgen.exhaustion import exhausted
from reportgen.predictions import workbooks
from reportgen.predictions.databases import from_source
from reportgen.predictions.examined import changes, examine
from reportgen.predictions.files import TEXT, UTF8, DataFile, Verified, find, partitions_of, scan
from reportgen.predictions.load import has_rows, miscounted, narrow
from reportgen.predictions.packed import unpack
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import SHOWN, counted, place
from reportgen.predictions.unreadable import UNREADABLE, unreadable
from reportgen.predictions.validated import Check, InputFile
from reportgen.predictions.workbooks import WorkbookError
from reportgen.spec import Spec
from reportgen.spec.nearest import suggestion
from reportgen.spec.outside import refusals

T = TypeVar("T")


def inputs(spec: Spec) -> tuple[list[DataFile], list[str]]:
    """Return the files that a spec names, examined, and their hashes.

    Raises ``DataError`` with every file that is missing, cannot be read, is not
    what the spec or a checksum file states, or has been named already.
    """
    if not spec.data:
        raise SpecError(spec.problem("data", "missing-key", "no data file is named"))
    files = from_source(spec) or _named(spec)
    if spec.reference is None and spec.data_key == "data":
        _check_dialect(spec, files)
    problems = list(_same_files(files))
    examined: list[DataFile] = []
    for file in files:
        as_examined, faults = _examined(file, spec)
        problems += faults
        examined += [] if as_examined is None else [as_examined]
    if spec.reference is None and spec.data_key == "data":
        problems += _unknown(spec, files)
    problems = problems or list(_same_content(examined))
    if problems:
        raise DataError(*problems)
    return examined, [file.examined.sha256 for file in examined if file.examined]


def reference_inputs(spec: Spec, files: Sequence[DataFile]) -> tuple[list[DataFile], list[str]]:
    """Return the files of earlier predictions, examined, and their hashes, as ``inputs`` does.

    ``files`` are those under ``data``, which no reference may be.
    """
    earlier, hashes = inputs(spec.of_reference())
    every = [*files, *earlier]
    _check_dialect(spec, every)
    problems = [] if not files else list(_unknown(spec, every))
    if problems := [*problems, *_as_data(spec, files, earlier)]:
        raise DataError(*problems)
    return earlier, hashes


def all_hashes(spec: Spec) -> list[str]:
    """The hashes of all files that a spec names: its data, and the earlier predictions."""
    files, hashes = inputs(spec)
    return hashes if spec.reference is None else [*hashes, *reference_inputs(spec, files)[1]]


def _as_data(
    spec: Spec, files: Sequence[DataFile], earlier: Sequence[DataFile]
) -> Iterator[Problem]:
    """The earlier files that are data, too, by another path or with the same bytes."""
    hint = f"name predictions of another period at {spec.locate('reference')}"
    by_content = {file.examined.sha256: file.name for file in files if file.examined}
    for file in earlier:
        same = next((one.name for one in files if one.path.samefile(file.path)), None)
        if same is not None:
            message = f"reference: this is the same file as {same} under data"
            yield Problem("same-file", message, file.name, hint)
        elif file.examined and file.examined.sha256 in by_content:
            name = by_content[file.examined.sha256]
            message = f"reference: the file has the same content as {name} under data"
            yield Problem("same-content", message, file.name, hint)


def _check_dialect(spec: Spec, files: Sequence[DataFile]) -> None:
    """Raise ``SpecError`` where the form of text is stated and no file is text."""
    if spec.encoding != UTF8 and not any(file.format in TEXT for file in files):
        message = f"encoding: {files[0].name} is {files[0].format}, which has no text encoding"
        raise SpecError(spec.problem("encoding", "conflict", message, "leave it out"))
    for name in ("separator", "decimal"):
        is_default = getattr(spec, name) == type(spec).model_fields[name].default
        if not is_default and not any(file.between for file in files):
            message = f"{name}: {files[0].name} is {files[0].format}, which is not a text table"
            raise SpecError(spec.problem(name, "conflict", message, "leave it out"))


def _named(spec: Spec) -> list[DataFile]:
    """The files that a spec names, where it may read them."""
    names = spec.data_names
    written = [] if spec.path is None else [spec.locate(("data", n)) for n in range(len(names))]
    separator = spec.separator or ""
    files = find(names, spec.base, spec.encoding, separator, spec.decimal, written)
    if refused := refusals(spec, [file.name for file in files]):
        raise SpecError(*refused)
    if spec.hive:
        files = [replace(file, partitions=partitions_of(file.name)) for file in files]
    return files


def listed(
    files: Sequence[DataFile], hashes: Sequence[str], rows: Iterable[int]
) -> tuple[InputFile, ...]:
    """Return the files as the results name them, now that they have been read.

    Raises ``DataError`` where one was changed since it was examined.
    """
    if changed := [problem for file in files for problem in changes(file)]:
        raise DataError(*changed)
    return tuple(
        InputFile(
            file.name,
            sha256,
            file.examined.state.size if file.examined else file.path.stat().st_size,
            count,
            file.examined.verified if file.examined else "not verified",
        )
        for file, sha256, count in zip(files, hashes, rows, strict=True)
    )


def _examined(file: DataFile, spec: Spec) -> tuple[DataFile | None, list[Problem]]:
    try:
        examination, faults = examine(file)
    except OSError as fault:
        if limit := exhausted(fault):
            raise limit from None
        reason = fault.strerror or "it cannot be opened"
        return None, [Problem("unreadable", f"the file cannot be read: {reason}", file.name)]
    expected = stated_hash(file, spec)
    if isinstance(expected, Problem):
        return None, [expected]
    if expected is None:
        return replace(file, examined=examination), faults
    if expected.sha256 != examination.sha256:
        return None, [_other_content(file, expected, examination.sha256)]
    return replace(file, examined=replace(examination, verified=expected.verified)), faults


def _other_content(file: DataFile, stated: StatedHash, digest: str) -> Problem:
    message = f"the file's SHA-256 is {digest}, {stated.by} states {stated.sha256}"
    hint = f"the file has changed since it was written at {stated.at}"
    return Problem("integrity", message, file.name, hint)


def _unknown(spec: Spec, files: Sequence[DataFile]) -> Iterator[Problem]:
    names = [file.name for file in files]
    for name in spec.sha256:
        if name not in names:
            message = f"sha256: no data file is named {name!r}"
            hint = suggestion(name, names)
            yield spec.problem(("sha256", name), "unknown-file", message, hint)


def _same_files(files: Sequence[DataFile]) -> Iterator[Problem]:
    """Files that are named already, by another path or a link."""
    seen: dict[tuple[int, int], str] = {}
    for file in files:
        status = file.path.stat()
        first = seen.setdefault((status.st_dev, status.st_ino), file.name)
        if first != file.name:
            message = f"this is the same file as {first}: its rows would count twice"
            yield Problem("same-file", message, file.name, "name it once")


def _same_content(files: Sequence[DataFile]) -> Iterator[Problem]:
    """Files with the same bytes, packed or not; those without rows may be alike."""
    seen: dict[str, str] = {}
    stems = Counter(_stem(file) for file in files)
    for file in files:
        hashes = [file.examined.sha256 if file.examined else ""]
        if file.packed and stems[_stem(file)] > 1:  # such as what `gzip --keep` leaves
            with suppress(OSError):  # which is reported when it is read
                text = unpack(file.path, file.packed, file.name)
                hashes.append(hashlib.sha256(text).hexdigest())
        first = next((seen[one] for one in hashes if one in seen), file.name)
        seen |= dict.fromkeys(hashes, first)
        if first != file.name and has_rows(file):
            message = f"the file has the same content as {first}: its rows would count twice"
            yield Problem("same-content", message, file.name, "leave one of them out")


def _stem(file: DataFile) -> str:
    """The name of a file without the ending of what packed it."""
    return str(Path(file.name).with_suffix("")) if file.packed else file.name


def read_whole(
    path: Path, encoding: str = UTF8, separator: str = ""
) -> tuple[DataFile, pl.DataFrame]:
    """Return one file and all its columns; numbers with a decimal comma as text.

    Raises ``DataError`` where it cannot be read in one way only, ``EmptyError`` where it
    has no rows.
    """
    (file,) = find([str(path)], Path(), encoding, separator)
    try:
        examination, problems = examine(file)
        if not problems:
            file = replace(file, examined=examination)
            frame = scan(file).collect()
            lost = miscounted(file, frame.height)
            problems = [lost] if lost else changes(file)
    except UNREADABLE as fault:
        problems = [unreadable(file, fault)]
    if problems:
        serious = [problem for problem in problems if problem.code != "no-rows"]
        raise (DataError if serious else EmptyError)(*problems)
    if frame.is_empty():
        raise EmptyError(Problem("no-rows", "there are no rows", file.name))
    return file, frame


def precision(columns: Iterable[str]) -> list[Check]:
    """Say how scores in fewer digits than a Float64 has are compared with a threshold."""
    names = ", ".join(columns)
    message = "scores and the threshold are compared in the column's own precision"
    return [Check("precision", f"{names}: {message}")] if names else []


def file_checks(files: Sequence[DataFile], columns: Sequence[RequiredColumn]) -> list[Check]:
    """What a report says of its files beyond their names.

    Which records are written on several lines, which rows are hidden, and which scores are
    narrower floats.
    """
    typed = [file for file in files if file.format in ("parquet", "ipc")]
    schemas = [_seen_again(file, lambda one: scan(one).collect_schema()) for file in typed]
    narrower = [name for schema in schemas for name in narrow(schema, columns)]
    checks = precision(dict.fromkeys(narrower))
    for file in files:
        examination = file.examined
        if examination is not None and examination.spanning:
            records = counted(examination.spanning, "record has", "records have")
            where = place(file.name, rows=examination.first_spanning)
            more = ", …" if examination.spanning > len(examination.first_spanning) else ""
            what = "line breaks between quotation marks"
            detail = f"{records} {what}: {where}{more}"
            checks.append(Check("records on several lines", detail, warning=True, uncounted=what))
        hidden: list[int] = []
        if file.format == "xlsx":
            hidden = _seen_again(file, lambda one: workbooks.hidden(one.path))
        if hidden:
            records = counted(len(hidden), "row is", "rows are")
            where = place(file.name, rows=hidden[:SHOWN])
            more = ", …" if len(hidden) > SHOWN else ""
            what = "hidden in the workbook, and read as the others are"
            detail = f"{records} {what}: {where}{more}"
            checks.append(Check("hidden rows", detail, warning=True, uncounted=what))
    return checks


def _seen_again(file: DataFile, look: Callable[[DataFile], T]) -> T:
    """What a second look at a file shows; raises ``DataError`` where it cannot be read any more."""
    try:
        return look(file)
    except (*UNREADABLE, WorkbookError) as fault:
        raise DataError(unreadable(file, fault)) from None


ENDING = ".sha256"

LARGEST = 1 << 16
"""Bytes of a checksum file that are looked at."""

_LINE = re.compile(r"\\?([0-9a-fA-F]{64})(?:[ \t]+[ *]?(.+))?")
_TAGGED = re.compile(r"SHA256 \((.+)\) = ([0-9a-fA-F]{64})")


@dataclass(frozen=True, slots=True)
class StatedHash:
    """A stated hash: by what in a message, where, and what it verifies the file by."""

    sha256: str
    by: str
    at: str
    verified: Verified


def stated_hash(file: DataFile, spec: Spec) -> StatedHash | Problem | None:
    """Return the hash that a file should have; a problem where its checksum file says none.

    The spec goes before ``FILE.sha256``, which is in the form of ``sha256sum`` or
    the hash alone.
    """
    given = spec.sha256.get(file.name)
    if given is not None:
        return StatedHash(given.lower(), "the spec", spec.locate(("sha256", file.name)), "stated")
    beside = file.path.with_name(file.path.name + ENDING)
    if not beside.exists():
        return None
    return _of_checksum_file(beside, file)


def _of_checksum_file(beside: Path, file: DataFile) -> StatedHash | Problem:
    name = file.name + ENDING
    try:
        with beside.open("rb") as stream:
            text = _whole_lines(stream.read(LARGEST)).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        reason = getattr(fault, "strerror", None) or "it is not UTF-8 text"
        return Problem("unreadable", f"the checksum file cannot be read: {reason}", name)
    for line in text.splitlines():
        entry = _entry(line.strip())
        if entry is not None and entry[1] in (None, file.path.name):
            return StatedHash(entry[0].lower(), name, name, "checksum file")
    message = f"the checksum file has no SHA-256 of {file.path.name}"
    hint = f"`sha256sum {file.path.name} > {beside.name}` writes one"
    return Problem("integrity", message, name, hint)


def _whole_lines(start: bytes) -> bytes:
    """What was read of a file without the line that its end cuts off."""
    return start if len(start) < LARGEST else start[: start.rfind(b"\n") + 1]


def _entry(line: str) -> tuple[str, str | None] | None:
    if match := _LINE.fullmatch(line):
        return match[1], None if match[2] is None else Path(match[2]).name
    if match := _TAGGED.fullmatch(line):
        return match[2], Path(match[1]).name
    return None
