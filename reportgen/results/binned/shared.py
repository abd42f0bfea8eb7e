"""What evaluations of counts share, whatever the task."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from reportgen.engines.choice import EngineChoice
from reportgen.engines.fixed_point import from_fixed_point
from reportgen.engines.gather import Gathered
from reportgen.engines.plan import Plan
from reportgen.measuring.context import settings_of
from reportgen.measuring.significance_settings import TestSettings
from reportgen.predictions import Check
from reportgen.predictions.evaluation import over_folds
from reportgen.predictions.files import DataFile
from reportgen.predictions.source import Source
from reportgen.records.rows import SkippedRecord, SliceRecord
from reportgen.results.binned.fold_metrics import Folds
from reportgen.spec import Spec


def untested(spec: Spec) -> list[SkippedRecord]:
    """The measures that pairs are to be compared in, which counts cannot be exchanged for."""
    return [
        {"what": f"tests of {name}", "model": None, "reason": "they need the rows: engine: exact"}
        for name in spec.comparisons.measures
    ]


def distinct(spec: Spec, totals: Gathered) -> bool:
    """Whether it is known that no id returns."""
    return spec.columns.id is not None and totals.ids_once


def terms_of(spec: Spec, baseline: str, fits: Folds) -> TestSettings:
    """What the tests are made under, as for rows in memory."""
    terms = settings_of(spec, baseline)
    margin = None if over_folds(fits.evaluation) else spec.comparisons.margin
    weight = None if spec.columns.weight is None else "weight"
    return replace(terms, margin=margin, weight=weight)


def title_of(files: Sequence[DataFile]) -> str:
    """What names the files together."""
    return Source(tuple(f.name for f in files), ()).title


def slice_records(value_counts: Mapping[str, Mapping[str, int] | None]) -> list[SliceRecord]:
    """The values of each slice column with their rows."""
    return [
        {
            "name": column,
            "values": [
                {"value": value, "rows": rows}
                for value, rows in sorted(
                    ((json.loads(text), rows) for text, rows in values.items()),
                    key=lambda pair: (pair[0] is not None, pair[0] or ""),
                )
            ],
        }
        for column, values in value_counts.items()
        if values is not None
    ]


def counted_checks(spec: Spec, totals: Gathered, engine: EngineChoice, what: str) -> list[Check]:
    """The checks of ids, weights and roles that were passed, and those that counts cannot make."""
    passed = [
        (distinct(spec, totals), "ids", "no example twice"),
        (spec.columns.weight, "weights", "finite, none negative, not all zero"),
        (spec.columns.role, "roles", "train, validation or test in every row"),
    ]
    checks = [Check(name, detail) for applies, name, detail in passed if applies]
    if spec.columns.id and not totals.ids_once:
        apart = engine.kind == "partials"
        why = "ids stay where the rows are" if apart else "ids are not in increasing order"
        detail = f"{why}; duplicates were not checked"
        checks.append(Check("ids", detail, warning=True))
    detail = f"not checked: {what} are counted, rows are not compared"
    return [*checks, Check("identical rows", detail)]


def masses(plan: Plan, names: tuple[str, str]) -> dict[str, pl.Expr]:
    """Sums of weights and of their squares, or the rows themselves."""
    rows = pl.col("rows").cast(pl.Float64)
    return {
        name: from_fixed_point(pl.col(weight)) if plan.weighted else rows
        for name, weight in zip(names, ("weight", "weight2"), strict=True)
    }
