"""The tables of the results and the points of the curves, with all their digits."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from reportgen.exporting.exported_file import ExportedFile
from reportgen.frames import write_csv, write_parquet
from reportgen.records.model import RESULT_TABLES, Results

FOLDER = "numbers"

_FORMULA = r"^(?:[=@\t\r]|[+-][^\d.])"
"""What a spreadsheet takes for a formula; a number with a sign is none."""


def tables(results: Results) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield every table of the results that has rows, with the name of its file."""
    for name in RESULT_TABLES:
        table = getattr(results, name)
        if not table.is_empty():
            yield name, table
    for name, table in results.curves.items():
        if not table.is_empty():
            yield f"curve_{name}", table


def write(results: Results, folder: Path, kinds: Collection[str]) -> list[ExportedFile]:
    """Write each table as parquet, with the types of its columns, and as csv.

    In csv a list or a record in a cell is JSON, and a text that a spreadsheet would take for a
    formula has an apostrophe before it.
    """
    return [
        _file(name, kind, _plain(table) if kind == "csv" else table, folder)
        for kind in ("csv", "parquet")
        if kind in kinds
        for name, table in tables(results)
    ]


def _file(name: str, kind: str, table: pl.DataFrame, folder: Path) -> ExportedFile:
    place = f"{FOLDER}/{name}.{kind}"
    (folder / FOLDER).mkdir(exist_ok=True)
    if kind == "csv":
        write_csv(table, folder / place)
    else:
        write_parquet(table, folder / place)
    return {"file": place, "kind": kind, "holds": name.replace("_", " "), "rows": table.height}


def _plain(table: pl.DataFrame) -> pl.DataFrame:
    nested = [name for name, kind in table.schema.items() if kind.is_nested()]
    table = table.with_columns(_as_json(table[name]) for name in nested)
    texts = pl.col(pl.String)
    return table.with_columns(texts.str.replace(_FORMULA, "'${0}"))


def _as_json(column: pl.Series) -> pl.Series:
    def text(value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False)

    return pl.Series(column.name, map(text, column.to_list()), dtype=pl.String)
