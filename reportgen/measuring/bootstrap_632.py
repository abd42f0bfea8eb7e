"""Bootstrap estimates of the error of a model that is trained on all rows."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.column_statistics import as_float
from reportgen.measuring.context import EvaluationContext, Losses
from reportgen.tables.results import GeneralisationRow

NEVER_DRAWN = 1 - 0.632
"""Weight of the empirical error, 1/e as the estimates have it."""

NO_APPARENT = "the error on training rows is not known (role train)"


def bootstrapped(context: EvaluationContext, losses: Losses) -> Iterator[GeneralisationRow]:
    """Rows ``out_of_bag``, ``point632`` and ``point632_plus`` of each model of a bootstrap.

    out_of_bag: the mean over examples of the mean loss in the repeats that never
    drew them (leave-one-out bootstrap). With the empirical error e, that of the
    fit on all rows (a repeat with training rows alone) or else the mean over the
    repeats' training rows:

    - .632: 0.368·e + 0.632·o
    - .632+: .632 + (o′ − e)·0.368·0.632·R / (1 − 0.368·R), with o′ = min(o, γ),
      R = (o′ − e)/(γ − e) where e < o′ (else 0), and γ the error if predictions
      and truths were independent: 1 − Σ p·q of the classes' shares p and the
      predictions' shares q, or the mean squared difference of all pairs.

    Undefined without training rows, and .632+ without a decision per row.
    Weighted rows are left out. Efron & Tibshirani (1997),
    doi:10.1080/01621459.1997.10474007.
    """
    evaluation = context.predictions.evaluation
    if evaluation.scheme != "bootstrap" or context.weight is not None:
        return
    frame = context.predictions.frame
    trained = frame.filter(role="train") if "role" in frame.columns else frame.clear()
    if evaluation.apparent is not None:
        trained = trained.filter(repeat=evaluation.apparent)
    for name, loss in losses.of.items():
        each = context.rows.group_by("id", maintain_order=True).agg(
            loss.cast(pl.Float64).mean().alias("loss")
        )
        outside = as_float(each["loss"].mean())
        yield _row("out_of_bag", losses, name, outside)
        if trained.is_empty():
            for quantity in ("point632", "point632_plus"):
                yield _row(quantity, losses, name, None, NO_APPARENT)
            continue
        empirical = trained.select(loss.cast(pl.Float64).mean()).item()
        plain = NEVER_DRAWN * empirical + (1 - NEVER_DRAWN) * outside
        yield _row("point632", losses, name, plain)
        if name not in losses.predicted:
            yield _row("point632_plus", losses, name, None, "there is no single decision per row")
            continue
        gamma = no_information(trained, losses.predicted[name], losses)
        yield _row("no_information", losses, name, gamma)
        yield _row("point632_plus", losses, name, plus(empirical, outside, gamma))


def plus(empirical: float, outside: float, gamma: float) -> float:
    """The .632+ estimate.

    >>> round(plus(0.0, 0.5, 0.5), 9)  # a model that knows its rows by heart and nothing else
    0.5
    """
    bounded = min(outside, gamma)
    plain = NEVER_DRAWN * empirical + (1 - NEVER_DRAWN) * outside
    rate = (bounded - empirical) / (gamma - empirical) if bounded > empirical else 0.0
    weight = NEVER_DRAWN * (1 - NEVER_DRAWN) * rate / (1 - NEVER_DRAWN * rate)
    return plain + (bounded - empirical) * weight


def no_information(rows: pl.DataFrame, predicted: pl.Expr, losses: Losses) -> float:
    """The error if truth and prediction were independent, on these rows."""
    both = rows.select(truth="truth", predicted=predicted)
    if losses.kind == "squared":
        truth, estimate = pl.col("truth"), pl.col("predicted")
        spread = truth.var(ddof=0) + estimate.var(ddof=0)
        return float(both.select(spread + (truth.mean() - estimate.mean()) ** 2).item())
    shares = [
        both.group_by(pl.col(name).cast(pl.UInt16).alias("class")).agg(share=pl.len() / both.height)
        for name in ("truth", "predicted")
    ]
    joined = shares[0].join(shares[1], on="class")
    return 1 - float((joined["share"] * joined["share_right"]).sum())


def _row(
    quantity: str, losses: Losses, model: str, value: float | None, undefined: str | None = None
) -> GeneralisationRow:
    return {
        "quantity": quantity,
        "metric": losses.error,
        "model": model,
        "value": value,
        "undefined": undefined,
    }
