"""Counts of validated rows in memory: cells of scores, joint cells of pairs, decisions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from reportgen.engines.fixed import whole
from reportgen.engines.keys import coarse, keyed
from reportgen.engines.partial import ALL, FITS, TABLES, VALIDATION, WEIGHTS, Facts, Partial, added
from reportgen.engines.plan import MOST_FITS, MOST_VALUES, Plan
from reportgen.predictions import labels
from reportgen.predictions.spelling import as_text

MOST_LISTED = 10_000
"""Values of a slice column that are listed at most."""


def counted(frame: pl.DataFrame, plan: Plan) -> Partial:
    """Return the counts of rows under canonical names, with labels as the data spells them."""
    if plan.cells:
        frame = frame.with_columns(
            keyed(f"score:{k}", unit=_in_unit(frame[f"score:{k}"])).alias(f"key:{k}")
            for k in plan.scores
        )
    if plan.weighted:
        frame = frame.with_columns(whole(pl.col("weight")), weight2=whole(pl.col("weight") ** 2))
    judged = frame.filter(role="test") if "role" in frame.columns else frame
    judged = judged.filter(pl.col("weight") > 0) if plan.weighted else judged
    slices = [
        (k, [f"slice:{column}" for column in columns])
        for k, columns in enumerate(plan.slices)
        if judged.select(pl.struct(f"slice:{c}" for c in columns).n_unique()).item() <= MOST_VALUES
    ]
    scopes: list[tuple[int, pl.DataFrame, list[str]]] = [(ALL, judged, [])]
    scopes += [(k, judged, columns) for k, columns in slices]
    few = not plan.fits or frame.select(pl.struct(plan.fits).n_unique()).item() <= MOST_FITS
    if plan.fits and few:
        scopes.append((FITS, _not_validation(frame), plan.fits))
    tables: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    if plan.cells:
        tables["cells"] = _cells(frame, scopes, plan)
        tables["joint"] = _joint(judged, plan)
    if plan.thresholds is not None:
        tables["decisions"] = [_decisions(*scope, plan) for scope in scopes]
    columns = {n: [*TABLES[n], *(WEIGHTS if plan.weighted else ())] for n in TABLES}
    merged = {n: added(n, [t.select(columns[n]) for t in found]) for n, found in tables.items()}
    facts = _facts(frame, judged, plan, [k for k, _ in slices])
    return Partial(merged, facts | {"few_fits": few})


def _cells(
    frame: pl.DataFrame,
    scopes: Sequence[tuple[int, pl.DataFrame, list[str]]],
    plan: Plan,
) -> list[pl.DataFrame]:
    if "role" in frame.columns:
        scopes = [*scopes, (VALIDATION, frame.filter(role="validation"), [])]
    if plan.weighted:  # parts have no AUC of weighted rows
        scopes = [scope for scope in scopes if scope[0] != FITS]
    return [
        _cells_of(rows, model, columns).with_columns(
            scope=pl.lit(scope, pl.Int16), model=pl.lit(model, pl.Int16)
        )
        for model in plan.scores
        for scope, rows, columns in scopes
    ]


def _cells_of(rows: pl.DataFrame, model: int, columns: list[str]) -> pl.DataFrame:
    score = f"score:{model}"
    found = (
        rows.lazy()
        .group_by(*columns, "truth", key=f"key:{model}")
        .agg(
            **_tally(rows),
            low=pl.col(score).min(),
            high=pl.col(score).max(),
        )
        .collect()
    )
    return _spelled(found, columns)


def _joint(rows: pl.DataFrame, plan: Plan) -> list[pl.DataFrame]:
    if not plan.pairs:
        return []
    larger = {f"key:{k}": coarse(pl.col(f"key:{k}"), plan.joint_bits) for k in plan.scores}
    keys = rows.select("truth", *(c for c in WEIGHTS if c in rows.columns), **larger)
    return [
        _spelled(
            keys.lazy()
            .group_by("truth", key_a=f"key:{a}", key_b=f"key:{b}")
            .agg(**_tally(keys))
            .collect(),
            [],
        ).with_columns(a=pl.lit(a, pl.Int16), b=pl.lit(b, pl.Int16))
        for a, b in plan.pairs
    ]


def _decisions(scope: int, rows: pl.DataFrame, columns: list[str], plan: Plan) -> pl.DataFrame:
    """Rows by what the models say: per model whether its score reaches the threshold, its label."""
    thresholds = plan.thresholds or ()
    said = {
        f"score:{k}": pl.col(f"score:{k}") >= threshold
        for k, threshold in enumerate(thresholds)
        if threshold is not None
    }
    said |= {f"label:{k}": pl.col(f"label:{k}") for k in plan.labels}
    found = (
        rows.lazy()
        .select(*columns, "truth", *(c for c in WEIGHTS if c in rows.columns), **said)
        .group_by(*columns, "truth", *said)
        .agg(**_tally(rows))
        .collect()
    )
    calls = [as_text(found[name]).to_list() for name in said]
    told = [
        json.dumps(dict(zip(said, row, strict=True)), ensure_ascii=False)
        for row in zip(*calls, strict=True)
    ] or [json.dumps({})] * found.height
    return _spelled(found, columns).with_columns(
        calls=pl.Series(told, dtype=pl.String), scope=pl.lit(scope, pl.Int16)
    )


def _tally(rows: pl.DataFrame) -> dict[str, pl.Expr]:
    """How many rows there are, and their weights where they have any."""
    weights = {name: pl.col(name).sum() for name in WEIGHTS if name in rows.columns}
    return {"rows": pl.len().cast(pl.Int64), **weights}


def _spelled(found: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """The truth as text, and the values of a slice as one text."""
    values = zip(*(found[column].to_list() for column in columns), strict=True)
    parts = [json.dumps(row, ensure_ascii=False) for row in values] if columns else None
    return found.with_columns(
        as_text(found["truth"]), part=pl.Series(parts) if parts else pl.lit("[]")
    )


def _not_validation(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("role") != "validation") if "role" in frame.columns else frame


def _in_unit(scores: pl.Series) -> bool:
    return bool(scores.is_between(0, 1).all())


def _facts(frame: pl.DataFrame, judged: pl.DataFrame, plan: Plan, sliced: list[int]) -> Facts:
    """What is known of the rows beside their counts."""
    facts: dict[str, Any] = {
        "rows": frame.height,
        "judged": judged.height,
        "truth": labels.counts(frame["truth"]),
        "dtype": [str(frame["truth"].dtype)],
        "labels": {f"label:{k}": labels.counts(frame[f"label:{k}"]) for k in plan.labels},
        "slices": {
            column: _values(judged[f"slice:{column}"])
            for columns in plan.slices
            for column in columns
        },
        "too_many": [k for k in range(len(plan.slices)) if k not in sliced],
    }
    if "role" in frame.columns:
        facts["roles"] = dict(frame["role"].value_counts().iter_rows())
    return facts


def _values(texts: pl.Series) -> dict[str, int] | None:
    """How often each value occurs, as JSON; null where there are too many to be listed."""
    found = texts.value_counts()
    if found.height > MOST_LISTED:
        return None
    return {json.dumps(value, ensure_ascii=False): n for value, n in found.iter_rows()}
