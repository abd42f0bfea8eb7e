"""Files in folders that name columns, with odd line ends, and with odd headers."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import polars as pl

from reportgen import predictions
from tests.hostile.table_files import Table, TableCase

Read = list[tuple[Any, ...]]

HEAD = ("i", "y", "p", "site")
SITES = ("süd", "好瓜", "a b", "01", "1", "1.0", "NA", "-", "")
SPEC: Mapping[str, Any] = {
    "truth": "y",
    "models": {"m": {"score": "p"}},
    "columns": {"id": "i"},
    "privacy": {"ids": "shown"},
}
PARTITIONED: Sequence[str] = ("2026", "02", "2", "A b", "a=b", "süd", "1.0", "NA", "50%", "c/d")


def rows_of(draw: random.Random, size: int | None = None) -> Table:
    """Rows with an id of text, a truth of 0 and 1, a score and a site."""
    size = size or draw.randint(6, 30)
    return [
        {"i": f"{draw.choice(('0', '00', 'c'))}{n}", "y": n % 2, "p": draw.random(), "site": site}
        for n, site in enumerate(draw.choices(SITES, k=size))
    ]


def read(*columns: str) -> Callable[[Any], Read]:
    """A reader of ids, truth, score and further canonical columns, row by row."""

    def rows(spec: Any) -> Read:
        result = predictions.read(spec)
        frame = result.frame.with_columns(result.identities["id"].cast(pl.String).alias("name"))
        return frame.select("name", "truth", "score:0", *columns).rows()

    return rows


def expected(rows: Table, *columns: str) -> Read:
    """What ``read`` gives of rows; these columns by their names in the data."""
    return [(r["i"], bool(r["y"]), r["p"], *(r[c] for c in columns)) for r in rows]


def table(rows: Table, head: Sequence[str], end: str = "\n", separator: str = ",") -> str:
    """A table of text with every text in quotes; its last line has an end."""
    lines = [head, *([row[name] for name in head] for row in rows)]
    return "".join(separator.join(map(_field, line)) + end for line in lines)


def _field(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return repr(value)


def content(rows: Table, head: Sequence[str], ending: str) -> bytes:
    if ending.startswith("csv"):
        text = table(rows, head).encode()
        return gzip.compress(text) if ending.endswith("gz") else text
    if ending == "ndjson":
        return "".join(json.dumps({k: row[k] for k in head}) + "\n" for row in rows).encode()
    target = io.BytesIO()
    frame = pl.DataFrame({name: [row[name] for row in rows] for name in head})
    frame.write_parquet(target) if ending == "parquet" else frame.write_ipc(target)
    return target.getvalue()


def _folder(key: str, value: str | None, draw: random.Random) -> str:
    if value is None:
        return f"{key}=__HIVE_DEFAULT_PARTITION__"
    unsafe = "%" in value or "/" in value
    return f"{key}={quote(value, safe='') if unsafe or draw.random() < 0.5 else value}"


def partitioned(draw: random.Random) -> TableCase:
    """Files of several formats in folders that name one or two columns, as Hive writes them."""
    keys = draw.choice((("year",), ("site", "f"), ("Site", "site"), ("year", "land")))
    faults = (None, None, None, "off", "lacking", "both", "twice", "key in two cases")
    fault = draw.choice(faults)
    places = [
        tuple(draw.choice((*PARTITIONED, None)) if k == keys[0] else str(n) for k in keys)
        for n in range(draw.randint(2, 4))
    ]
    files, rows, head = {}, [], [n for n in HEAD if n not in keys]
    wrong = draw.randrange(len(places))
    for number, place in enumerate(sorted(places, key=lambda _: draw.random())):
        some = [{**row, "i": f"{row['i']}-{number}"} for row in rows_of(draw)]
        folders = [_folder(k, v, draw) for k, v in zip(keys, place, strict=True)]
        names = head
        if number == wrong and fault == "lacking":
            folders = ["other"] * len(folders)
        elif number == wrong and fault == "both":
            names = [*head, keys[0]]
            some = [{**row, keys[0]: "elsewhere"} for row in some]
        elif number == wrong and fault == "twice":
            folders.append(_folder(keys[0], "again", draw))
        elif number == wrong and fault == "key in two cases":
            folders[0] = folders[0].replace(keys[0], keys[0].upper(), 1)
        ending = draw.choice(("csv", "csv.gz", "parquet", "arrow", "ndjson"))
        path = "/".join(["d", *folders, f"{number}.{ending}"])
        files[path] = content(some, names, ending)
        rows += [(path, {**row, **dict(zip(keys, place, strict=True))}) for row in some]
    in_order = [row for _, row in sorted(rows, key=lambda row: row[0])]
    listed = draw.random() < 0.3
    if listed:
        in_order = [row for _, row in rows]
    data: Any = list(files) if listed else "d/**/*.*"
    hive = {} if fault == "off" else {"hive": True}
    return TableCase(
        f"partitioned {fault}",
        files,
        {**SPEC, "data": data, "slices": [keys[0]], **hive},
        expected(in_order, keys[0]) if fault is None else None,
        read(f"slice:{keys[0]}"),
    )


BREAKS = ("\r", "\n", "\r\n", "\v", "\f", "\x1c", "\x1e", "\x85", "\u2028", "\u2029")
"""What some programs take for the end of a line."""


def line_ends(draw: random.Random) -> TableCase:
    """Text with a byte-order mark or without, all kinds of line ends, and these within fields."""
    rows = rows_of(draw)
    for row in draw.sample(rows, 3):
        row["site"] = f"a{draw.choice(BREAKS)}b"
    end = draw.choice(("\n", "\r\n", "\n", "\r\n", *BREAKS))
    lines = table(rows, HEAD, "\0").split("\0")[:-1]
    mixed = draw.random() < 0.3
    ends = [draw.choice(("\n", "\r\n", end)) if mixed else end for _ in lines]
    if draw.random() < 0.3 and end in ("\n", "\r\n"):
        ends[-1] = ""
    text = "".join(f"{line}{e}" for line, e in zip(lines, ends, strict=True))
    encoding = draw.choice(("utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-8-sig"))
    marked = "\ufeff" if encoding == "utf-16-le" and draw.random() < 0.5 else ""
    stated = {} if encoding.startswith("utf-8") else {"encoding": encoding}
    known = all(e in ("\n", "\r\n", "") for e in ends)
    return TableCase(
        f"line ends {end!r} {encoding}{' mixed' * mixed}",
        {"d.csv": (marked + text).encode(encoding)},
        {**SPEC, "data": "d.csv", "slices": ["site"], **stated},
        expected(rows, "site") if known else None,
        read("slice:site"),
    )


NAMES = (
    ("p", "P", "p ", " p", "\u202fp", "p\n", "\np", "p\r\n"),
    ("é", "e\u0301", "É", "é "),
    ("a\nb", "a b", "a\r\nb", "a,b", 'a"b', 'a""b', "a.b"),
    ("1", "01", "1.0", "1 ", "", "null"),
    ("p", "p_duplicated_0", "p_duplicated_1", "p.1", "p_1"),
    ("s.p", "p", "s", "s/p", "s[p]", "^p$", "*", "literal", "len", "index", "row"),
)
"""Names that some reader takes for one another."""


def headers(draw: random.Random) -> TableCase:
    """Columns beside others whose names differ in case, blanks, line ends or form; or in none."""
    family = draw.choice(NAMES)
    rows = rows_of(draw)
    wanted = draw.choice([name for name in family if name.strip()])
    others = draw.sample([n for n in family if n != wanted], draw.randint(1, len(family) - 1))
    ending = draw.choice(("csv", "csv", "csv", "csv.gz", "tsv", "ndjson", "parquet", "arrow"))
    text = ending.startswith(("csv", "tsv"))
    fault = draw.choice((None, None, None, "missing", "twice", "other twice"))
    columns: list[tuple[str, list[Any]]] = [
        (name, [row[name] for row in rows]) for name in ("i", "y", "site")
    ]
    columns += [(name, [draw.random() for _ in rows]) for name in others]
    if fault != "missing":
        columns.append((wanted, [row["p"] for row in rows]))
    if fault == "twice" and text:
        columns.append((wanted, [draw.random() for _ in rows]))
    elif fault == "other twice" and text:
        columns.append((others[0], [draw.random() for _ in rows]))
    draw.shuffle(columns)
    if text:
        separator = "\t" if ending == "tsv" else ","
        cells = zip(*([name, *values] for name, values in columns), strict=True)
        data = "".join(separator.join(map(_field, line)) + "\n" for line in cells).encode()
        data = gzip.compress(data) if ending.endswith("gz") else data
    else:
        named = dict(columns)
        table_rows = [{name: named[name][n] for name in named} for n in range(len(rows))]
        data = content(table_rows, list(named), ending)
    wrong = fault == "missing" or (fault == "twice" and text)
    return TableCase(
        f"headers {ending} {fault}",
        {f"d.{ending}": data},
        {**SPEC, "data": f"d.{ending}", "models": {"m": {"score": wanted}}, "slices": ["site"]},
        None if wrong else expected(rows, "site"),
        read("slice:site"),
        # a table of text with a name twice, or one on several lines, may be refused
        may_refuse=text and (fault == "other twice" or any("\n" in name for name, _ in columns)),
    )


LAYOUTS = (partitioned, line_ends, headers)
