"""Which models are not significantly better than guessing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from reportgen.concluding.leading import Contest, ModelValue
from reportgen.records.decision import AtChance
from reportgen.records.rows import DataRecord, evaluation_of

COST = "cost_sensitive_error_rate"

BY_FITTING = 3.84
"""The mean of n evaluated rows fits them better than a constant known before: R² of that is below
−3.84/n in 5 % of samples where it is the true mean."""


def at_chance(
    metrics: pl.DataFrame, contest: Contest | None, names: Sequence[str], *, costs: bool
) -> tuple[AtChance, ...]:
    """The models whose interval of the deciding measure holds the value of guessing, or is worse.

    AUC: 0.5. Accuracy: the share of the most frequent class. Errors of estimates:
    R² = 0. Then single classes or labels by their AUC, and where ``costs`` are
    declared the models whose expected cost may be that of the cheaper trivial
    classifier. What has no interval is at chance where its value is.
    """
    plain = metrics.filter(pl.col("slice").is_null())
    of_models = [] if contest is None else list(_of_models(plain, contest, names))
    return (*of_models, *_of_classes(plain), *(_of_costs(plain, names) if costs else ()))


def is_worse(row: AtChance, data: DataRecord) -> bool:
    """Whether the whole interval lies on the wrong side of the value of guessing.

    That of R² does for every constant prediction, so that R² itself is to be lower than chance
    makes it.
    """
    if row.measure == COST:
        return row.low is not None and row.low > row.chance
    if row.high is None or row.high >= row.chance:
        return False
    if row.measure != "r2":
        return True
    units = evaluation_of(data).get("independent_units") or data["rows_evaluated"]
    return row.value < -BY_FITTING / units


def guessing(measure: str) -> str:
    """What a model at chance is no better than, in words."""
    if measure == "accuracy":
        return "always predicting the most frequent class"
    return "always predicting the mean" if measure == "r2" else "chance"


def _of_models(metrics: pl.DataFrame, contest: Contest, names: Sequence[str]) -> Iterator[AtChance]:
    for name in names:
        measure, chance, estimate = contest.measure, None, contest.values.get(name)
        if measure == "auc":
            chance = 0.5
        elif measure == "accuracy":
            chance = _value(metrics, "no_information_rate", name)
        elif measure in ("mean_squared_error", "mean_absolute_error"):
            r2 = _number(metrics, "r2", name)
            if r2 is not None and _holds(r2.value, r2.low, 0.0):
                yield AtChance(name, "r2", r2.value, r2.low, r2.high, 0.0)
            continue
        if estimate is None or chance is None:
            continue
        if _holds(estimate.value, estimate.low, chance):
            yield AtChance(name, measure, estimate.value, estimate.low, estimate.high, chance)


def _of_classes(metrics: pl.DataFrame) -> Iterator[AtChance]:
    rows = metrics.filter(
        pl.col("class").is_not_null(), pl.col("value").is_not_null(), metric="auc"
    )
    for row in rows.iter_rows(named=True):
        value, low, high = row["value"], row["low"], row["high"]
        if _holds(value, low, 0.5):
            yield AtChance(row["model"], "auc", value, low, high, 0.5, row["class"])


def trivial_cost(metrics: pl.DataFrame, model: str) -> float | None:
    """Cost per row of always predicting the cheaper class, cost / (1 − savings).

    None where a model without cost leaves it open.
    """
    plain = metrics.filter(pl.col("slice").is_null())
    cost, saved = _value(plain, COST, model), _value(plain, "savings", model)
    return None if cost is None or saved is None or saved >= 1 else cost / (1 - saved)


def _of_costs(metrics: pl.DataFrame, names: Sequence[str]) -> Iterator[AtChance]:
    """Expected costs that the trivial classifier's may equal."""
    for name in names:
        cost, trivial = _number(metrics, COST, name), trivial_cost(metrics, name)
        if cost is None or trivial is None:
            continue
        worst = cost.value if cost.high is None else cost.high
        if trivial > 0 and worst >= trivial:
            yield AtChance(name, COST, cost.value, cost.low, cost.high, trivial)


def _holds(value: float, low: float | None, chance: float) -> bool:
    return (value if low is None else low) <= chance


def _number(metrics: pl.DataFrame, metric: str, model: str) -> ModelValue | None:
    rows = metrics.filter(
        pl.all_horizontal(pl.col("class", "average").is_null()),
        pl.col("value").is_not_null(),
        metric=metric,
        model=model,
    )
    return ModelValue(*rows.select("value", "low", "high").row(0)) if rows.height else None


def _value(metrics: pl.DataFrame, metric: str, model: str) -> float | None:
    number = _number(metrics, metric, model)
    return None if number is None else number.value
