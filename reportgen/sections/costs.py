"""What the errors cost: at the threshold, over all costs, and which model is cheapest where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from reportgen.charts import Figure
from reportgen.metric_names import COST
from reportgen.records.model import Results
from reportgen.records.rows import ClassSize, rows_of
from reportgen.sections import deduplication, lookup, metric_table
from reportgen.sections.regions import (
    CostZoneRow,
    EnvelopeVertex,
    OperatingRange,
    Zone,
    alike,
    operating_range_of,
    threshold_ranges,
    zones,
)
from reportgen.sections.registry import section
from reportgen.sections.tables import Cell, Column, Row, Table, rows
from reportgen.spec.costs import prevalence_at
from reportgen.text import numbers

STRETCH = (
    Column("low", "From", "right", "P(+)cost"),
    Column("high", "To", "right", "P(+)cost"),
    Column("rare", "From", "right", "Prevalence"),
    Column("common", "To", "right", "Prevalence"),
)
"""A region of P(+)cost, and the prevalence that it means at the declared costs."""


MOST_PAIRS = 3
"""Of more pairs of models those with the reference of page one are printed."""

MOST_ZONES = 12
"""Of more stretches the widest are printed."""


@section(70)
@dataclass(frozen=True)
class CostsSection:
    """Costs of the errors, and the cost curve."""

    id: ClassVar[str] = "costs"
    title: ClassVar[str] = "Costs"

    declared: str
    here: str
    tables: tuple[Table, ...]
    elsewhere: bool
    figures: tuple[str, ...]
    cheapest: Table | None
    ranges: Table | None
    left_out: tuple[str, ...]
    differences: tuple[str, ...] = ()

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> CostsSection | None:
        """Fill the section; None when no measure of cost has a number."""
        if results.task.costs == "classes":
            return _of_classes(results, figures)
        core = lookup.metrics(results, ["cost"], core=True)
        if not results.task.two_classes or not deduplication.has_value(results, core):
            return None
        of_labels = all(map(lookup.gives_labels_only, results.data["models"]))
        if of_labels and not results.declared.costs:  # the error rate is all that there is
            return None
        further_measures = deduplication.further(results, core)
        tables = metric_table.tables(
            results, further_measures, id="costs", caption="Measures of cost", grouped=False
        )
        return cls(
            declared(results),
            here(results),
            tables,
            len(further_measures) < len(core),
            lookup.placed(figures, "costs"),
            cheapest(results),
            ranges(results),
            lookup.without_scores(results),
            differences(results),
        )


def _of_classes(results: Results, figures: Sequence[Figure]) -> CostsSection | None:
    """The section for several classes: only where the spec declares costs."""
    declared = results.declared.costs
    names = lookup.metrics(results, ["cost"])
    tables = metric_table.tables(
        results, names, id="costs", caption="Measures of cost", grouped=False, mark=False
    )
    if not declared or not tables:
        return None
    return CostsSection(
        "Each cell below is the cost of predicting one class for a row of another.",
        "Least-cost predictions: each row gets the class of least expected cost, Σ pₖ·cost[k,j], "
        "taking the scores as probabilities.",
        (*cost_tables(declared, results.data["classes"]), *tables),
        False,
        lookup.placed(figures, "costs"),
        None,
        None,
        lookup.without_scores(results),
        differences(results),
    )


def differences(results: Results) -> tuple[str, ...]:
    """What the recommended tests say of declared costs: each pair, of many those of page one.

    Nothing where the section of comparisons has them in its table.
    """
    if not results.declared.costs or lookup.has_section(results, "comparisons"):
        return ()
    tests = [
        row
        for row in lookup.compared(results)
        if row.metric == COST
        and len(row.models) == 2
        and row.recommendation == "recommended"
        and row.undefined is None
    ]
    reference = results.decision.reference
    shown = [row for row in tests if len(tests) <= MOST_PAIRS or reference in row.models]
    return tuple(lookup.clean(row.verdict) for row in shown)


def declared(results: Results) -> str:
    """The costs, and whether the spec gives them."""
    if by_row := lookup.costs_by_row(results):
        return by_row
    false_negative, false_positive, given = lookup.costs(results)
    if not given:
        return (
            "No costs are declared, so a false negative and a false positive cost 1 each. "
            "The cost per row and the normalised cost are then the error rate."
        )
    return (
        f"A false negative costs {numbers.threshold(false_negative)}, "
        f"a false positive {numbers.threshold(false_positive)}; a correct decision costs nothing."
    )


def here(results: Results) -> str:
    """Where these data stand on the axis of the cost curve."""
    x, prevalence = (_of_any(results, name) for name in ("probability_cost", "prevalence"))
    if x is None or prevalence is None:
        return ""
    weighted = "weighted prevalence" if results.data.get("weighted") else "prevalence"
    return (
        f"At the {weighted} of these rows, {numbers.prevalence(prevalence)}, and these costs, "
        f"P(+)cost is {numbers.number(x)}."
    )


def _of_any(results: Results, metric: str) -> float | None:
    metric_values = lookup.numbers(results)
    values = (
        metric_values.get(((metric, None), name), lookup.NOTHING).value for name in results.models
    )
    return next((value for value in values if value is not None), None)


def cheapest(results: Results) -> Table | None:
    """Which model costs least in which stretch, and what that means."""
    curve = results.curves.get("cost_zones")
    if curve is None or curve.is_empty():
        return None
    cost_zones = zones(rows_of(curve, CostZoneRow))
    widest = sorted(cost_zones, key=lambda zone: zone.low - zone.high)[:MOST_ZONES]
    heads = (
        *STRETCH,
        Column("ratio_low", "From", "right", "FN : FP cost"),
        Column("ratio_high", "To", "right", "FN : FP cost"),
        Column("best", "Lowest cost", "left"),
        Column("thresholds", "Thresholds", "left"),
    )
    shown = [zone for zone in cost_zones if zone in widest]
    lines = [
        _zone_cells(results, zone, ends)
        for zone, ends in zip(shown, threshold_ranges(shown), strict=True)
    ]
    left = len(cost_zones) - len(lines)
    return Table(
        "cost_zones",
        "Cheapest model by operating condition, each at its best threshold",
        heads,
        rows(heads, lines),
        (
            "Prevalence: the proportion of positives that gives this P(+)cost with the costs "
            "above. FN : FP cost: the ratio of the costs of a false negative and a false positive "
            "that gives it with the prevalence of these rows.",
            "Read from the curves of these rows, so the thresholds are optimistic; the individual "
            "ranges are not tested.",
            *((f"{left} narrower ranges are left out.",) if left else ()),
        ),
    )


def _zone_cells(results: Results, zone: Zone, thresholds: str) -> list[Cell | str]:
    ends = [numbers.fixed(x, 3) for x in (zone.low, zone.high)]
    shares = [numbers.prevalence(p) for p in zone.prevalence]
    costs = ["∞" if r is None else numbers.number(r, 2 if r < 100 else 0) for r in zone.cost_ratio]
    if zone.model is None:
        which = "negative" if zone.strict is None else "positive"
        return [*ends, *shares, *costs, Cell(f"predicting all rows {which}", kind="muted"), ""]
    return [*ends, *shares, *costs, lookup.printed(results)[zone.model], thresholds]


def _stretch(results: Results, region: OperatingRange) -> list[Cell | str]:
    false_negative, false_positive, _ = lookup.costs(results)
    ends = (region.low, region.high)
    shares = [prevalence_at(x, false_negative, false_positive) for x in ends]
    return [*(numbers.fixed(x, 3) for x in ends), *map(numbers.percent, shares)]


def ranges(results: Results) -> Table | None:
    """Where each model beats both trivial classifiers, and its cheapest threshold here."""
    envelope = results.curves.get("cost_envelope")
    if envelope is None or envelope.is_empty():
        return None
    printed, x = lookup.printed(results), _of_any(results, "probability_cost")
    heads = (
        Column("model", "Model"),
        *STRETCH,
        Column("threshold", "Threshold", spanner="Cheapest here"),
        Column("cost", "Normalised cost", spanner="Cheapest here"),
    )
    operating_ranges: dict[str, OperatingRange | None] = {}
    for name in results.models:
        of_model = envelope.filter(pl.col("model") == name, pl.col("slice").is_null())
        if vertices := rows_of(of_model, EnvelopeVertex):
            operating_ranges[name] = operating_range_of(vertices, x)
    ends = [one.threshold for one in operating_ranges.values() if one and one.threshold is not None]
    thresholds = alike(ends)
    lines: list[list[Cell | str]] = [
        [printed[name], *_stretch(results, one), *_cheapest(one, thresholds)]
        if one
        else [printed[name], "nowhere", *[""] * 5]
        for name, one in operating_ranges.items()
    ]
    if not lines:
        return None
    return Table(
        "operating_range",
        "Where each model costs less than predicting one class for all rows",
        heads,
        rows(heads, lines),
        (
            "Here: at the P(+)cost of these rows. A threshold read from the same rows is "
            "optimistic.",
        ),
    )


def _cheapest(operating_range: OperatingRange, thresholds: Mapping[float, str]) -> list[Cell | str]:
    at = operating_range.threshold
    text = "none positive" if at is None else thresholds[at]
    return [text, numbers.aligned(operating_range.cost, 3)]


WIDEST = 12
"""Up to so many classes the costs are a table of truth by prediction; beyond, as a list."""

MOST = 30
"""Costs of a list that are printed."""


def cost_tables(
    declared: Mapping[str, Mapping[str, float]], classes: Sequence[ClassSize]
) -> tuple[Table, ...]:
    """Costs by truth and prediction; those that the spec leaves out are 0."""
    names = [record["class"] for record in classes]
    table = _crossed(declared, names) if len(names) <= WIDEST else _listed(declared)
    return (table,)


def _crossed(declared: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> Table:
    columns = (
        Column("truth", "Truth"),
        *(
            Column(f"prediction{k}", lookup.clean(n, 20), None, "Predicted")
            for k, n in enumerate(names)
        ),
    )
    rows = tuple(
        Row(
            {
                "truth": lookup.clean(truth, 40),
                **{
                    f"prediction{k}": _cost(declared.get(truth, {}).get(prediction, 0.0))
                    for k, prediction in enumerate(names)
                },
            }
        )
        for truth in names
    )
    return Table("cost_matrix", "Cost of a row by true and predicted class", columns, rows)


def _listed(declared: Mapping[str, Mapping[str, float]]) -> Table:
    columns = (
        Column("truth", "Truth"),
        Column("prediction", "Predicted", "left"),
        Column("cost", "Cost"),
    )
    cells = [(t, c, cost) for t, row in declared.items() for c, cost in row.items() if cost]
    ordered = sorted(cells, key=lambda cell: -cell[2])
    rows = tuple(
        Row({"truth": lookup.clean(t, 60), "prediction": lookup.clean(c, 60), "cost": _cost(cost)})
        for t, c, cost in ordered[:MOST]
    )
    left = len(cells) - len(rows)
    notes = (f"The {MOST} highest; the spec has {left} more. Other predictions cost nothing.",)
    plain = ("Other predictions cost nothing.",)
    return Table(
        "cost_matrix",
        "Cost of a row by true and predicted class",
        columns,
        rows,
        notes if left else plain,
    )


def _cost(cost: float) -> Cell | str:
    return numbers.threshold(cost) if cost else Cell("0", kind="muted")
