"""Which models cost no less than always predicting the cheaper class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from reportgen.concluding.cost_headline import shares_of
from reportgen.concluding.costs_in_use import costs_per_row
from reportgen.concluding.model_values import limited, on_all_rows
from reportgen.metric_names import COST
from reportgen.records.decision import AtChance
from reportgen.records.model import Results


def trivial_cost(metrics: pl.DataFrame, model: str) -> float | None:
    """Cost per row of always predicting the cheaper class, cost / (1 − savings).

    None where a model without cost leaves it open.
    """
    cost, saved = (on_all_rows(metrics, name).get(model) for name in (COST, "savings"))
    if cost is None or saved is None or saved.value >= 1:
        return None
    return cost.value / (1 - saved.value)


def of_costs(results: Results, names: Sequence[str]) -> list[AtChance]:
    """Expected costs, beside those of the trivial classifier, at the stated prevalence if any."""
    shares = shares_of(results)
    if shares is None:
        plain = results.metrics.filter(pl.col("slice").is_null())
        return list(_of_costs_of_rows(plain, names))
    return list(_of_costs_in_use(results, names, shares[1]))


def _of_costs_in_use(results: Results, names: Sequence[str], stated: float) -> Iterator[AtChance]:
    """The same where positives are as frequent as stated: what guessing costs then is known."""
    declared = results.declared.costs or {}
    errors = (declared.get(name) for name in ("false_negative", "false_positive"))
    of_miss, of_alarm = (float(cost) if isinstance(cost, int | float) else 0.0 for cost in errors)
    trivial, costs = min(stated * of_miss, (1 - stated) * of_alarm), costs_per_row(results)
    for name in names:
        cost = costs.get(name)
        if cost is None or not trivial > 0:
            continue
        saved = None
        if cost.low is not None and cost.high is not None:
            value, low, high = (1 - end / trivial for end in (cost.value, cost.high, cost.low))
            saved = value, low, high
        ends = cost.value, cost.low, cost.high
        yield AtChance(name, COST, *ends, trivial, above=saved, prevalence=stated)


def _of_costs_of_rows(metrics: pl.DataFrame, names: Sequence[str]) -> Iterator[AtChance]:
    costs, saved = (on_all_rows(metrics, name) for name in (COST, "savings"))
    for name in names:
        cost, trivial = costs.get(name), trivial_cost(metrics, name)
        if cost is not None and trivial is not None and trivial > 0:
            above = limited(saved.get(name))
            yield AtChance(name, COST, cost.value, cost.low, cost.high, trivial, above=above)
