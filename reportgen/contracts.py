"""The spec and the tables as language-neutral contracts, generated from the code."""

from __future__ import annotations

import inspect
import json
import math
from pathlib import Path

import pandera.polars as pa

from reportgen.curves import CURVES
from reportgen.predictions.input_tables import TABLES
from reportgen.records.contract import FILE, results_schema
from reportgen.records.model import RESULT_TABLES
from reportgen.spec.json_schema import JsonSchema, schema, scores_schema

SPEC = "report.schema.json"
SCORES = "comparison.schema.json"
PREDICTIONS = "predictions.columns.json"
RESULTS = "results.columns.json"


def contracts() -> dict[str, JsonSchema]:
    """Return every generated contract by its file name."""
    return {
        SPEC: schema(),
        SCORES: scores_schema(),
        PREDICTIONS: {"tables": [columns(table) for table in TABLES.values()]},
        RESULTS: {
            "tables": [columns(table) for table in RESULT_TABLES.values()],
            "curves": {name: columns(curve.table) for name, curve in CURVES.items()},
        },
        FILE: results_schema(),
    }


def rendered(contract: JsonSchema) -> str:
    """Return a contract as the text of its file."""
    return json.dumps(contract, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_schemas(folder: Path) -> list[Path]:
    """Write every generated contract to a folder and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, contract in contracts().items():
        file = folder / name
        file.write_text(rendered(contract), encoding="utf-8")
        files.append(file)
    return files


def columns(table: type[pa.DataFrameModel]) -> JsonSchema:
    """Return a table's name, description and columns: dtype, nullable, required, checks."""
    listed = []
    for name, column in table.to_schema().columns.items():
        entry: JsonSchema = {"pattern" if column.regex else "name": name}
        entry["dtype"] = str(column.dtype)
        entry["nullable"] = column.nullable
        entry["required"] = column.required
        if column.description:
            entry["description"] = column.description
        checks = {str(check.name): _plain(check.statistics) for check in column.checks}
        if checks:
            entry["checks"] = checks
        listed.append(entry)
    return {
        "table": table.__name__,
        "description": inspect.cleandoc(table.__doc__ or ""),
        "columns": listed,
    }


def _plain(statistics: JsonSchema | None) -> JsonSchema:
    """Return the parameters of a check as JSON values; infinities become text."""
    return {
        key: str(value).replace("inf", "infinity")
        if isinstance(value, float) and math.isinf(value)
        else value
        for key, value in (statistics or {}).items()
    }
