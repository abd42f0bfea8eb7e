"""Odd but valid inputs with the values that they hold, and odd invalid ones with their place.

Every answer follows from the rules of the format: RFC 4180 and 8259, IEEE 754, RFC 1952.
"""

from __future__ import annotations

import datetime as dt
import gzip
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import polars as pl

TRUTH = ("1", "0") * 3
SCORES = ("0.9", "0.2", "0.7", "0.4", "0.6", "0.1")
EXPECTED = {"truth": [True, False] * 3, "score:0": [float(score) for score in SCORES]}
SITES: Mapping[str, Any] = {"slices": ["site"]}
IDS: Mapping[str, Any] = {"columns": {"id": "id"}}


@dataclass(frozen=True)
class Odd:
    """A file, and its columns that differ from ``EXPECTED``; or the code and place of its fault."""

    name: str
    content: bytes
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    refused: tuple[str, str] | None = None
    ending: str = "csv"
    spec: Mapping[str, Any] = field(default_factory=dict)


def csv(separator: str = ",", **columns: Sequence[str]) -> str:
    """A table of text; ``y`` and ``p`` are as usual where they are not given."""
    table: dict[str, Sequence[str]] = {"y": TRUTH, "p": SCORES} | columns
    lines = [separator.join(row) for row in zip(*table.values(), strict=True)]
    return "\n".join([separator.join(table), *lines, ""])


def parquet(**columns: Any) -> bytes:
    """The same table in Parquet."""
    target = io.BytesIO()
    usual = {"y": [1, 0] * 3, "p": EXPECTED["score:0"]}
    pl.DataFrame(usual | columns).write_parquet(target)
    return target.getvalue()


def archive(*texts: str) -> bytes:
    """A zip archive of a file for each text."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as members:
        for number, text in enumerate(texts):
            members.writestr(f"{number}.csv", text)
    return target.getvalue()


def odd_inputs() -> Iterator[Odd]:
    """All of them."""
    yield from _texts()
    yield from _slices()
    yield from _ids()
    yield from _truths()
    yield from _numbers()
    yield from _structures()
    yield from _packed()
    yield from _parquet()
    yield from _json()


PLAIN = csv()
COMMAS = [score.replace(".", ",") for score in SCORES]


def _texts() -> Iterator[Odd]:
    text = PLAIN.encode()
    yield Odd("a byte-order mark", b"\xef\xbb\xbf" + text)
    yield Odd("two byte-order marks", b"\xef\xbb\xbf" * 2 + text, refused=("missing-column", "D"))
    yield Odd("CRLF", text.replace(b"\n", b"\r\n"))
    yield Odd("CRLF and LF", text.replace(b"\n", b"\r\n", 3))
    yield Odd("CR", text.replace(b"\n", b"\r"), refused=("line-end", "D"))
    yield Odd("no last line end", text.rstrip(b"\n"))
    yield Odd("UTF-16", PLAIN.encode("utf-16"), refused=("unreadable", "D, line 1"))
    yield Odd("UTF-16, declared", PLAIN.encode("utf-16"), spec={"encoding": "utf-16"})
    no_mark = PLAIN.encode("utf-16-le")
    yield Odd("UTF-16 without a mark", no_mark, refused=("control-character", "D, rows 1"))
    yield Odd("UTF-32", PLAIN.encode("utf-32"), refused=("unreadable", "D, line 1"))
    latin = csv(site=["ö"] * 6).encode("latin-1")
    yield Odd("Latin-1", latin, refused=("unreadable", "D, line 2"), spec=SITES)
    declared = {**SITES, "encoding": "latin-1"}
    yield Odd("Latin-1, declared", latin, {"slice:site": ["ö"] * 6}, spec=declared)
    byte_0 = text.replace(b"0.4", b"0.4\0")
    yield Odd("a byte 0", byte_0, refused=("control-character", "D, row 4"))


def _slices() -> Iterator[Odd]:
    for name, cells, values in (
        ("a quoted line end", ['"a\nb"'] * 6, ["a\nb"] * 6),
        ("doubled quotes", ['"a ""b"""'] * 6, ['a "b"'] * 6),
        ("a quoted separator", ['"a,b"'] * 6, ["a,b"] * 6),
        ("dates", ["2026-01-01", "2026-01-02"] * 3, ["2026-01-01", "2026-01-02"] * 3),
        ("no dates", ["2026-13-45", "2026-02-30"] * 3, ["2026-13-45", "2026-02-30"] * 3),
        ("an empty text and a blank", ['""', "", "a"] * 2, ["", None, "a"] * 2),
        ("NA and null are texts", ["NA", "null", "None"] * 2, ["NA", "null", "None"] * 2),
        ("booleans as text", ["true", "TRUE", "1"] * 2, ["true", "TRUE", "1"] * 2),
        ("numbers as text", ["1", "01", "1.0"] * 2, ["1", "01", "1.0"] * 2),
        ("one letter, two forms", ["\u00e9", "e\u0301"] * 3, ["\u00e9", "e\u0301"] * 3),
    ):
        content = csv(site=cells).encode()
        yield Odd(f"slices: {name}", content, {"slice:site": values}, spec=SITES)
    stray = csv(site=['"a', *"bcdef"]).encode()
    yield Odd("slices: a stray quote", stray, refused=("open-quote", "D, row 1"), spec=SITES)


