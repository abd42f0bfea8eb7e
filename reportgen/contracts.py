"""The spec and the tables as language-neutral contracts, generated from the code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reportgen import tables
from reportgen.predictions.tables import TABLES
from reportgen.spec.columns import columns
from reportgen.spec.json_schema import schema, scores_schema

SPEC = "report.schema.json"
SCORES = "comparison.schema.json"
PREDICTIONS = "predictions.columns.json"
RESULTS = "results.columns.json"


def contracts() -> dict[str, dict[str, Any]]:
    """Return every generated contract by its file name."""
    results = [
        tables.Metrics,
        tables.Comparisons,
        tables.Differences,
        tables.Dominance,
        tables.FoldMetrics,
        tables.Generalisation,
        tables.Slices,
        tables.Gaps,
        tables.Gates,
    ]
    return {
        SPEC: schema(),
        SCORES: scores_schema(),
        PREDICTIONS: {"tables": [columns(table) for table in TABLES.values()]},
        RESULTS: {
            "tables": [columns(table) for table in results],
            "curves": {name: columns(curve.table) for name, curve in tables.CURVES.items()},
        },
    }


def rendered(contract: dict[str, Any]) -> str:
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
