"""Files of every format with tables of values, models in long form, folds, repeats and times.

The rows are chosen first and written by the formats' own rules, in one file or several, with the
columns of each file in an order and in types of its own.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError, SpecError
from reportgen.predictions import read_scores
from reportgen.predictions.times import in_order
from tests.hostile.cases import Outcome

Table = list[dict[str, Any]]
"""Rows; a value is text, a number or None."""

NAMES = (
    *("iris", "Iris", " iris", "wine", "süd", "好瓜", "a b", "01", "1", "1.0", "001", "NA", "-"),
    *("a,b", 'say "no"', "two\nlines"),
)
MODELS = ("forest", "Forest", "C4.5", "süß", "m 1", "m  1", "a.b", "01", "1")
NO_NUMBER = ("nan", "inf", "-Infinity", "1e400", "x", "0,5", "1_0", "")


@dataclass(frozen=True)
class TableCase:
    """Files by name, their spec, and what is to be read from them; nothing: a refusal alone.

    Where an answer is right but hard to find, ``may_refuse`` allows both.
    """

    kind: str
    files: Mapping[str, bytes]
    spec: Mapping[str, Any]
    expected: Any
    read: Callable[[Any], Any] = field(repr=False)
    may_refuse: bool = False


def outcome(case: TableCase, folder: Path) -> tuple[Outcome, str]:
    """Read the files of a case and say what became of them."""
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    try:
        read = case.read(specs.from_dict({"data": "d*", **case.spec}, folder))
    except (DataError, EmptyError, SpecError) as refused:
        if case.expected is not None and not case.may_refuse:
            return "refused though valid", str(refused)
        placed = all(problem.place and problem.message for problem in refused.problems)
        return ("refused" if placed else "no place"), str(refused)
    if case.expected is None:
        return "silent difference", "accepted, though no answer is right"
    if read != case.expected:
        return "silent difference", f"{read} for {case.expected}"
    return "accepted", ""


def _csv(rows: Table, head: Sequence[str], draw: random.Random, encoding: str) -> bytes:
    text = io.StringIO()
    # an empty field in quotes is the empty text, one without is a missing value
    holes = any(row[name] is None for row in rows for name in head)
    quoting = csv.QUOTE_MINIMAL if holes else draw.choice((csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    end = draw.choice(("\n", "\r\n"))
    writer = csv.writer(text, quoting=quoting, lineterminator=end)
    writer.writerow(head)
    for row in rows:
        writer.writerow("" if row[name] is None else row[name] for name in head)
    return text.getvalue().encode(encoding)


def _typed(values: Sequence[Any], draw: random.Random) -> pl.Series:
    """Text as text or as categories of either kind, numbers as they are."""
    if not all(isinstance(value, str | None) for value in values):
        return pl.Series(values, strict=False)
    enum = pl.Enum(sorted({value for value in values if value is not None}))
    return pl.Series(values, dtype=draw.choice((pl.String, pl.Categorical, enum)))


def _arrow(rows: Table, head: Sequence[str], draw: random.Random, ending: str) -> bytes:
    frame = pl.DataFrame({name: _typed([row[name] for row in rows], draw) for name in head})
    target = io.BytesIO()
    if ending == "parquet":
        frame.write_parquet(target, row_group_size=draw.choice((3, 1000)))
    else:
        frame.write_ipc(target, compression=draw.choice(("uncompressed", "lz4", "zstd")))
    return target.getvalue()


def _lines(rows: Table, head: Sequence[str], draw: random.Random) -> str:
    """The keys of each row in an order of its own."""
    lines = [{name: row[name] for name in draw.sample(head, len(head))} for row in rows]
    return "".join(json.dumps(line, ensure_ascii=draw.random() < 0.5) + "\n" for line in lines)


def written(
    rows: Table, draw: random.Random, endings: Sequence[str] = ("csv", "parquet", "arrow", "ndjson")
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The rows in up to three files of any formats, and what the spec says of their text."""
    parts = draw.choice((1, 1, 2, 3)) if len(rows) > 6 else 1
    cuts = [0, *sorted(draw.sample(range(1, len(rows)), parts - 1)), len(rows)]
    encoding = draw.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16"))
    files = {}
    for number in range(parts):
        some = rows[cuts[number] : cuts[number + 1]]
        head = draw.sample(list(rows[0]), len(rows[0]))
        ending = draw.choice(endings)
        if ending == "csv":
            content = _csv(some, head, draw, encoding)
        elif ending == "ndjson":
            content = _lines(some, head, draw).encode(encoding.removesuffix("-sig"))
        else:
            content = _arrow(some, head, draw, ending)
        files[f"d{number}.{ending}"] = content
    declared = encoding == "utf-16" and any(name.endswith(("csv", "json")) for name in files)
    return files, {"encoding": encoding} if declared else {}