def _ids() -> Iterator[Odd]:
    for name, cells in (
        ("1e5 is no number", ["1e5", "100000", "1E5", "100000.0", "1e05", "0x1"]),
        ("leading zeros", ["007", "07", "7", "0007", "+7", "7.0"]),
        ("above 64 bits", [str(2**64 + k) for k in range(6)]),
        ("blanks around", ["a", " a", "a ", " a ", "b", "c"]),
        ("letters of both cases", ["a", "A", "b", "B", "ß", "SS"]),
    ):
        yield Odd(f"ids: {name}", csv(id=cells).encode(), {"id": cells}, spec=IDS)
    twice = csv(id=["a", "a", *"bcde"]).encode()
    yield Odd("ids: one twice", twice, refused=("duplicate-id", "D, column 'id', row 2"), spec=IDS)


def _truths() -> Iterator[Odd]:
    for one, zero in (
        ("True", "False"),
        ("TRUE", "FALSE"),
        ("1.0", "0.0"),
        ('"1"', '"0"'),
        ("1", "-1"),
    ):
        yield Odd(f"truth: {one}, {zero}", csv(y=[one, zero] * 3).encode())
    for one, zero in (("yes", "no"), ("t", "f"), ("1", "2"), ("positive", "negative")):
        content = csv(y=[one, zero] * 3).encode()
        yield Odd(f"truth: {one}, {zero}", content, refused=("positive-needed", "spec, truth"))
    content = csv(y=["yes", "no"] * 3).encode()
    yield Odd("truth: yes, declared", content, spec={"positive": "yes"})
    for name, cells, fault in (
        ("True and 1", ["True", "0", "1", "False", "1", "0"], ("many-labels", "D, column 'y'")),
        ("a blank", ["1", "0", "", "0", "1", "0"], ("null", "D, column 'y', row 3")),
        ("a space", ["1", "0", " 1", "0", "1", "0"], ("many-labels", "D, column 'y'")),
    ):
        yield Odd(f"truth: {name}", csv(y=cells).encode(), refused=fault)
    yield Odd("truth: one class", csv(y=["1"] * 6).encode(), {"truth": [True] * 6})


def _numbers() -> Iterator[Odd]:
    thirds = "0." + "3" * 400
    for text, value in {
        "-0.0": 0.0,
        "5e-324": 5e-324,
        "1e-400": 0.0,
        "+0.5": 0.5,
        ".5": 0.5,
        "5.": 5.0,
        " 0.5": 0.5,
        '"0.5"': 0.5,
        thirds: 1 / 3,
        "0.1E+1": 1.0,
    }.items():
        values = [value, *EXPECTED["score:0"][1:]]
        content = csv(p=[text, *SCORES[1:]]).encode()
        yield Odd(f"score: {text[:9]}", content, {"score:0": values})
    for code, texts in {
        "not-finite": ("1e400", "inf", "-Infinity", "NaN", "nan"),
        "wrong-type": ("NA", "null", "None", "1_0", "0x1p-1", "50%", "1/2", "−0.5", "1d0", "1e"),
        "null": ("",),
    }.items():
        for text in (*texts, *(['"1,000.5"', '"0,5"', "０.５"] if code == "wrong-type" else ())):
            content = csv(p=[text, *SCORES[1:]]).encode()
            yield Odd(f"score: {text!r}", content, refused=(code, "D, column 'p', row 1"))
    yield Odd("score: none", csv(p=[""] * 6).encode(), refused=("null", "D, column 'p', rows 1"))


