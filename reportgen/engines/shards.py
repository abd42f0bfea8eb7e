"""Counts of a shard in a file: counted where its rows are, added up where the report is built.

A file of counts holds those of all partitions of the shard and what they are counts of: the
hash of the rows and that of the plan. Files of one plan add up to the numbers of
``engine: streaming`` on all rows, to the last digit.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from reportgen.engines.cache import Cache
from reportgen.engines.choice import refuse_rows
from reportgen.engines.executors import serial
from reportgen.engines.gather import Gathered, added_up, gathered, planned
from reportgen.engines.long_form import long_plan
from reportgen.engines.partial import Facts, Partial
from reportgen.engines.plan import Plan
from reportgen.errors import DataError, Problem
from reportgen.predictions.files import DataFile
from reportgen.progress import OnStep
from reportgen.spec import Spec
from reportgen.version import __version__

SUFFIX = ".counts"

_RECORD, _COUNTS = "shard.json", "counts.zip"


@dataclass(frozen=True)
class Shard:
    """What counts are counts of: a plan, by versions, and rows, by the hashes of their files.

    The names of the files, and ids, stay where the rows are. ``models`` are the names of those in
    long form.
    """

    plan: str
    reportgen: str
    polars: str
    sha256: tuple[str, ...]
    rows: int
    models: tuple[str, ...] = ()


def count_shard(
    spec: Spec, files: Sequence[DataFile], hashes: Sequence[str], cache: Cache, on_step: OnStep
) -> tuple[Shard, bytes]:
    """Count the rows of some files by a spec; what the file of counts holds.

    Raises ``SpecError`` where the spec needs rows or a second pass over them, ``DataError``
    with the faults of the rows.
    """
    refuse_rows(spec)
    first = planned(spec, files, hashes)
    plan = first.plan
    total = gathered(plan, first.partitions, serial, cache, on_step).partial
    facts: Facts = {**total.facts, "ids": None}
    models = () if plan.long is None else plan.model_names
    shard = Shard(*_made_by(plan), tuple(sorted(hashes)), facts["rows"], models)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in (
            (_RECORD, json.dumps(asdict(shard), sort_keys=True).encode()),
            (_COUNTS, Partial(total.tables, facts).to_bytes()),
        ):
            archive.writestr(zipfile.ZipInfo(name), content)
    return shard, buffer.getvalue()


def added_shards(plan: Plan, files: Sequence[DataFile]) -> Gathered:
    """The counts of all files of counts.

    Raises ``DataError`` where one is damaged, counts by another plan or with other versions
    than this machine has, or counts rows that another one has counted.
    """
    return added_up(_checked(plan, files))


def _checked(plan: Plan, files: Sequence[DataFile]) -> Iterator[tuple[str, Partial]]:
    counted_by: dict[str, str] = {}
    for file in files:
        shard, partial = _read(file)
        if problem := _other_plan(shard, plan, file.name):
            raise DataError(problem)
        for sha256 in shard.sha256:
            first = counted_by.setdefault(sha256, file.name)
            if first != file.name:
                message = f"it counts rows that {first} counts too"
                raise DataError(Problem("same-content", message, file.name, "leave one out"))
        yield file.name, partial


def plan_of_shards(spec: Spec, files: Sequence[DataFile]) -> Plan:
    """The plan of a spec, whose models in long form are those that the first file names."""
    if isinstance(spec.models, Mapping):
        return Plan.first(spec)
    shard, _ = _read(files[0])
    return long_plan(spec, shard.models)


def _read(file: DataFile) -> tuple[Shard, Partial]:
    try:
        with zipfile.ZipFile(file.path) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise ValueError
            record = json.loads(archive.read(_RECORD))
            lists = {name: _texts(record[name]) for name in ("sha256", "models")}
            shard = Shard(**record | lists)
            return shard, Partial.from_bytes(archive.read(_COUNTS))
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        EOFError,
        RuntimeError,
        zipfile.BadZipFile,
    ):
        hint = "`reportgen count` writes it again"
        problem = Problem("unreadable", "these are no counts, or they are damaged", file.name, hint)
        raise DataError(problem) from None


def _texts(value: Any) -> tuple[str, ...]:
    if not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        raise TypeError
    return tuple(value)


def _other_plan(shard: Shard, plan: Plan, name: str) -> Problem | None:
    made_by = _made_by(plan)
    if (shard.plan, shard.reportgen, shard.polars) == made_by:
        return None
    hint = "count all shards again with this spec, and with the same versions everywhere"
    versions = [("reportgen", shard.reportgen, made_by[1]), ("polars", shard.polars, made_by[2])]
    other = [
        f"{package} {there}; here it is {here}"
        for package, there, here in versions
        if there != here
    ]
    counted = (
        f"counted with {', '.join(other)}"
        if other
        else (
            "counted by another plan: the spec's columns, slices or threshold differ, or the code"
        )
    )
    return Problem("plan", counted, name, hint)


def _made_by(plan: Plan) -> tuple[str, str, str]:
    return plan.digest, __version__, pl.__version__