def _value(draw: random.Random) -> float:
    """A number whose sums are exact."""
    return draw.randint(-1024, 10240) / 1024


def table_of_values(draw: random.Random) -> TableCase:
    """Values of data sets, perhaps over folds and repeats, in long or in wide form."""
    models = draw.sample(MODELS, draw.randint(2, 4))
    data_sets = draw.sample(NAMES, draw.randint(3, 9))
    folds = [
        (str(r), str(f)) for r in range(draw.choice((1, 2))) for f in range(draw.choice((1, 3)))
    ]
    values = {(d, *k, m): _value(draw) for d in data_sets for k in folds for m in models}
    fault = draw.choice((None, None, None, "hole", "twice", "nameless", "no number", "far"))
    wide = draw.random() < 0.5
    keys = list(values)
    at = draw.choice(keys)
    rows: Table = (
        [
            {"d": d, "r": r, "f": f, **{m: values[d, r, f, m] for m in models}, "note": "x"}
            for d in data_sets
            for r, f in folds
        ]
        if wide
        else [
            {"d": d, "r": r, "f": f, "m": m, "v": values[d, r, f, m], "note": "x"}
            for d, r, f, m in keys
        ]
    )
    draw.shuffle(rows)
    cell = at[3] if wide else "v"
    row = next(x for x in rows if (x["d"], x["r"], x["f"]) == at[:3] and (wide or x["m"] == at[3]))
    endings = ("csv", "parquet", "arrow", "ndjson")
    if fault == "hole":
        if wide or draw.random() < 0.5:
            row[cell] = None
        else:
            rows.remove(row)
    elif fault == "twice":
        rows.insert(draw.randrange(len(rows)), {**row, "note": "again"})
    elif fault == "nameless":
        row["d"] = None
    elif fault == "no number":
        row[cell] = draw.choice(NO_NUMBER[:-1])
        endings = ("csv",)
    elif fault == "far":
        row[cell] = draw.choice((1e61, -1e300))
    files, text = written(rows, draw, endings)
    columns: dict[str, Any] = {"dataset": "d", "repeat": "r", "fold": "f"}
    columns |= {"models": models} if wide else {"model": "m", "value": "v"}
    whole = [d for d in data_sets if fault != "hole" or d != at[0]]
    expected = {(d, m): fmean(values[d, *k, m] for k in folds) for d in whole for m in models}
    valid = fault in (None, "hole")
    return TableCase(
        f"values {'wide' if wide else 'long'} {fault}",
        files,
        {"task": "comparison", "better": "higher", "columns": columns, **text},
        expected if valid else None,
        _read_values,
    )


def _read_values(spec: Any) -> dict[tuple[str, str], float]:
    rows = read_scores(spec).frame.select("block", "model", "value").rows()
    return {(block, model): value for block, model, value in rows}