def _structures() -> Iterator[Odd]:
    yield Odd("tabs", csv("\t").encode(), ending="tsv")
    yield Odd("a column without a name", csv(**{"": ["a"] * 6}).encode())
    yield Odd("separators at every end", PLAIN.replace("\n", ",\n").encode())
    same = csv(x=["a"] * 6, z=["b"] * 6).replace("x,z", "x,x")
    yield Odd("two columns of one name that are not read", same.encode())
    for name, text, fault in (
        ("semicolons", csv(";"), ("missing-column", "D")),
        ("decimal commas", csv(p=COMMAS), ("surplus-field", "D, rows 1")),
        ("decimal commas, semicolons", csv(";", p=COMMAS), ("surplus-field", "D, rows 1")),
        ("two columns p", csv(x=["a"] * 6).replace("p,x", "p,p"), ("repeated-column", "D")),
        ("a blank in the header", PLAIN.replace("y,p", "y, p"), ("missing-column", "D")),
        (
            "separators at the ends of rows",
            PLAIN.replace("\n", ",\n").replace("y,p,", "y,p"),
            ("surplus-field", "D, rows 1"),
        ),
        ("a short row", PLAIN.replace("0,0.4", "0"), ("short-row", "D, row 4")),
        ("an empty line", PLAIN.replace("0,0.4", "\n0,0.4"), ("empty-line", "D, row 4")),
        ("a line of blanks", PLAIN.replace("0,0.4", "  \n0,0.4"), ("short-row", "D, row 4")),
        ("a comment", f"# rows\n{PLAIN}", ("surplus-field", "D, rows 1")),
        ("an empty file", "", ("no-rows", "D")),
        ("a line end alone", "\n", ("no-rows", "D")),
        ("a header alone", "y,p\n", ("no-rows", "D")),
    ):
        yield Odd(name, text.encode(), refused=fault)
    yield Odd("one row", b"y,p\n1,0.5\n", {"truth": [True], "score:0": [0.5]})


def _packed() -> Iterator[Odd]:
    text, zipped = PLAIN.encode(), gzip.compress(PLAIN.encode())
    for name, content in (
        ("gzip", zipped),
        ("gzip of two members", gzip.compress(text[:20]) + gzip.compress(text[20:])),
    ):
        yield Odd(name, content, ending="csv.gz")
    for name, content, ending, fault in (
        ("gzip, cut short", zipped[:-6], "csv.gz", ("unreadable", "D")),
        ("gzip, and more", zipped + b"more", "csv.gz", ("unreadable", "D")),
        ("gzip called csv", zipped, "csv", ("unreadable", "D")),
        ("zip", archive(PLAIN), "zip", ("unknown-format", "D")),
        ("zip of two files", archive(PLAIN, PLAIN), "csv.zip", ("unknown-format", "D")),
        ("Parquet called csv", parquet(), "csv", ("unreadable", "D, line 1")),
        ("csv called Parquet", text, "parquet", ("unreadable", "D")),
    ):
        yield Odd(name, content, ending=ending, refused=fault)


def _parquet() -> Iterator[Odd]:
    scores = EXPECTED["score:0"]
    decimals = pl.Series([Decimal(text) for text in SCORES], dtype=pl.Decimal(5, 2))
    days = [dt.date(2026, 1, 1), dt.date(2026, 1, 2)] * 3
    spans = [dt.timedelta(1), dt.timedelta(2)] * 3
    letters = ["a", "b"] * 3
    for name, columns, values in (
        ("decimals", {"p": decimals}, {}),
        ("booleans as truth", {"y": [True, False] * 3}, {}),
        ("integers as scores", {"p": [1, 0] * 3}, {"score:0": [1.0, 0.0] * 3}),
        ("single precision", {"p": pl.Series(scores, dtype=pl.Float32)}, {}),
    ):
        yield Odd(f"Parquet: {name}", parquet(**columns), values, ending="parquet")
    for name, site, values in (
        ("categories", pl.Series(letters, dtype=pl.Categorical), letters),
        ("an enumeration", pl.Series(letters, dtype=pl.Enum(["b", "a"])), letters),
        ("dates", days, [f"{day}" for day in days]),
        ("durations", spans, ["P1D", "P2D"] * 3),
        ("a column of nulls", pl.Series([None] * 6, dtype=pl.Null), [None] * 6),
    ):
        content = parquet(site=site)
        yield Odd(f"Parquet: {name}", content, {"slice:site": values}, None, "parquet", SITES)
    fault = ("wrong-type", "D, column 'p'")
    for name, column in {
        "lists": [[score] for score in scores],
        "structs": [{"a": score} for score in scores],
        "durations as scores": spans,
        "dates as scores": days,
        "text as scores": list(SCORES),
        "bytes as scores": [score.encode() for score in SCORES],
    }.items():
        yield Odd(f"Parquet: {name}", parquet(p=column), refused=fault, ending="parquet")
    row_1 = "D, column 'p', row 1"
    for name, first, code in (("NaN", float("nan"), "not-finite"), ("null", None, "null")):
        content = parquet(p=[first, *scores[1:]])
        yield Odd(f"Parquet: {name}", content, refused=(code, row_1), ending="parquet")
    largest = [2**64 - 1 - k for k in range(6)]
    numbers = pl.Series(largest, dtype=pl.UInt64)
    yield Odd("Parquet: large ids", parquet(id=numbers), {"id": largest}, None, "parquet", IDS)
    blank = ["", *"abcde"]
    yield Odd("Parquet: an empty id", parquet(id=blank), {"id": blank}, None, "parquet", IDS)
    nulls, missing = parquet(id=[None, *"abcde"]), ("null", "D, column 'id', row 1")
    yield Odd("Parquet: a null as id", nulls, refused=missing, ending="parquet", spec=IDS)
    lists = parquet(site=[[1], [2]] * 3)
    wrong = ("wrong-type", "D, column 'site'")
    yield Odd("Parquet: lists as slices", lists, refused=wrong, ending="parquet", spec=SITES)


