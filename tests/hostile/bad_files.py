"""Files that are not what their ending says, or hold what no report can be made of."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zlib
from collections.abc import Mapping

import polars as pl

FRAME = pl.DataFrame(
    {"case": [f"c{i}" for i in range(20)], "y": ["well", "sick"] * 10}
    | {column: [i / 20 for i in range(20)] for column in ("p", "q")}
    | {"part": ["1", "2"] * 10, "site": ["n", "s"] * 10}
)
HEAD = ",".join(FRAME.columns)
LINE = "c0,well,0.5,0.5,1,n"


def _written() -> dict[str, bytes]:
    parquet, arrow = io.BytesIO(), io.BytesIO()
    FRAME.write_parquet(parquet)
    FRAME.write_ipc(arrow)
    return {
        "csv": FRAME.write_csv().encode(),
        "tsv": FRAME.write_csv(separator="\t").encode(),
        "ndjson": FRAME.write_ndjson().encode(),
        "parquet": parquet.getvalue(),
        "arrow": arrow.getvalue(),
    }


GOOD: Mapping[str, bytes] = _written()
"""The same rows in every format."""

FOREIGN: Mapping[str, bytes] = {
    "nothing": b"",
    "spaces": b"  \n\t\n  \n",
    "line ends": b"\n" * 50,
    "one byte": b"x",
    "byte 0": b"\0" * 1000,
    "0xff": b"\xff" * 1000,
    "page": b"<!DOCTYPE html><html><body>404, not found</body></html>\n",
    "xml": b'<?xml version="1.0"?><rows><row y="1"/></rows>\n',
    "yaml": b"data: d.csv\ntruth: y\n",
    "json list": json.dumps(FRAME.to_dicts()).encode(),
    "json object": json.dumps(FRAME.to_dict(as_series=False)).encode(),
    "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
    "conflict": b"<<<<<<< HEAD\ny,p\n=======\ny,q\n>>>>>>> other\n",
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "workbook": b"PK\x03\x04\x14\x00\x06\x00[Content_Types].xml" + b"\0" * 200,
    "old workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
    "image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 100,
    "program": b"\x7fELF\x02\x01\x01" + b"\0" * 100,
    "pickle": b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c\x08builtins\x94.",
    "database": b"SQLite format 3\0" + b"\0" * 200,
    "matrix": b"\x93NUMPY\x01\0v\0{'descr': '<f8', 'shape': (3,)}\n" + b"\0" * 24,
    "hdf5": b"\x89HDF\r\n\x1a\n" + b"\0" * 200,
    "avro": b"Obj\x01\x04\x14avro.codec\x08null" + b"\0" * 50,
    "orc": b"ORC\x08\x03\x10" + b"\0" * 50,
    "encrypted parquet": b"PARE" + b"\0" * 50 + b"PARE",
    "only magic": b"PAR1PAR1",
    "arrow magic": b"ARROW1\0\0" + b"\0" * 40 + b"ARROW1",
    "log": b"2024-01-01 10:00:00 INFO started\n" * 20,
    "fixed width": b"case  y     p\nc0    well  0.5\n",
    "text table": b"| case | y |\n|------|---|\n| c0 | well |\n",
}

_PACKED = {
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}

_ROWS: Mapping[str, list[str]] = {
    "header only": [],
    "truth missing": ["c0,,0.5,0.5,1,n"],
    "score missing": ["c0,well,,0.5,1,n"],
    "id missing": [",well,0.5,0.5,1,n"],
    "id twice": [LINE, LINE],
    "id twice apart": [LINE, "c1,sick,0.5,0.5,1,n", "c0,sick,0.5,0.5,1,n"],
    "third label": ["c0,well,0.5,0.5,1,n", "c1,sick,0.5,0.5,1,n", "c2,unsure,0.5,0.5,1,n"],
    "label in capitals": ["c0,well,0.5,0.5,1,n", "c1,sick,0.5,0.5,1,n", "c2,Sick,0.5,0.5,1,n"],
    "label with a space": ["c0,well,0.5,0.5,1,n", "c1,sick,0.5,0.5,1,n", "c2,sick ,0.5,0.5,1,n"],
    "header twice": [HEAD, LINE],
    "header again": [LINE, HEAD, "c1,sick,0.5,0.5,1,n"],
    "total at the end": [LINE, "total,,1.5,1.5,,"],
    **{
        f"score {text}": [f"c0,well,{text},0.5,1,n", "c1,sick,0.5,0.5,1,n"]
        for text in (
            *("nan", "NaN", "inf", "-inf", "Infinity", "1e999", "NA", "N/A", "null", "None", "?"),
            *("-", "--", ".", "e", "1e", "0x1p3", "0x10", "1_000", "1 000", "0.5.5", "50%", "½"),
            *(
                "٠٫٥",
                "０．５",
                "−0.5",
                "TRUE",
                "high",
                "1/2",
                "$0.5",
                "0.5f",
                "#N/A",
                "=1+1",
                "0·5",
            ),
        )
    },
    **{
        f"row {text!r}": [LINE, text, "c1,sick,0.5,0.5,1,n"]
        for text in (
            *("", " ", ",", ",,", ",,,,,", ",,,,,,", "# note", "c2", "c2,sick", "c2,sick,0.5"),
            *("c2,sick,0.5,0.5,1", "c2,sick,0,5,0,5,1,n", "c2,sick,0.5,0.5,1,n,", '"', '""', "'"),
            *('c2,"sick,0.5,0.5,1,n', 'c2,sick",0.5,0.5,1,n', 'c2,si"ck,0.5,0.5,1,n', "\0", "\x1a"),
            *('"c2"x,sick,0.5,0.5,1,n', ' "c2",sick,0.5,0.5,1,n', "c2;sick;0.5;0.5;1;n", "\\N"),
            *(
                "c2\tsick\t0.5\t0.5\t1\tn",
                "c2,sick,0.5,0.5,1,\rn",
                "c2,sick,0.5,0.5,1,n\rc3",
                "...",
            ),
        )
    },
}

_HEADS = (
    *("", ",", "case;y;p;q;part;site", "case\ty\tp\tq\tpart\tsite", "CASE,Y,P,Q,PART,SITE"),
    *("case,y,p,q,part", "case,y,p,p,part,site", "case, y, p, q, part, site", "1,2,3,4,5,6"),
    *('"case,y,p,q,part,site', "'case','y','p','q','part','site'", "case,y,p,q,part,site,", "#"),
    *("case,у,р,q,part,site", "case,y,p,q,part,site\u200b", "\u200bcase,y,p,q,part,site"),
)


def files() -> dict[str, tuple[str, bytes]]:
    """Name and content of each bad file, by what is wrong with it."""
    result: dict[str, tuple[str, bytes]] = {}
    for ending, good in GOOD.items():
        for what, content in FOREIGN.items():
            result[f"{what} as {ending}"] = f"d.{ending}", content
        for other, content in GOOD.items():
            if other != ending:
                result[f"{other} as {ending}"] = f"d.{ending}", content
        for how, pack in _PACKED.items():
            result[f"{ending} packed by {how}"] = f"d.{ending}", pack(good)
        for tenth in range(1, 10):
            content = good[: len(good) * tenth // 10]
            cut = content.rstrip() if ending in ("csv", "tsv", "ndjson") else content
            result[f"{ending} cut at {tenth}/10"] = f"d.{ending}", cut[:-6] + b'"' + cut[-6:]
        result[f"{ending} twice"] = f"d.{ending}", good + good
    for what, rows in _ROWS.items():
        result[f"csv: {what}"] = "d.csv", "\n".join([HEAD, *rows, ""]).encode()
    for head in _HEADS:
        result[f"csv: header {head!r}"] = "d.csv", f"{head}\n{LINE}\n".encode()
    return result
