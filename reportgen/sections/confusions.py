"""Which classes are mistaken for which, most often first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypedDict

import polars as pl

from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.sections import lookup, metric_table
from reportgen.sections.tables import Cell, Column, Row, Table
from reportgen.text import numbers
from reportgen.text.words import listed

MOST = 10
"""Confusions of each model that are listed."""

MODELS_ACROSS, LONGEST = 3, 14
"""Models beside each other where no class has a longer name; else they stand below each other."""

PARTS = {"pair": "Truth → predicted", "rows": "Rows", "share": "Share"}


SIDES: tuple[Literal["truth"], Literal["predicted"]] = ("truth", "predicted")


class ConfusedClasses(TypedDict):
    """Rows of one class that were predicted as another: a cell of ``Confusion``."""

    truth: str
    predicted: str
    count: float
    share: float | None


def tables(results: Results) -> tuple[Table, ...]:
    """The largest cells off the diagonal, by model; none where every prediction is correct."""
    confusion = results.curves.get("confusion")
    if confusion is None:
        return ()
    errors = confusion.filter(
        pl.col("slice").is_null(), pl.col("truth") != pl.col("predicted"), pl.col("count") > 0
    )
    largest = {name: _largest(errors.filter(model=name)) for name in results.models}
    largest = {name: cells for name, cells in largest.items() if cells}
    if not largest:
        return ()
    longest = max(len(cell[key]) for cells in largest.values() for cell in cells for key in SIDES)
    across = MODELS_ACROSS if longest <= LONGEST else 1
    parts = metric_table.parted(list(largest), across)
    return tuple(_table(results, part, largest, place) for place, part in enumerate(parts))


def distances(results: Results) -> Iterator[str]:
    """How many classes apart truth and prediction are where they differ, of ordered classes."""
    confusion = results.curves.get("confusion")
    if confusion is None or not results.declared.ordered:
        return
    places = {one["class"]: float(k) for k, one in enumerate(results.data["classes"])}
    above = pl.col("predicted").replace_strict(places) - pl.col("truth").replace_strict(places)
    errors = confusion.filter(pl.col("slice").is_null()).select("model", "count", above=above)
    for name, printed in lookup.printed(results).items():
        of_model = errors.filter(pl.col("above") != 0, model=name)
        whole = float(of_model["count"].sum())
        if whole:
            apart = of_model["above"].abs()
            parts = {
                "one class away": apart == 1,
                "two classes away": apart == 2,
                "three or more": apart > 2,
            }
            sums = {
                text: float(of_model.filter(which)["count"].sum()) for text, which in parts.items()
            }
            shares = [f"{numbers.percent(n / whole)} {text}" for text, n in sums.items() if n]
            higher = float(of_model.filter(pl.col("above") > 0)["count"].sum()) / whole
            yield (
                f"Errors of {printed}: {listed(shares)}; {numbers.percent(higher)} are above "
                f"the true class, {numbers.percent(1 - higher)} below."
            )


def _largest(errors: pl.DataFrame) -> list[ConfusedClasses]:
    """Largest counts first; of the same ones the larger share, then the order of the classes."""
    ordered = errors.sort("count", "share", descending=True, nulls_last=True, maintain_order=True)
    return rows_of(ordered.head(MOST), ConfusedClasses)


def _table(
    results: Results,
    models: Sequence[str],
    largest: Mapping[str, Sequence[ConfusedClasses]],
    place: int,
) -> Table:
    printed = lookup.printed(results)
    weighted = {"rows": "Weight"} if results.data.get("weighted") else {}
    columns = [Column("rank", "Rank")]
    for i, name in enumerate(models):
        columns += [
            Column(f"{part}{i}", label, "left" if part == "pair" else None, printed[name])
            for part, label in (PARTS | weighted).items()
        ]
    rows: list[Row] = []
    for rank in range(max(len(largest[name]) for name in models)):
        cells: dict[str, Cell | str] = {"rank": numbers.count(rank + 1)}
        for i, name in enumerate(models):
            if rank < len(largest[name]):
                cells |= _cells(largest[name][rank], i)
        rows.append(Row(cells))
    caption = "Most frequent confusions, with their share of the rows of the true class"
    return Table(f"confusions_{place}", caption, tuple(columns), tuple(rows))


def _cells(cell: ConfusedClasses, i: int) -> dict[str, Cell | str]:
    truth, prediction = (lookup.clean(cell[side], 60) for side in SIDES)
    return {
        f"pair{i}": f"{truth} → {prediction}",
        f"rows{i}": numbers.count(cell["count"]),
        f"share{i}": numbers.percent(cell["share"]),
    }