def _json() -> Iterator[Odd]:
    two = {"truth": [True, False], "score:0": [0.9, 0.2]}
    last = b'{"y":0,"p":0.2}\n'
    yield Odd("JSON", b'{"y":1,"p":0.9}\n' + last, two, ending="ndjson")
    for name, texts, values in (
        ("32 digits", (b"0.1%s1" % (b"0" * 30), b"0.1%s2" % (b"0" * 30)), None),
        ("32 digits among texts", (b"0.1%s1" % (b"0" * 30), b'"a"'), None),
        ("tiny exponents", (b"1e-99999999", b"1e-99999998"), None),
        ("a pair of halves", (b'"\\ud83d\\ude00"', b'"\\\\ud83d"'), ["\U0001f600", r"\ud83d"]),
    ):
        rows = b'{"y":1,"p":0.9,"site":%s}\n{"y":0,"p":0.2,"site":%s}\n' % texts
        sites = values or [text.decode().strip('"') for text in texts]
        yield Odd(f"JSON: {name}", rows, {**two, "slice:site": sites}, None, "ndjson", SITES)
    for half, fault in (
        (b"\\ud83d", ("surrogate", "D, column 'site', row 1")),
        (b"\\ud83dx", ("surrogate", "D, column 'site', row 1")),
        (b"\\ude00", ("unreadable", "D, line 1")),
        (b"\\ude00\\ud83d", ("unreadable", "D, line 1")),
    ):
        rows = b'{"y":1,"p":0.9,"site":"%s"}\n{"y":0,"p":0.2,"site":"a"}\n' % half
        yield Odd(f"JSON: {half.decode()}", rows, {}, fault, "ndjson", SITES)
    for name, first, fault in (
        ("a key that is missing", b'{"y":1}\n', ("null", "D, column 'p', row 1")),
        ("a key twice", b'{"y":1,"p":0.9,"p":0.1}\n', ("repeated-key", "D, column 'p', row 1")),
        ("beyond a float", b'{"y":1,"p":1e400}\n', ("unreadable", "D, line 1")),
        ("digits beyond a float", b'{"y":1,"p":%s}\n' % (b"9" * 5000), ("unreadable", "D, line 1")),
        ("a large whole number", b'{"y":1,"p":9007199254740993}\n', ("not-exact", "D, column 'p'")),
        ("NaN", b'{"y":1,"p":NaN}\n', ("unreadable", "D, line 1")),
        ("a comma behind a row", last[:-1] + b",\n", ("unreadable", "D, line 1")),
        ("a comment", last + b"// y\n", ("unreadable", "D, line 2")),
        ("a number alone", last + b"\n1\n", ("unreadable", "D, line 3")),
        ("two on a line", last[:-1] + last, ("unreadable", "D, line 1")),
        ("a mark on line 2", last + b"\xef\xbb\xbf" + last, ("unreadable", "D, line 2")),
        ("many within each other", b"[" * 99_999 + b"\n", ("unreadable", "D")),
        ("a list", b'[{"y":1,"p":0.9}]\n', ("unreadable", "D")),
    ):
        yield Odd(f"JSON: {name}", first + last, refused=fault, ending="ndjson")
