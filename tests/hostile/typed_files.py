"""Parquet and Arrow files with names and scores of every type that the formats have."""

from __future__ import annotations

import datetime as dt
import io
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo

import polars as pl

from tests.hostile.cases import Case, Row

Unit = Literal["ms", "us", "ns"]

_EPOCH = dt.datetime(2024, 10, 27)


def _times(unit: Unit, zone: str | None) -> tuple[pl.DataType, Callable[[int], Any]]:
    tz = None if zone is None else dt.UTC
    step = {"ms": 1000, "us": 1, "ns": 1}[unit]
    convert = (lambda t: t) if zone is None else (lambda t: t.astimezone(ZoneInfo(zone)))
    # through the hour that the clocks show twice
    return pl.Datetime(unit, zone), lambda i: convert(
        (_EPOCH + dt.timedelta(minutes=30 * i, microseconds=step * i)).replace(tzinfo=tz)
    )


NAMES: Sequence[tuple[Any, Callable[[int], Any]]] = (
    (pl.Int8, lambda i: i - 3),
    (pl.Int64, lambda i: 2**53 + i),
    (pl.Int64, lambda i: i - 2**63),
    (pl.UInt64, lambda i: 2**64 - 1 - i),
    (pl.Int128, lambda i: 2**100 + i),
    (pl.UInt8, lambda i: i),
    (pl.Float64, lambda i: i / 10),
    (pl.Float64, lambda i: 0.1 + i * 2**-56),
    (pl.Float64, lambda i: float(2**53 - 1 - i)),
    (pl.Float64, lambda i: (-1) ** i * 10.0 ** -(i * 30)),
    (pl.Float32, lambda i: i / 8),
    (pl.Boolean, lambda i: bool(i % 2)),
    (pl.String, lambda i: ["1", "01", "1.0", "1e0", "true", "True", " 1", "", "ä", "a\u0308"][i]),
    (pl.Categorical, lambda i: f"c{i}"),
    (pl.Decimal(38, 0), lambda i: Decimal(2**80 + i)),
    (pl.Decimal(38, 10), lambda i: Decimal(2**70 + i).scaleb(-10)),
    (pl.Decimal(5, 2), lambda i: Decimal(i).scaleb(-2)),
    (pl.Date, lambda i: dt.date(1, 1, 1) + dt.timedelta(i)),
    (pl.Time, lambda i: dt.time(1, 2, 3, i)),
    (pl.Duration("us"), lambda i: dt.timedelta(microseconds=i)),
    _times("ms", None),
    _times("us", None),
    _times("ns", None),
    _times("us", "UTC"),
    _times("us", "Europe/Berlin"),
    (pl.Binary, lambda i: bytes([i])),
    (pl.List(pl.Int64), lambda i: [i]),
    (pl.Struct({"a": pl.Int64}), lambda i: {"a": i}),
)
"""Types, and ten different values of each."""

REFUSED = (pl.Binary, pl.List, pl.Struct)
SCORES = (pl.Float64, pl.Float32, pl.Float16, pl.Decimal(20, 9), pl.Int16, pl.UInt64)


def _scores(random_: random.Random, size: int) -> tuple[pl.Series, list[float]]:
    dtype = random_.choice(SCORES)
    values = [round(random_.random(), 3) for _ in range(size)]
    if dtype in (pl.Int16, pl.UInt64):
        whole = [random_.randrange(100) for _ in range(size)]
        return pl.Series(whole, dtype=dtype), [float(v) for v in whole]
    if dtype == pl.Decimal(20, 9):
        decimals = [Decimal(random_.randrange(10**9)).scaleb(-9) for _ in range(size)]
        return pl.Series(decimals, dtype=dtype), [float(v) for v in decimals]
    return pl.Series(values, dtype=pl.Float64).cast(dtype), values


def _content(random_: random.Random, frame: pl.DataFrame, ending: str) -> bytes:
    buffer = io.BytesIO()
    if ending == "arrow":
        frame.write_ipc(buffer, compression=random_.choice(["uncompressed", "lz4", "zstd"]))
    else:
        frame.write_parquet(
            buffer,
            compression=random_.choice(["uncompressed", "snappy", "zstd", "gzip", "lz4", "brotli"]),
            row_group_size=random_.choice([3, 1000]),
            data_page_size=random_.choice([64, 100_000]),
            statistics=random_.random() < 0.5,
        )
    return buffer.getvalue()


def typed(random_: random.Random) -> Case:
    """One file, or two in which the columns of names have different types or units."""
    files, rows = {}, []
    refused = False
    several = random_.random() < 0.3
    kind, value = random_.choice(NAMES)
    for index in range(2 if several else 1):
        size = random_.randrange(4, 40)
        numbers = [random_.randrange(10) for _ in range(size)]
        names = [None if random_.random() < 0.1 else value(i) for i in numbers]
        dtype = kind
        if several and isinstance(kind, pl.Datetime) and index:
            dtype = pl.Datetime("ns", kind.time_zone)
        refused |= dtype.base_type() in REFUSED
        (p, expected_p), (q, expected_q) = _scores(random_, size), _scores(random_, size)
        case = [10 * i + index for i in range(size)]
        y = ["sick" if i % 2 else "well" for i in range(size)]
        frame = pl.DataFrame(
            {
                "case": case,
                "y": pl.Series(y, dtype=random_.choice([pl.String, pl.Categorical])),
                "p": p,
                "q": q,
                "part": pl.Series(names, dtype=dtype),
                "site": pl.Series(names, dtype=dtype),
            }
        )
        ending = random_.choice(["parquet", "arrow"])
        files[f"{index}.{ending}"] = _content(random_, frame, ending)
        rows += [
            Row(str(c), label, one, other, _key(name), _key(name))
            for c, label, one, other, name in zip(
                case, y, expected_p, expected_q, names, strict=True
            )
        ]
    return Case(f"typed {kind}", files, None if refused else rows, valid=not refused)


def _key(value: Any) -> Any:
    """What tells a value from another one; the wall clock shows some hours twice."""
    return ("value", value.astimezone(dt.UTC) if getattr(value, "tzinfo", None) else value)
