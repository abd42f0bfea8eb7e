"""One column in several files, in another type or spelling in each: days, times, numbers, truth.

The values are chosen first; each file spells them as its writer would. What is read are the rows
that have the same value, so that a value with two spellings is seen. A pattern with a date or the
folders of a partition may lead to the files.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from reportgen import predictions
from reportgen.predictions.look_alikes import NAME as TOLD
from reportgen.spec.models import moment
from tests.hostile.table_files import TableCase

Table = list[tuple[float, bool, Any]]
SPEC = {"truth": "y", "models": {"m": {"score": "p"}}, "positive": "true"}

Writer = Callable[[Sequence[Any]], Any]
"""Values as an Arrow array, or as texts of JSON and csv."""


def _typed(kind: pa.DataType) -> Writer:
    return lambda values: pa.array(values, kind)


def _as(convert: Callable[[Any], Any], kind: pa.DataType | None = None) -> Writer:
    return lambda values: pa.array([None if v is None else convert(v) for v in values], kind)


def _text(spell: Callable[[Any], str]) -> Writer:
    return lambda values: [None if v is None else spell(v) for v in values]


def _midnight(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time())


DAYS: Mapping[str, Writer] = {
    "date32": _typed(pa.date32()),
    "date64": _typed(pa.date64()),
    **{f"timestamp {u}": _as(_midnight, pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    "int96": _as(_midnight, pa.timestamp("ns")),
    "text": _text(str),
    "midnight": _text(lambda d: str(_midnight(d))),
    "T midnight": _text(lambda d: _midnight(d).isoformat()),
}
TIMES: Mapping[str, Writer] = {
    **{f"timestamp {u}": _typed(pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    "int96": _typed(pa.timestamp("ns")),
    "blank": _text(str),
    "T": _text(lambda t: t.isoformat()),
    "milliseconds": _text(lambda t: t.isoformat(" ", "milliseconds")),
    "minutes": _text(lambda t: t.isoformat(" ").removesuffix(":00")),
}
ZONED: Mapping[str, Writer] = {
    "UTC": _as(lambda t: t.replace(tzinfo=dt.UTC), pa.timestamp("us", "UTC")),
    "Berlin": _as(lambda t: t.replace(tzinfo=dt.UTC), pa.timestamp("ms", "Europe/Berlin")),
    "offset": _as(lambda t: t.replace(tzinfo=dt.UTC), pa.timestamp("ns", "+05:45")),
    "blank": _text(lambda t: str(t.replace(tzinfo=dt.UTC))),
    "Z": _text(lambda t: f"{t.isoformat()}Z"),
}
OF_DAY: Mapping[str, Writer] = {
    "time32": _as(lambda t: t.time(), pa.time32("s")),
    "time64": _as(lambda t: t.time(), pa.time64("ns")),
    "text": _text(lambda t: str(t.time())),
    "minutes": _text(lambda t: str(t.time()).removesuffix(":00")),
}
WHOLE: Mapping[str, Writer] = {
    **{str(k): _typed(k) for k in (pa.int8(), pa.uint16(), pa.int64(), pa.uint64())},
    **{str(k): _as(float, k) for k in (pa.float64(), pa.float32(), pa.float16())},
    "decimal": _as(Decimal, pa.decimal128(12, 3)),
    "dictionary": lambda values: pa.array(values, pa.int64()).dictionary_encode(),
    "text": _text(str),
    "number": list,
    "point": _text(lambda n: f"{n}.0"),
    "real": lambda values: [None if v is None else float(v) for v in values],
}
CENTS: Mapping[str, Writer] = {
    "float64": _as(float, pa.float64()),
    "float32": _as(float, pa.float32()),
    "decimal": _as(lambda v: v, pa.decimal128(12, 2)),
    "long decimal": _as(lambda v: v, pa.decimal128(30, 9)),
    "text": _text(lambda v: str(float(v))),
    "cents": _text(str),
    "number": lambda values: [None if v is None else float(v) for v in values],
}
TRUTHS: Mapping[str, Writer] = {
    "bool": _typed(pa.bool_()),
    "dictionary": lambda values: pa.array(
        [None if v is None else str(v).lower() for v in values]
    ).dictionary_encode(),
    "boolean": list,
    "lowercase": _text(lambda v: str(v).lower()),
    "Python": _text(str),
    "R": _text(lambda v: str(v).upper()),
}
BYTES: Mapping[str, Writer] = {
    "string": _typed(pa.string()),
    "large string": _typed(pa.large_string()),
    "dictionary": lambda values: pa.array(values).dictionary_encode(),
    "bytes": _as(str.encode, pa.binary()),
    "text": _text(str),
}


def _days(draw: random.Random) -> list[Any]:
    return [dt.date(2024, 2, 27) + dt.timedelta(i) for i in range(draw.randint(2, 5))]


def _times(draw: random.Random) -> list[Any]:
    step = dt.timedelta(seconds=draw.choice((1, 60, 3600)))
    start = dt.datetime(2024, 10, 27, 0, 0, draw.choice((0, 0, 5)))
    return [start + step * i for i in range(draw.randint(2, 5))]


KINDS: Mapping[str, tuple[Callable[[random.Random], list[Any]], Mapping[str, Writer]]] = {
    "days": (_days, DAYS),
    "times": (_times, TIMES),
    "zoned": (_times, ZONED),
    "of day": (_times, OF_DAY),
    "whole": (lambda d: d.sample(range(120), 4), WHOLE),
    "cents": (lambda d: [Decimal(n).scaleb(-2) for n in d.sample(range(500), 4)], CENTS),
    "truths": (lambda _: [True, False], TRUTHS),
    "bytes": (lambda _: ["süd", "a", "B", "01"], BYTES),
}


def _content(columns: Mapping[str, Any], ending: str, draw: random.Random, *, int96: bool) -> bytes:
    names = draw.sample(list(columns), len(columns))
    if ending == "csv":
        rows = zip(*(columns[name] for name in names), strict=True)
        lines = [",".join("" if v is None else str(v) for v in row) for row in rows]
        return "\n".join([",".join(names), *lines, ""]).encode()
    if ending == "ndjson":
        rows = zip(*(columns[name] for name in names), strict=True)
        return "".join(json.dumps(dict(zip(names, r, strict=True))) + "\n" for r in rows).encode()
    table = pa.table({name: columns[name] for name in names})
    target = io.BytesIO()
    if ending == "arrow":
        pa.feather.write_feather(table, target, compression="zstd")
    else:
        pa.parquet.write_table(
            table,
            target,
            row_group_size=draw.choice((3, 1000)),
            use_deprecated_int96_timestamps=int96,
            store_schema=draw.random() < 0.5,
        )
    return target.getvalue()


def _places(draw: random.Random, count: int) -> tuple[Any, list[str], Mapping[str, Any]]:
    """What the spec says of data, the names of the files without endings, and what it adds."""
    today = moment().date()
    form = draw.choice(("list", "pattern", "date", "dated", "partitions"))
    if form == "date":
        return "n/{date}/*", [f"n/{today}/{k}" for k in range(count)], {}
    if form == "dated":
        data = ["{date:%Y/%m}/{date:%d}-*"]
        return data, [f"{today:%Y/%m/%d}-{k}" for k in range(count)], {}
    if form == "partitions":
        return "n/**/*", [f"n/part={k}/day={{date}}/x" for k in range(count)], {"hive": True}
    names = [f"n/{k}" for k in range(count)]
    return ("n/*", names, {}) if form == "pattern" else (names, names, {})


def mixed(draw: random.Random) -> TableCase:
    """A slice, a fold, a truth or an order of time whose type differs between files."""
    kind = draw.choice(list(KINDS))
    choose, writers = KINDS[kind]
    values, count = choose(draw), draw.choice((2, 2, 3))
    data, places, more = _places(draw, count)
    forms = draw.choices(list(writers), k=count)
    files: dict[str, bytes] = {}
    rows: Table = []
    for number, (place, form) in enumerate(zip(places, forms, strict=True)):
        size = draw.randint(5, 12)
        some = [draw.choice(values) for _ in range(size)]
        hole = 0.03 if kind != "truths" else 0.0
        some = [None if draw.random() < hole else v for v in some]
        scores = [float(f"0.{number + 1}{k + 10}") for k in range(size)]
        truth = some if kind == "truths" else [bool(draw.randrange(2)) for _ in range(size)]
        cells = writers[form](some)
        arrow = isinstance(cells, pa.Array)
        plain = [str(t).lower() if kind != "truths" else t for t in truth]
        columns: dict[str, Any] = {"p": pa.array(scores) if arrow else scores}
        columns["y" if kind == "truths" else "v"] = cells
        if kind != "truths":
            columns["y"] = pa.array(plain) if arrow else plain
        ending = draw.choice(("parquet", "parquet", "arrow") if arrow else ("csv", "ndjson"))
        if form == "int96":
            ending = "parquet"
        name = f"{place}.{ending}"
        files[name] = _content(columns, ending, draw, int96=form == "int96")
        rows += zip(scores, truth, some, strict=True)
    role = draw.choice(("slice", "fold", "dataset")) if kind != "truths" else "truth"
    spec: dict[str, Any] = {"data": list(files) if data == places else data, **SPEC, **more}
    if role != "truth":
        spec |= {"slices": ["v"]} if role == "slice" else {"columns": {role: "v"}}
    hole = any(value is None for _, _, value in rows)
    rows.sort(key=lambda row: row[0])
    return TableCase(
        f"mixed {kind} {'/'.join(sorted(set(forms)))}",
        files,
        spec,
        None if "bytes" in forms or (role == "dataset" and hole) else rows,
        _read("slice:v" if role == "slice" else role, rows),
        # labels of one spelling alone, and zones that Polars knows
        may_refuse=role == "truth" or "offset" in forms,
    )


def _read(column: str, rows: Table) -> Callable[[Any], Table]:
    """A reader of scores, truth and values, whatever their spelling.

    A value with two spellings is read as two; it is right where a warning says so.
    """

    def read(spec: Any) -> Table:
        result = predictions.read(spec)
        frame = result.frame.sort("score:0")
        both = list(zip(frame[column], (value for *_, value in rows), strict=True))
        has_warning = any(check.name == TOLD for check in result.checks)
        spelled, values = dict(both), dict(map(reversed, both))
        right = all(spelled[name] == value for name, value in both)
        right &= has_warning or all(values[value] == name for name, value in both)
        named = [value if right else name for name, value in both]
        return list(zip(frame["score:0"], frame["truth"], named, strict=True))

    return read
