"""The declared costs of several classes, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.records.rows import ClassSize
from reportgen.sections import lookup
from reportgen.sections.tables import Cell, Column, Row, Table
from reportgen.text import numbers

WIDEST = 12
"""Up to so many classes the costs are a table of truth by prediction; beyond, as a list."""

MOST = 30
"""Costs of a list that are printed."""


def tables(
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
