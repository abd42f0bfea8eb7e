"""``history.parquet``: a row for each build of a spec, read off the builds and made again at will.

It is a cache: a build that it lacks is read, one that is gone leaves it. Only what retention
has removed is kept for good, in ``archive.parquet``, so that the numbers outlive the reports.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

import polars as pl

from reportgen.builds.manifest import Manifest
from reportgen.builds.publish import LOCK, naming_faults
from reportgen.builds.stored import build_ids, manifest_of, object_in
from reportgen.errors import DataError, Problem
from reportgen.frames import write_parquet
from reportgen.metric_names import parted
from reportgen.spec.gates import parse
from reportgen.tables.results import GateState

FILE = "history.parquet"
ARCHIVE = "archive.parquet"
FRESH = ".history-"
"""Beginning of the name under which either is written, before it takes its place."""

PATIENCE = 30.0
"""Seconds that a process waits for another one to finish with history and index."""


class NumberRow(TypedDict):
    """A number of a build with its limits."""

    metric: str
    model: str
    average: str | None
    slice: str | None
    value: float
    low: float | None
    high: float | None


class StoredGate(TypedDict):
    """What a build said of a gate."""

    gate: str
    slice: str | None
    state: GateState
    against: str | None
    why: str | None
    observed: float | None
    low: float | None
    high: float | None
    limit: float | None
    cusum: float | None
    night: float | None
    fresh: float | None
    fresh_error: float | None


class ListedBuild(TypedDict):
    """What a list of builds has of one."""

    id: str
    date: str
    created: str
    name: str
    title: str
    state: str | None
    state_text: str | None
    headline: str | None
    every: str | None


Condition = Literal["spec", "versions", "test_set"]


class Conditions(TypedDict):
    """What a build was made under: digests of spec and versions, and the test set."""

    spec: str
    versions: str
    test_set: str | None


class HistoryRow(ListedBuild, Conditions):
    """A build in the history of its spec."""

    leader: str | None
    measure: str | None
    task: str | None
    positive: str | None
    classes: str
    inputs: str
    data: str
    weighted: bool | None
    rows: int | None
    confidence: float | None
    small_cells: int | None
    archived: bool
    numbers: list[NumberRow]
    gates: list[StoredGate]


_TEXT, _FLOAT = pl.String(), pl.Float64()
_NUMBER = pl.Struct(
    {
        **dict.fromkeys(("metric", "model", "average", "slice"), _TEXT),
        **dict.fromkeys(("value", "low", "high"), _FLOAT),
    }
)
_GATE = pl.Struct(
    {
        **dict.fromkeys(("gate", "slice", "state", "against", "why"), _TEXT),
        **dict.fromkeys(
            ("observed", "low", "high", "limit", "cusum", "night", "fresh", "fresh_error"), _FLOAT
        ),
    }
)
SCHEMA: dict[str, pl.DataType] = {
    **dict.fromkeys(("id", "date", "created", "name", "title", "state", "state_text"), _TEXT),
    **dict.fromkeys(("headline", "leader", "measure", "task", "positive", "classes"), _TEXT),
    **dict.fromkeys(("inputs", "data", "spec", "versions", "test_set"), _TEXT),
    "weighted": pl.Boolean(),
    "rows": pl.Int64(),
    "confidence": _FLOAT,
    "small_cells": pl.Int64(),
    "every": _TEXT,
    "archived": pl.Boolean(),
    "numbers": pl.List(_NUMBER),
    "gates": pl.List(_GATE),
}

_ADDED = {"small_cells": None}
"""Fields that archives of an earlier version lack, with what holds of their builds."""


def history(folder: Path) -> pl.DataFrame:
    """The builds of a spec in order: by logical date, then by when they were made.

    A build without ``results.json`` has no numbers. The cache is brought up to date where
    it can be written.
    """
    archived, cached = _archived(folder / ARCHIVE), _read(folder / FILE)
    ids = build_ids(folder)
    stored = cached.filter(pl.col("id").is_in(ids))
    missing = sorted(set(ids) - set(stored["id"]))
    fresh = [record for name in missing if (record := record_of(folder / name)) is not None]
    if fresh or stored.height != cached.height:
        stored = pl.concat([stored, pl.DataFrame(fresh, schema=SCHEMA)])
        with suppress(OSError):
            _write(stored, folder / FILE)
    gone = archived.filter(~pl.col("id").is_in(stored["id"].to_list()))
    attempt = pl.col("id").str.extract(r"-(\d+)$").cast(pl.Int64, strict=False)
    order = (pl.col("date"), pl.col("created"), attempt, pl.col("id"))
    return pl.concat([stored, gone]).sort(*order, nulls_last=False, maintain_order=True)


def by_date(builds: pl.DataFrame) -> pl.DataFrame:
    """The last build of each logical date: the one that counts."""
    return builds.unique("date", keep="last", maintain_order=True)


def archive(folder: Path, ids: list[str]) -> None:
    """Keep the numbers of builds that are about to be removed."""
    rows = history(folder).filter(pl.col("id").is_in(ids)).with_columns(archived=pl.lit(True))
    old = _archived(folder / ARCHIVE).filter(~pl.col("id").is_in(ids))
    with naming_faults(folder):
        _write(pl.concat([old, rows]), folder / ARCHIVE)


@contextmanager
def held(root: Path) -> Iterator[bool]:
    """Hold an output folder for its history and index; False where another process keeps it.

    Raises ``OSError`` where its lock may not be written: the folder is another account's.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(root / LOCK, timeout=PATIENCE)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


