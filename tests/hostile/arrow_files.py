"""Files that PyArrow writes: nested and dictionary columns, ids and times of several types.

A second library, so that a type that one of them never writes is met too.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from reportgen import predictions
from tests.hostile.layout_files import SPEC, expected, read, rows_of
from tests.hostile.table_files import Table, TableCase

NESTED: Mapping[str, Callable[[int], pa.Array]] = {
    "struct": lambda n: pa.array([{"p": 0.5, "y": 1, "i": "x", "site": "x"}] * n),
    "struct of structs": lambda n: pa.array([{"p": {"p": 1.0}}, None] * n)[:n],
    "list": lambda n: pa.array([[0.5, None], [], None] * n)[:n],
    "list of structs": lambda n: pa.array([[{"p": 0.1}], []] * n)[:n],
    "large list": lambda n: pa.array([[1]] * n, pa.large_list(pa.int64())),
    "fixed list": lambda n: pa.array([[1.0, 2.0]] * n, pa.list_(pa.float64(), 2)),
    "map": lambda n: pa.array([[("p", 0.5)]] * n, pa.map_(pa.string(), pa.float64())),
    "bytes": lambda n: pa.array([b"\xff\0"] * n),
    "fixed bytes": lambda n: pa.array([b"ab"] * n, pa.binary(2)),
}
"""Columns that have no spelling."""


def _indices(values: Sequence[Any], kind: pa.DataType) -> Callable[[random.Random], pa.Array]:
    """A dictionary of any order, with entries that no row has and perhaps one that is missing."""

    def dictionary(draw: random.Random) -> pa.Array:
        distinct = list(dict.fromkeys(value for value in values if value is not None))
        draw.shuffle(distinct)
        entries = pa.array([*distinct, *_SPARE[pa.types.is_string(kind)]], kind)
        codes = [None if value is None else distinct.index(value) for value in values]
        index = draw.choice((pa.int8(), pa.uint8(), pa.int16(), pa.int32(), pa.int64()))
        return pa.DictionaryArray.from_arrays(pa.array(codes, index), entries, ordered=False)

    return dictionary


_SPARE: Mapping[bool, Sequence[Any]] = {True: ("spare", "zz"), False: (-99, -98)}

TEXTS: Mapping[str, Callable[[Sequence[Any], random.Random], pa.Array]] = {
    "string": lambda v, _: pa.array(v, pa.string()),
    "large string": lambda v, _: pa.array(v, pa.large_string()),
    "string view": lambda v, _: pa.array(v, pa.string_view()),
    "dictionary": lambda v, draw: _indices(v, pa.string())(draw),
}
"""Columns of text."""

WHOLE: Mapping[str, Callable[[Sequence[Any], random.Random], pa.Array]] = {
    "int8": lambda v, _: pa.array(v, pa.int8()),
    "uint64": lambda v, _: pa.array(v, pa.uint64()),
    "decimal": lambda v, _: pa.array([Decimal(x) for x in v], pa.decimal128(10, 2)),
    "wide decimal": lambda v, _: pa.array([Decimal(x) for x in v], pa.decimal256(50, 3)),
    "narrow decimal": lambda v, _: pa.array([Decimal(x) for x in v], pa.decimal32(6, 1)),
    "dictionary": lambda v, draw: _indices(v, pa.int64())(draw),
    "float": lambda v, _: pa.array(v, pa.float64()),
    "half": lambda v, _: pa.array([float(x) for x in v], pa.float16()),
}
"""Columns of small whole numbers."""


def stored(columns: Mapping[str, pa.Array], draw: random.Random, ending: str) -> bytes:
    """The columns in any order, in a file with options drawn at random."""
    names = draw.sample(list(columns), len(columns))
    table = pa.table({name: columns[name] for name in names})
    target = io.BytesIO()
    if ending == "parquet":
        pa.parquet.write_table(
            table,
            target,
            row_group_size=draw.choice((3, 1000)),
            use_dictionary=draw.choice((True, False, [])),
            version=draw.choice(("1.0", "2.4", "2.6")),
            data_page_version=draw.choice(("1.0", "2.0")),
            data_page_size=draw.choice((40, 2**20)),
            compression=draw.choice(("NONE", "SNAPPY", "GZIP", "ZSTD", "LZ4", "BROTLI")),
            store_schema=draw.random() < 0.7,
            write_page_checksum=draw.random() < 0.5,
            write_statistics=draw.random() < 0.5,
        )
    else:
        pa.feather.write_feather(
            table,
            target,
            compression=draw.choice(("uncompressed", "lz4", "zstd")),
            chunksize=draw.choice((4, 1000)),
        )
    return target.getvalue()


def _written(columns: Mapping[str, pa.Array], draw: random.Random) -> tuple[str, bytes]:
    """The columns in a format that holds them: fewer are in Parquet than in Arrow."""
    ending = draw.choice(("parquet", "parquet", "arrow"))
    try:
        return ending, stored(columns, draw, ending)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return "arrow", stored(columns, draw, "arrow")


def _hard(columns: Mapping[str, pa.Array]) -> bool:
    """Whether a column has a type that Polars 2.1 does not read from every file."""
    hard = (pa.types.is_decimal256, pa.types.is_string_view)
    return any(of_type(column.type) for column in columns.values() for of_type in hard)


def nested(draw: random.Random) -> TableCase:
    """Columns of lists, structs and bytes beside those that are asked for, or as one of them."""
    rows = rows_of(draw)
    columns = _columns(rows, draw)
    for name in draw.sample(list(NESTED), draw.randint(1, 4)):
        columns[draw.choice((name, f"p.{name}", "s"))] = NESTED[name](len(rows))
    role = draw.choice((*[None] * 6, "p", "y", "i", "site", "s.p"))
    kind = draw.choice(list(NESTED))
    if role in columns:
        columns[role] = NESTED[kind](len(rows))
    ending, content = _written(columns, draw)
    score = "s.p" if role == "s.p" else "p"
    return TableCase(
        f"nested {role} {kind if role else ''}",
        {f"d.{ending}": content},
        {**SPEC, "data": f"d.{ending}", "models": {"m": {"score": score}}, "slices": ["site"]},
        expected(rows, "site") if role is None else None,
        read("slice:site"),
        may_refuse=_hard(columns),
    )


def _columns(rows: Table, draw: random.Random) -> dict[str, pa.Array]:
    texts = {name: [row[name] for row in rows] for name in ("i", "site")}
    columns = {name: draw.choice(list(TEXTS.values()))(v, draw) for name, v in texts.items()}
    columns["y"] = draw.choice(list(WHOLE.values()))([row["y"] for row in rows], draw)
    columns["p"] = pa.array([row["p"] for row in rows], pa.float64())
    return columns


def dictionaries(draw: random.Random) -> TableCase:
    """Truth, sites, folds and scores as dictionaries or in unusual types, in up to three files."""
    rows, files, hard = [], {}, False
    for number in range(draw.choice((1, 2, 3))):
        some = [{**row, "i": f"{number}-{row['i']}"} for row in rows_of(draw)]
        whole = draw.random() < 0.5
        for row in some:
            row["site"] = None if draw.random() < 0.1 else row["site"]
            row["p"] = draw.randrange(100) if whole else row["p"]
        columns = _columns(some, draw)
        if whole:
            columns["p"] = draw.choice(list(WHOLE.values()))([row["p"] for row in some], draw)
        ending, content = _written(columns, draw)
        files[f"d{number}.{ending}"] = content
        hard |= _hard(columns)
        rows += some
    return TableCase(
        "dictionaries",
        files,
        {**SPEC, "data": list(files), "slices": ["site"]},
        expected(rows, "site"),
        read("slice:site"),
        may_refuse=hard,
    )


SPELLINGS: Mapping[str, Callable[[int], str]] = {
    "plain": str,
    "three digits": lambda n: f"{n:03d}",
    "five digits": lambda n: f"{n:05d}",
    "point": lambda n: f"{n}.0",
    "sign": lambda n: f"+{n}",
    "exponent": lambda n: f"{n}e0",
    "blank": lambda n: f" {n}",
}
"""A whole number as text: each is another name."""


def ids(draw: random.Random) -> TableCase:
    """Two models in long form in two files, whose ids are numbers or text in some spelling."""
    numbers = draw.sample(range(100), draw.randint(5, 12))
    truth = {n: k % 2 for k, n in enumerate(numbers)}
    files, names, scores, hard = {}, [], [], False
    for number, model in enumerate("ab"):
        order = draw.sample(numbers, len(numbers))
        of_model = {n: draw.random() for n in order}
        form = draw.choice(("csv", "text", "json text", "json", "number", "number"))
        spelling = draw.choice(list(SPELLINGS)) if "t" in form or form == "csv" else "plain"
        texts = {n: SPELLINGS[spelling](n) for n in order}
        if form == "csv":
            lines = [f"{texts[n]},{truth[n]},{model},{of_model[n]!r}" for n in order]
            files[f"d{number}.csv"] = "\n".join(["i,y,m,s", *lines, ""]).encode()
        elif form.startswith("json"):
            rows = [{"i": texts[n], "y": truth[n], "m": model, "s": of_model[n]} for n in order]
            if form == "json":
                rows = [{**row, "i": n} for row, n in zip(rows, order, strict=True)]
            files[f"d{number}.ndjson"] = "".join(json.dumps(r) + "\n" for r in rows).encode()
        else:
            values = order if form == "number" else [texts[n] for n in order]
            kinds = WHOLE if form == "number" else TEXTS
            columns = {
                "i": draw.choice(list(kinds.values()))(values, draw),
                "y": pa.array([truth[n] for n in order]),
                "m": pa.array([model] * len(order)),
                "s": pa.array([of_model[n] for n in order]),
            }
            ending, content = _written(columns, draw)
            files[f"d{number}.{ending}"] = content
            hard |= _hard(columns)
        names.append(texts)
        scores.append(of_model)
    paired = {names[0][n]: (bool(truth[n]), scores[0][n], scores[1][n]) for n in numbers}
    apart = set(names[0].values()) != set(names[1].values())
    return TableCase(
        f"ids {'apart' if apart else 'alike'}",
        files,
        {
            "data": list(files),
            "truth": "y",
            "models": {"column": "m", "score": "s"},
            "columns": {"id": "i"},
            "privacy": {"ids": "shown"},
        },
        "unpaired" if apart else paired,
        _read_pairs,
        may_refuse=hard,
    )


def _read_pairs(spec: Any) -> Any:
    result = predictions.read(spec)
    if result.unpaired is not None:
        return "unpaired"
    names = result.identities["id"].cast(str).to_list()
    rows = result.frame.select("truth", "score:0", "score:1").rows()
    return dict(zip(names, rows, strict=True))


_ZONES = (None, "UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "+02:00")
_UNITS = ("s", "ms", "us", "ns")
_STARTS = (dt.datetime(2024, 10, 26, 23), dt.datetime(2025, 3, 9, 5), dt.datetime(1969, 12, 31, 22))


def zones(draw: random.Random) -> TableCase:
    """Time points in two files, each in a time zone and a unit of its own, or as text."""
    start = draw.choice(_STARTS).replace(tzinfo=dt.UTC)
    points = [start + dt.timedelta(minutes=20 * k) for k in range(draw.randint(10, 30))]
    order = draw.sample(range(len(points)), len(points))
    cut = draw.randrange(2, len(points) - 2)
    alike = draw.random() < 0.5
    one = draw.choice(_ZONES)
    other = one if alike else draw.choice(_ZONES)
    if draw.random() < 0.2:
        other = "text"
    files = {}
    for number, (zone, some) in enumerate(((one, order[:cut]), (other, order[cut:]))):
        times = [points[k] for k in some]
        if zone == "text":
            texts = [draw.choice(_SPELLED)(t) for t in times]
            lines = [f"{k % 2},0.{k + 10},{t}" for k, t in zip(some, texts, strict=True)]
            files[f"d{number}.csv"] = "\n".join(["y,p,t", *lines, ""]).encode()
            continue
        values = times if zone else [t.replace(tzinfo=None) for t in times]
        columns = {
            "y": pa.array([k % 2 for k in some]),
            "p": pa.array([float(f"0.{k + 10}") for k in some]),
            "t": pa.array(values, pa.timestamp(draw.choice(_UNITS), tz=zone)),
        }
        ending, content = _written(columns, draw)
        files[f"d{number}.{ending}"] = content
    mixed = (one is None) != (other is None)
    return TableCase(
        f"zones {one} {other}",
        files,
        {
            "data": list(files),
            "truth": "y",
            "models": {"m": {"score": "p"}},
            "columns": {"time": "t"},
        },
        None if mixed else [(float(f"0.{k + 10}"), k) for k in order],
        _read_points,
        may_refuse=other == "text",
    )


_SPELLED: Sequence[Callable[[dt.datetime], str]] = (
    lambda t: t.isoformat(),
    lambda t: t.isoformat(" "),
    lambda t: t.astimezone(ZoneInfo("Europe/Berlin")).isoformat(),
    lambda t: f"{t:%Y-%m-%dT%H:%M:%SZ}",
)


def _read_points(spec: Any) -> list[tuple[float, int]]:
    frame = predictions.read(spec).frame
    return [(round(p, 2), t) for p, t in frame.select("score:0", "point").rows()]


ARROW = (nested, dictionaries, ids, zones)