def long_form(draw: random.Random) -> TableCase:
    """Models in long form, each example perhaps in several repeats; rows in any order."""
    models = sorted(draw.sample(("a", "b", "c"), draw.randint(1, 3)))
    repeats, size = draw.choice((1, 1, 3)), draw.randint(6, 20)
    ids = draw.sample([f"{n}{i}" for n in NAMES[:5] for i in range(9)], size)
    truth = {name: index % 2 for index, name in enumerate(ids)}
    site = {name: draw.choice(NAMES) for name in ids}
    fold = {(r, name): str(draw.randrange(3)) for r in range(repeats) for name in ids}
    score = {(m, r, i): draw.random() for m in models for r in range(repeats) for i in ids}
    rows: Table = [
        {"i": i, "r": r, "f": fold[r, i], "y": truth[i], "m": m, "s": s, "site": site[i]}
        for (m, r, i), s in score.items()
    ]
    draw.shuffle(rows)
    row = draw.choice(rows)
    fault = draw.choice((None, None, None, "twice", "contradiction", "nameless", "no score"))
    if len(models) == 1 and fault == "contradiction":
        fault = None
    if fault == "twice":
        rows.append(dict(row))
    elif fault == "contradiction":
        column = draw.choice(("y", "site"))
        row[column] = 1 - row["y"] if column == "y" else "elsewhere"
    elif fault == "nameless":
        row["m"] = None
    elif fault == "no score":
        row["s"] = None
    files, text = written(rows, draw)
    expected = {
        (r, i): (bool(truth[i]), fold[r, i], site[i], *(score[m, r, i] for m in models))
        for r in range(repeats)
        for i in ids
    }
    columns = {"id": "i", "repeat": "r", "fold": "f"}
    return TableCase(
        f"long form {fault}",
        files,
        {
            "truth": "y",
            "models": {"column": "m", "score": "s"},
            "columns": columns if repeats > 1 else {"id": "i", "fold": "f"},
            "slices": ["site"],
            **text,
        },
        expected if fault is None else None,
        _read_long,
    )


def _read_long(spec: Any) -> dict[tuple[int, str], tuple[Any, ...]]:
    result = predictions.read(spec)
    assert result.unpaired is None
    frame = result.frame.with_columns(result.identities["id"].alias("name"))
    if "repeat" not in frame.columns:
        frame = frame.with_columns(repeat=pl.lit("0"))
    scores = [model.score for model in result.models]
    rows = frame.select("repeat", "name", "truth", "fold", "slice:site", *scores).rows()
    return {(int(r), name): tuple(rest) for r, name, *rest in rows}


_STARTS = [
    dt.datetime(*start, tzinfo=dt.UTC)
    for start in ((2024, 10, 26, 22), (2023, 3, 25, 23), (2024, 11, 3, 3), (2025, 3, 9, 4))
]
"""Hours before the clocks change in Berlin or in New York."""
_BERLIN, _NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")

ORDERED: Mapping[str, Callable[[dt.datetime], Any]] = {
    "date": lambda t: t.date().isoformat(),
    "compact": lambda t: f"{t:%Y%m%d%H%M%S}",
    "minutes": lambda t: f"{t:%Y-%m-%dT%H:%M}",
    "UTC": lambda t: f"{t:%Y-%m-%dT%H:%M:%S}Z",
    "UTC, mixed precision": lambda t: t.isoformat().replace("+00:00", "Z"),
    "one offset": lambda t: t.astimezone(dt.timezone(dt.timedelta(hours=-5))).isoformat(),
    "local offsets": lambda t: t.astimezone(_BERLIN).isoformat(),
    "offsets in hours": lambda t: t.astimezone(_BERLIN).isoformat(" ")[:-3],
    "comma": lambda t: t.isoformat().replace("+00:00", "").replace(".", ","),
    "epoch": lambda t: str(int(t.timestamp())),
    "epoch, ms": lambda t: str(int(t.timestamp() * 1000)),
    "epoch, ns": lambda t: str(int(t.timestamp()) * 10**9 + t.microsecond * 1000),
    "before 1970, ns": lambda t: str(int(t.timestamp()) * 10**9 + t.microsecond * 1000 - 2**61),
    "fraction": lambda t: repr(t.timestamp()),
    "week": lambda t: f"{t:%G-W%V-%u}",
    "quarter": lambda t: f"{t.year}-Q{(t.month + 2) // 3}",
}
"""Spellings of a time that sort as time does."""

