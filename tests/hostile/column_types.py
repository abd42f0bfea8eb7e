"""Parquet and Arrow columns in encodings, types and chunks that are seldom written.

PyArrow writes them. The right values follow from the format: what is stored is what is read, a
decimal as the nearest float. Where Polars does not know a type, a refusal is right too.
"""

from __future__ import annotations

import datetime as dt
import io
import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

from tests.hostile.layout_files import SPEC, expected, read, rows_of
from tests.hostile.table_files import Table, TableCase

Column = tuple[pa.Array, Sequence[Any] | None]
"""What is written, and what is to be read of it; nothing where only a refusal is right."""


def _same(values: Sequence[Any], kind: pa.DataType) -> Column:
    return pa.array(values, kind), values


def _decimals(kind: pa.DataType, digits: int) -> Callable[[random.Random, int], Column]:
    def column(draw: random.Random, size: int) -> Column:
        most = 10 ** draw.randint(1, kind.precision)
        values = [Decimal(draw.randrange(most)).scaleb(-digits) for _ in range(size)]
        return pa.array(values, kind), [float(value) for value in values]

    return column


def _floats(kind: pa.DataType, digits: int) -> Callable[[random.Random, int], Column]:
    """Narrow floats: those of so many digits are the decimal that they were written from."""

    def column(draw: random.Random, size: int) -> Column:
        array = pa.array([draw.random() for _ in range(size)], pa.float64()).cast(kind)
        exact = array.cast(pa.float64()).to_pylist()
        short = [float(f"{value:.{digits}g}") for value in exact]
        again = pa.array(short).cast(kind).cast(pa.float64()).to_pylist()
        same = [one == other for one, other in zip(again, exact, strict=True)]
        return array, [
            s if is_same else e for s, e, is_same in zip(short, exact, same, strict=True)
        ]

    return column


def _whole(kind: pa.DataType, low: int, high: int) -> Callable[[random.Random, int], Column]:
    def column(draw: random.Random, size: int) -> Column:
        values = [draw.randint(low, high) for _ in range(size)]
        far = any(abs(value) > 2**53 for value in values)
        return pa.array(values, kind), None if far else [float(value) for value in values]

    return column


def _odd(make: Callable[[int], pa.Array]) -> Callable[[random.Random, int], Column]:
    return lambda _, size: (make(size), None)


SCORES: Mapping[str, Callable[[random.Random, int], Column]] = {
    "double": lambda draw, n: _same([draw.random() for _ in range(n)], pa.float64()),
    "tiny": lambda draw, n: _same([5e-324 * draw.randrange(9) for _ in range(n)], pa.float64()),
    "float": _floats(pa.float32(), 6),
    "half": _floats(pa.float16(), 3),
    "decimal32": _decimals(pa.decimal32(9, 4), 4),
    "decimal64": _decimals(pa.decimal64(18, 17), 17),
    "decimal128": _decimals(pa.decimal128(38, 20), 20),
    "decimal128 whole": _decimals(pa.decimal128(15, 0), 0),
    "int8": _whole(pa.int8(), -128, 127),
    "uint8": _whole(pa.uint8(), 0, 255),
    "uint16": _whole(pa.uint16(), 0, 2**16 - 1),
    "uint32": _whole(pa.uint32(), 0, 2**32 - 1),
    "uint64": _whole(pa.uint64(), 0, 2**53),
    "uint64 far": _whole(pa.uint64(), 2**63, 2**64 - 1),
    "int64 far": _whole(pa.int64(), -(2**63), 2**63 - 1),
    "null": _odd(pa.nulls),
    "bool": _odd(lambda n: pa.array([k % 3 == 0 for k in range(n)])),
    "time": _odd(lambda n: pa.array([dt.time(1, 2, k % 60) for k in range(n)])),
    "date": _odd(lambda n: pa.array([dt.date(2024, 1, 1)] * n)),
    "text": _odd(lambda n: pa.array(["0.5"] * n)),
    "bytes": _odd(lambda n: pa.array([b"0.5"] * n)),
    "NaN": lambda draw, n: (pa.array([float("nan")] + [draw.random()] * (n - 1)), None),
    "infinite": lambda draw, n: (pa.array([float("-inf")] + [draw.random()] * (n - 1)), None),
    "one null": lambda draw, n: (pa.array([None] + [draw.random()] * (n - 1), pa.float64()), None),
}


def _text_columns(values: Sequence[str], draw: random.Random) -> pa.Array:
    form = draw.choice(("string", "large", "view", "dictionary", "large dictionary"))
    kinds = {"large": pa.large_string(), "view": pa.string_view()}
    array = pa.array(values, kinds.get(form, pa.string()))
    if "dictionary" in form:
        array = array.cast(pa.large_string()) if "large" in form else array
        array = array.dictionary_encode()
    return array


TRUTHS: Mapping[str, Callable[[Sequence[int]], pa.Array]] = {
    "int64": lambda v: pa.array(v, pa.int64()),
    "bool": lambda v: pa.array([bool(x) for x in v]),
    "bool8": lambda v: pa.ExtensionArray.from_storage(pa.bool8(), pa.array(v, pa.int8())),
    "text": lambda v: pa.array([str(x) for x in v]),
    "decimal": lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(5, 1)),
    "double": lambda v: pa.array([float(x) for x in v]),
    "run ends": lambda v: pa.compute.run_end_encode(pa.array(v, pa.int32())),
}

