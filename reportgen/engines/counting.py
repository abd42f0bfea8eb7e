"""Counts of validated rows in memory: cells of scores, joint cells of pairs, decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from reportgen.engines.group_counting import count_groups, decisions_of, loss_sums, placed_sums
from reportgen.engines.partial import (
    FITS,
    MOST_WEIGHED,
    TABLES,
    VALIDATION,
    WEIGHTS,
    Facts,
    Partial,
    added,
    to_fixed_point,
)
from reportgen.engines.plan import Plan
from reportgen.engines.scope import Scope, facts_of, scopes_of
from reportgen.engines.score_bins import bin_keys, coarse
from reportgen.engines.tallies import Tally
from reportgen.predictions.column_names import label_column, score_column
from reportgen.predictions.text_values import as_text


def count_rows(frame: pl.DataFrame, plan: Plan) -> Partial:
    """Return the counts of rows under canonical names, with labels as the data spells them."""
    classes, truth = _classes(frame["truth"])
    frame_type = frame["truth"].dtype
    facts: Facts = {
        "truth": {text: int((truth == k).sum()) for k, text in enumerate(classes)},
        "dtype": [str(frame["truth"].dtype)],
    }
    frame = frame.with_columns(truth.alias("truth"), *_numbers(frame, plan))
    scopes, test_rows, of_scopes = scopes_of(frame, plan)
    facts |= of_scopes
    tables = {name: _whole(name, t, classes, plan) for name, t in _tables(frame, scopes, plan)}
    if plan.weighted:
        table = _by_weight(scopes[0], classes, plan) if plan.thresholds is not None else None
        facts["few_weights"] = plan.thresholds is None or table is not None
        schema = pl.Schema(TABLES["weighted"])
        tables["weighted"] = pl.DataFrame(schema=schema) if table is None else table.cast(schema)
    if plan.grouped:
        sums = loss_sums(scopes, classes, frame_type, plan) if plan.cells else []
        sums += placed_sums(scopes, classes, plan.placements)
        decided = scopes if plan.thresholds is not None else ()
        lines = count_groups(decided, decisions_at(plan), classes, plan)
        schema = pl.Schema(TABLES["groups"])
        chosen = [table.select(schema.names()).cast(schema) for table in lines]
        tables["groups"] = pl.concat(chosen) if chosen else pl.DataFrame(schema=schema)
        tables["group_sums"] = added("group_sums", sums)
    return Partial(tables, facts | facts_of(frame, test_rows, plan))


def _classes(truth: pl.Series) -> tuple[list[str], pl.Series]:
    """The one or two classes, and the place of each row's among them."""
    distinct = truth.unique().sort()
    return as_text(distinct).to_list(), (truth != distinct.first()).cast(pl.UInt8)


def _numbers(frame: pl.DataFrame, plan: Plan) -> list[pl.Expr | pl.Series]:
    """The keys of scores, and what is added up of scores and weights, as whole numbers."""
    columns: list[pl.Expr | pl.Series] = []
    if plan.cells:
        columns += [bin_keys(frame[score_column(k)]).alias(f"key:{k}") for k in plan.scores]
    if plan.weighted:
        columns += [
            pl.col("weight").cast(pl.Float64).alias("value"),
            to_fixed_point(pl.col("weight")),
            to_fixed_point(pl.col("weight") ** 2).alias("weight2"),
        ]
    return columns


def _tables(
    frame: pl.DataFrame, scopes: Sequence[Scope], plan: Plan
) -> list[tuple[str, list[pl.DataFrame]]]:
    decided = scopes if plan.thresholds is not None else ()
    return [
        ("cells", _cells(frame, scopes, plan) if plan.cells else []),
        ("joint", _joint(scopes[0], plan) if plan.cells else []),
        ("decisions", [_decisions(scope, plan) for scope in decided]),
    ]


def _whole(
    name: str, frames: Sequence[pl.DataFrame], classes: Sequence[str], plan: Plan
) -> pl.DataFrame:
    """One table of all frames, the truth as the data spells it."""
    columns = pl.Schema({**TABLES[name], **(WEIGHTS if plan.weighted else {})})
    texts = pl.Series(classes, dtype=pl.String)
    spelled = (frame.with_columns(truth=texts.gather(frame["truth"])) for frame in frames)
    chosen = [frame.select(columns.names()).cast(columns) for frame in spelled]
    return pl.concat(chosen) if chosen else pl.DataFrame(schema=columns)


def _cells(frame: pl.DataFrame, scopes: Sequence[Scope], plan: Plan) -> list[pl.DataFrame]:
    if "role" in frame.columns:
        scopes = [*scopes, Scope(VALIDATION, frame.filter(role="validation"))]
    if plan.weighted:  # parts have no AUC of weighted rows
        scopes = [scope for scope in scopes if scope.number != FITS]
    return [_cells_of(scope, model, plan) for model in plan.scores for scope in scopes]


def _cells_of(scope: Scope, model: int, plan: Plan) -> pl.DataFrame:
    tally = Tally(plan.weighted, score_column(model))
    return scope.grouped({"key": f"key:{model}"}, tally).with_columns(model=pl.lit(model))


def _joint(scope: Scope, plan: Plan) -> list[pl.DataFrame]:
    """The rows of each pair of models by the larger cells of both."""
    weights = [name for name in WEIGHTS if name in scope.rows.columns]
    rows = scope.rows.select(
        "truth",
        *weights,
        *(coarse(pl.col(f"key:{k}"), plan.joint_bits).alias(f"{k}") for k in plan.scores),
    )
    whole, tally = replace(scope, rows=rows), Tally(plan.weighted)

    return [
        whole.grouped({"key_a": f"{a}", "key_b": f"{b}"}, tally).with_columns(
            a=pl.lit(a), b=pl.lit(b)
        )
        for a, b in plan.pairs
    ]


def decisions_at(plan: Plan) -> dict[str, pl.Expr]:
    """Whether the score of each model that has a threshold reaches it."""
    return {
        score_column(k): pl.col(score_column(k)) >= threshold
        for k, threshold in enumerate(plan.thresholds or ())
        if threshold is not None
    }


def _decisions(scope: Scope, plan: Plan) -> pl.DataFrame:
    """Rows by what the models say: per model whether its score reaches the threshold, its label."""
    reached, labels = decisions_at(plan), [label_column(k) for k in plan.labels]
    counts = scope.grouped(reached, Tally(plan.weighted), labels)
    return counts.with_columns(decisions=decisions_of(counts, list(reached), labels))


def _by_weight(scope: Scope, classes: Sequence[str], plan: Plan) -> pl.DataFrame | None:
    """Rows by weight, truth and decisions; null where too many weights differ."""
    if scope.rows["value"].n_unique() > MOST_WEIGHED:
        return None
    reached, labels = decisions_at(plan), [label_column(k) for k in plan.labels]
    counts = scope.grouped(reached, Tally(), ["value", *labels])
    if counts.height > MOST_WEIGHED:
        return None
    decisions = decisions_of(counts, list(reached), labels)
    truth = pl.Series(classes, dtype=pl.String).gather(counts["truth"])
    return counts.select("value", "rows", truth=truth, decisions=decisions).select(
        *TABLES["weighted"]
    )