UNORDERED: Mapping[str, Callable[[dt.datetime], Any]] = {
    "day first": lambda t: f"{t:%d.%m.%Y}",
    "day first, compact": lambda t: f"{t:%d%m%Y}",
    "month first": lambda t: f"{t:%m/%d/%Y}",
    "month and year": lambda t: f"{t:%m.%Y}",
    "month/year": lambda t: f"{t:%m/%Y}",
    "quarter first": lambda t: f"Q{(t.month + 2) // 3} {t.year}",
    "week first": lambda t: f"W{t:%V %G}",
    "month by name": lambda t: f"{t:%d %b %Y}",
    "weekday": lambda t: f"{t:%a, %d %b %Y %H:%M}",
    "twelve hours": lambda t: f"{t:%Y-%m-%d %I:%M %p}",
    "offsets, basic": lambda t: f"{t.astimezone(_BERLIN):%Y%m%dT%H%M%S%z}",
    "offsets, apart": lambda t: f"{t.astimezone(_NEW_YORK):%Y-%m-%d %H:%M:%S %z}",
    "offsets, zone": lambda t: f"{t.astimezone(_BERLIN).isoformat()}[Europe/Berlin]",
    "offsets from GMT": lambda t: f"{t.astimezone(_BERLIN):%Y-%m-%d %H:%M:%S GMT%z}",
    "zone": lambda t: f"{t.astimezone(_NEW_YORK):%Y-%m-%dT%H:%M:%S %Z}",
    "year, day, month": lambda t: f"{t:%Y-%d-%m}",
    "month, year, joined": lambda t: f"{t:%m%Y}",
    "not padded": lambda t: f"{t.year}-{t.month}-{t.day}",
}
"""Spellings that do not."""

TYPES: Mapping[str, tuple[pl.DataType, Callable[[dt.datetime], Any]]] = {
    "Date": (pl.Date(), lambda t: t.date()),
    "ms": (pl.Datetime("ms"), lambda t: t.replace(tzinfo=None)),
    "ns": (pl.Datetime("ns"), lambda t: t.replace(tzinfo=None)),
    "Berlin": (pl.Datetime("us", "Europe/Berlin"), lambda t: t.astimezone(_BERLIN)),
    "New York": (pl.Datetime("ms", "America/New_York"), lambda t: t),
    "Int64": (pl.Int64(), lambda t: int(t.timestamp() * 1e6)),
    "negative": (pl.Int32(), lambda t: int(t.timestamp()) - 2**31),
    "Float64": (pl.Float64(), lambda t: t.timestamp()),
    "Decimal": (pl.Decimal(38, 6), lambda t: Decimal(str(t.timestamp()))),
    "Time": (pl.Time(), lambda t: t.time()),
}


def times(draw: random.Random) -> TableCase:
    """Time points over a change of clocks, or over years, in an order that text may not have."""
    step = draw.choice((dt.timedelta(milliseconds=250), dt.timedelta(minutes=20)))
    step = draw.choice((step, dt.timedelta(days=40)))
    start = draw.choice(_STARTS)
    points = [start + step * i for i in range(draw.randint(8, 40))]
    order = draw.sample(range(len(points)), len(points))
    columns = {"y": [i % 2 for i in order], "p": [draw.random() for _ in order]}
    form = draw.choice(("ordered", "unordered", "typed"))
    text: Mapping[str, Any] = {}
    if form == "typed":
        name = draw.choice(list(TYPES))
        dtype, spell = TYPES[name]
        values = [spell(t) for t in points]
        frame = pl.DataFrame({**columns, "t": pl.Series([values[i] for i in order], dtype=dtype)})
        target = io.BytesIO()
        ending = draw.choice(("parquet", "ipc"))
        getattr(frame, f"write_{ending}")(target)
        files = {f"d.{ending}": target.getvalue()}
        keys = values if name in ("Date", "Time", "negative") else points
    else:
        spellings = ORDERED if form == "ordered" else UNORDERED
        name = draw.choice(list(spellings))
        keys = [spellings[name](t) for t in points]
        cells = (*columns.values(), [keys[i] for i in order])
        rows: Table = [dict(zip("ypt", row, strict=True)) for row in zip(*cells, strict=True)]
        files, text = written(rows, draw)
    # points are made in the order of time; times of day begin anew at midnight
    distinct = sorted(set(keys)) if name == "Time" else list(dict.fromkeys(keys))
    return TableCase(
        f"times {form} {name}",
        files,
        {"truth": "y", "models": {"m": {"score": "p"}}, "columns": {"time": "t"}, **text},
        [distinct.index(keys[i]) for i in order],
        _read_times,
        may_refuse=form == "unordered",
    )


def _read_times(spec: Any) -> list[int]:
    time = predictions.read(spec).frame.select("time")
    ordered = time.unique().sort(*in_order(time["time"]))["time"].to_list()
    return [ordered.index(value) for value in time["time"].to_list()]


TABLES = (table_of_values, table_of_values, long_form, long_form, times, times)