BESIDE: Mapping[str, Callable[[int], pa.Array]] = {
    "null": pa.nulls,
    "interval": lambda n: pa.array([pa.MonthDayNano([1, 2, 3])] * n),
    "run ends": lambda n: pa.compute.run_end_encode(pa.array([1] * n)),
    "list view": lambda n: pa.array([[1]] * n, pa.list_view(pa.int64())),
    "union": lambda n: pa.UnionArray.from_sparse(
        pa.array([0] * n, pa.int8()), [pa.array([1] * n), pa.array(["x"] * n)]
    ),
    "uuid": lambda n: pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([b"x" * 16] * n, pa.binary(16))
    ),
    "json": lambda n: pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"p": 1}'] * n)),
    "duration": lambda n: pa.array([dt.timedelta(1)] * n, pa.duration("s")),
    "time32": lambda n: pa.array([1] * n, pa.time32("s")),
    "empty struct": lambda n: pa.array([{}] * n, pa.struct([])),
    "binary view": lambda n: pa.array([b"x"] * n, pa.binary_view()),
    "bytes": lambda n: pa.array([b"\xff"] * n),
}


def types(draw: random.Random) -> TableCase:
    """A score of any type beside columns that nobody asked for, in several chunks."""
    rows = rows_of(draw)
    name = draw.choice(["double", "double", *SCORES])
    score, values = SCORES[name](draw, len(rows))
    truth = draw.choice(["int64", *TRUTHS])
    columns = {
        "i": _text_columns([row["i"] for row in rows], draw),
        "y": TRUTHS[truth]([row["y"] for row in rows]),
        "p": score,
        "site": _text_columns([row["site"] for row in rows], draw),
    }
    beside = draw.sample(list(BESIDE), draw.choice((0, 0, 1, 2)))
    columns |= {f"n{k}": BESIDE[kind](len(rows)) for k, kind in enumerate(beside)}
    ending, content = _stored(columns, draw)
    read_as: Table = [
        {**row, "p": value} for row, value in zip(rows, values or [0.0] * len(rows), strict=True)
    ]
    usual = truth in ("int64", "bool", "text", "double") and not beside
    usual &= not any(pa.types.is_string_view(column.type) for column in columns.values())
    positive = {"bool": "true", "bool8": "true"}.get(truth, "1")
    return TableCase(
        f"{name} {truth} {'+'.join(sorted(beside))} {ending}",
        {f"d.{ending}": content},
        {**SPEC, "data": f"d.{ending}", "slices": ["site"], "positive": positive},
        None if values is None else expected(read_as, "site"),
        read("slice:site"),
        may_refuse=not usual or name in ("tiny",),
    )


def _stored(columns: Mapping[str, pa.Array], draw: random.Random) -> tuple[str, bytes]:
    """The columns in a format that holds them, with options drawn at random."""
    names = draw.sample(list(columns), len(columns))
    table = pa.table({name: columns[name] for name in names})
    size = table.num_rows
    if draw.random() < 0.5:  # slices of longer buffers, and chunks of which one is empty
        cut = draw.randrange(size)
        parts = [table.slice(0, cut), table.slice(0, 0), table.slice(cut)]
        table = pa.concat_tables(parts)
    if draw.random() < 0.6:
        try:
            return "parquet", _parquet(table, draw)
        except pa.ArrowNotImplementedError:  # a type that Parquet has not: as an Arrow file
            pass
    target = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(
        compression=draw.choice((None, "lz4", "zstd")), unify_dictionaries=True
    )
    with pa.ipc.new_file(target, table.schema, options=options) as file:
        file.write_table(table, max_chunksize=draw.choice((3, 1000)))
    return "arrow", target.getvalue()


_ENCODINGS = {
    "double": ("PLAIN", "BYTE_STREAM_SPLIT"),
    "float": ("PLAIN", "BYTE_STREAM_SPLIT"),
    "int64": ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"),
    "int32": ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"),
    "string": ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"),
    "bool": ("PLAIN", "RLE"),
}


def _parquet(table: pa.Table, draw: random.Random) -> bytes:
    encoded = draw.random() < 0.6
    encodings = {
        field.name: draw.choice(_ENCODINGS[str(field.type)])
        for field in table.schema
        if str(field.type) in _ENCODINGS
    }
    target = io.BytesIO()
    pa.parquet.write_table(
        table,
        target,
        row_group_size=draw.choice((3, 7, 1000)),
        use_dictionary=not encoded and draw.random() < 0.7,
        column_encoding=encodings if encoded else None,
        version=draw.choice(("1.0", "2.4", "2.6")),
        data_page_version=draw.choice(("1.0", "2.0")),
        data_page_size=draw.choice((30, 2**20)),
        compression=draw.choice(("NONE", "SNAPPY", "GZIP", "ZSTD", "LZ4", "BROTLI")),
        store_schema=draw.random() < 0.6,
        write_page_index=draw.random() < 0.5,
        write_page_checksum=draw.random() < 0.5,
        write_statistics=draw.random() < 0.5,
        store_decimal_as_integer=draw.random() < 0.5,
    )
    return target.getvalue()