UNLIKE = (
    *(LookupError, TypeError, AttributeError, ValueError, OverflowError),
    pl.exceptions.PolarsError,
)
"""What content that no build wrote ends in."""


def record_of(path: Path) -> HistoryRow | None:
    """The row of a build; nothing where it has no manifest of its own.

    Results that were edited, so that no row can be made of them, count as results that are gone.
    """
    manifest = manifest_of(path)
    if manifest.get("build") != path.name:
        return None
    for results in (object_in(path / "results.json"), {}):
        try:
            row = row_of(manifest, results)
            pl.DataFrame([row], schema=SCHEMA)
        except UNLIKE:
            continue
        return row
    return None


def row_of(manifest: Manifest, results: Mapping[str, Any]) -> HistoryRow:
    """The row of a build, from what it holds."""
    decision, data = results.get("decision") or {}, results.get("data") or {}
    spec = manifest.get("spec") or {}
    models = decision.get("models") or [{}]
    return {
        "id": manifest["build"],
        "date": manifest["date"],
        "created": manifest["times"]["created"],
        "name": manifest["name"],
        "title": manifest["title"],
        "state": decision.get("state"),
        "state_text": _state_text(decision),
        "headline": decision.get("headline"),
        "leader": decision.get("leader"),
        "measure": models[0].get("measure") or decision.get("measure"),
        "inputs": manifest["inputs_sha256"],
        "data": _digest(sorted(file["sha256"] for file in manifest["inputs"])),
        **compared(spec, manifest["versions"], manifest.get("test_set")),
        "task": data.get("task"),
        "positive": data.get("positive"),
        "classes": json.dumps([one["class"] for one in data.get("classes") or ()]),
        "weighted": data.get("weighted"),
        "rows": data.get("rows_evaluated"),
        "confidence": spec.get("confidence"),
        "small_cells": (spec.get("privacy") or {}).get("small_cells"),
        "every": spec.get("every"),
        "archived": False,
        "numbers": list(_numbers(results)),
        "gates": [cast("StoredGate", _fields(g, _GATE)) for g in results.get("gates") or ()],
    }


def compared(
    spec: Mapping[str, Any], versions: Mapping[str, str], test_set: str | None
) -> Conditions:
    """What is compared with the build before: digests of spec and versions, and the test set."""
    options = {k: v for k, v in spec.items() if k not in ("text", "notes", "output")}
    return {"spec": _digest(options), "versions": _digest(versions), "test_set": test_set}


def _state_text(decision: Mapping[str, Any]) -> str | None:
    from reportgen.records.decision import Decision
    from reportgen.records.plain_values import from_plain

    return from_plain(Decision, decision).state_text if decision else None


def _numbers(results: Mapping[str, Any]) -> Iterator[NumberRow]:
    """The numbers of all rows, and those of slices that have a gate against earlier builds.

    The others stay in the build.
    """
    sliced = _sliced((results.get("spec") or {}).get("gates") or ())
    for row in results.get("metrics") or ():
        if row["class"] is not None or row["value"] is None:
            continue
        if row["slice"] is None or (row["model"], row["metric"], row["average"]) in sliced:
            yield cast("NumberRow", _fields(row, _NUMBER))


def _sliced(gates: Iterable[str]) -> set[tuple[str, str, str | None]]:
    """Model, metric and average of the gates against earlier builds by a column."""
    parsed = (parse(text) for text in gates)
    sides = (gate.left for gate in parsed if gate.by is not None and gate.earlier is not None)
    return {(side.model, *parted(side.metric)) for side in sides}


def _fields(row: Mapping[str, Any], struct: pl.Struct) -> dict[str, Any]:
    return {field.name: row.get(field.name) for field in struct.fields}


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read(path: Path) -> pl.DataFrame:
    """A history file; empty where there is none, or it is of another version."""
    empty = pl.DataFrame(schema=SCHEMA)
    try:
        with path.open("rb") as file:
            table = pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError):
        return empty
    return table if table.schema == empty.schema else empty


def _archived(path: Path) -> pl.DataFrame:
    """What retention has removed; of an earlier version without the fields that this one lacks.

    Raises ``DataError`` where it cannot be read: it is not to be lost unseen.
    """
    if not path.exists():
        return pl.DataFrame(schema=SCHEMA)
    try:
        with path.open("rb") as file:
            table = pl.read_parquet(file)
        if table.schema == pl.Schema(SCHEMA):
            return table
        completed = [_ADDED | row for row in table.iter_rows(named=True)]
        rows = [{name: row[name] for name in SCHEMA} for row in completed]
        return pl.DataFrame(rows, schema=SCHEMA)
    except (OSError, KeyError, TypeError, pl.exceptions.PolarsError):
        message = "the numbers of removed builds cannot be read"
        raise DataError(Problem("archive", message, str(path), "restore the file")) from None


def _write(table: pl.DataFrame, path: Path) -> None:
    fresh = path.with_name(f"{FRESH}{os.getpid()}-{path.name}")
    try:
        with fresh.open("wb") as file:
            write_parquet(table, file, compression="zstd", statistics=False)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
