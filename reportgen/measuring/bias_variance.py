"""Bias and variance of the error over repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from reportgen.measuring.context import EvaluationContext, Losses
from reportgen.tables.results import GeneralisationRow


def decomposed(context: EvaluationContext, losses: Losses) -> Iterator[GeneralisationRow]:
    """Where the error comes from, over the repeats in which a row was tested.

    Truths are taken as free of noise, which then is in the bias. Of decisions:

    - Domingos (2000), AAAI, 564-569: ``domingos_bias`` is the error of the main
      decision (the most frequent one; of equal ones the first),
      ``domingos_variance`` how often a decision differs from it, and
      ``domingos_net_variance`` what is left of the error beyond the bias.
    - Kohavi & Wolpert (1996), ICML, 275-283: ``kohavi_wolpert_bias`` is
      ½Σ([c = truth] − p)² and ``kohavi_wolpert_variance`` ½(1 − Σp²), over the
      shares p of decisions for each class c; they add up to the error.

    Of numbers (and probabilities of two classes, as the Brier score):
    ``squared_bias``, of the mean estimate, and ``variance`` about it; they add
    up to the mean squared error. Rows that were tested once are left out; empty
    where all were, where rows have no id, or are weighted.
    """
    rows = context.rows
    if "id" not in rows.columns or context.repeats == 1 or context.weight is not None:
        return
    key = [name for name in ("dataset", "id") if name in rows.columns]
    again = rows.filter(pl.len().over(key) > 1)
    if again.is_empty():
        return
    for name, predicted in losses.predicted.items():
        if losses.kind == "squared":
            yield from _squared(again, key, predicted, (losses.error, name))
            continue
        yield from _zero_one(again, key, predicted, (losses.error, name))
        if name in losses.probable:
            score = pl.col(losses.scores[name])
            yield from _squared(again, key, score, ("brier_score", name))


def _zero_one(
    rows: pl.DataFrame, key: Sequence[str], predicted: pl.Expr, whose: tuple[str, str]
) -> Iterator[GeneralisationRow]:
    count, whole = pl.col("count"), pl.col("count").sum()
    per_row = (
        rows.select(
            *key, truth=pl.col("truth").cast(pl.UInt16), predicted=predicted.cast(pl.UInt16)
        )
        .group_by(*key, "truth", "predicted", maintain_order=True)
        .agg(count=pl.len().cast(pl.Float64))
        .group_by(*key, "truth", maintain_order=True)
        .agg(
            main=pl.col("predicted")
            .sort_by("count", "predicted", descending=[True, False])
            .first(),
            most=(count / whole).max(),
            same=((count / whole) ** 2).sum(),
            correct=count.filter(pl.col("predicted") == pl.col("truth")).sum() / whole,
        )
    )
    main_errs = (pl.col("main") != pl.col("truth")).cast(pl.Float64)
    components = per_row.select(
        domingos_bias=main_errs.mean(),
        domingos_variance=1 - pl.col("most").mean(),
        domingos_net_variance=(1 - pl.col("correct") - main_errs).mean(),
        kohavi_wolpert_bias=((1 - 2 * pl.col("correct") + pl.col("same")) / 2).mean(),
        kohavi_wolpert_variance=((1 - pl.col("same")) / 2).mean(),
    ).row(0, named=True)
    yield from _rows(components, whose)


def _squared(
    rows: pl.DataFrame, key: Sequence[str], estimate: pl.Expr, whose: tuple[str, str]
) -> Iterator[GeneralisationRow]:
    per_row = rows.group_by(key, maintain_order=True).agg(
        truth=pl.col("truth").first().cast(pl.Float64),
        mean=estimate.mean(),
        spread=estimate.var(ddof=0),
    )
    components = per_row.select(
        squared_bias=((pl.col("mean") - pl.col("truth")) ** 2).mean(),
        variance=pl.col("spread").mean(),
    ).row(0, named=True)
    yield from _rows(components, whose)


def _rows(components: dict[str, float], whose: tuple[str, str]) -> Iterator[GeneralisationRow]:
    metric, model = whose
    for quantity, value in components.items():
        yield {"quantity": quantity, "metric": metric, "model": model, "value": value}
