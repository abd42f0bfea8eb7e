"""The table of values that is compared: files, data sets or folds, what was checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, evaluation_of
from reportgen.sections import lookup, metric_table
from reportgen.sections.data import checks, files
from reportgen.sections.registry import SCORES, section
from reportgen.sections.tables import Cell, Column, Fact, Row, Table, notes_once, valued
from reportgen.text import decimals, numbers

MOST_MODELS, MODELS_ACROSS = 12, 6
"""Of more models the values are not printed; so many of them stand beside each other."""


MOST_IN_PRINT = 60
"""Of more data sets or folds the values are in the HTML page and in results.json."""


@section(30, SCORES)
@dataclass(frozen=True)
class ScoreData:
    """The values, their files and their checks."""

    template: ClassVar[str] = "sections/score_data.html.j2"
    id: ClassVar[str] = "data"
    title: ClassVar[str] = "Data"

    facts: tuple[Fact, ...]
    left_out: tuple[str, ...]
    unit: str
    values: tuple[Table, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> ScoreData:  # noqa: ARG003
        """Fill the section; it always applies."""
        return cls(
            (*facts(results), *checks(results.data)),
            tuple(lookup.clean(name) for name in results.data["left_out"]),
            unit(results.data),
            values(results),
        )


def facts(results: Results) -> list[Fact]:
    """What is compared over how many data sets or folds."""
    data = results.data
    what = lookup.phrase(data["measure"], results)
    return [
        *files(data),
        Fact("Measure", f"{lookup.clean(what)}; {data['better']} is better"),
        Fact("Models", numbers.count(len(data["models"]))),
        Fact(f"{unit(data).capitalize()}s", _units(data)),
    ]


def unit(data: DataRecord) -> str:
    """What has one value per model: a data set or a fold."""
    return data.get("unit") or "data set"


def _units(data: DataRecord) -> str:
    """How many there are, of how many repeats."""
    count, repeats = numbers.count(data["datasets"]), evaluation_of(data).repeats
    return f"{count} of {repeats} repeats" if repeats and repeats > 1 else count


def values(results: Results) -> tuple[Table, ...]:
    """Every value with its rank, where the models are not too many, a few of them in each table."""
    data = results.data
    models = [model["name"] for model in data["models"]]
    if len(models) > MOST_MODELS:
        return ()
    parts = metric_table.parted(models, MODELS_ACROSS)
    return notes_once(_values(results, models, part, parts) for part in parts)


def _values(
    results: Results, models: Sequence[str], part: Sequence[str], parts: Sequence[Sequence[str]]
) -> Table:
    """The values of some of the models; ranks are among all."""
    data = results.data
    printed, one = lookup.printed(results), unit(data)
    heads = (
        Column("block", one.capitalize()),
        *(Column(str(i), printed[m]) for i, m in enumerate(models) if m in part),
    )
    cells = [value for row in data["values"] for m in models if (value := row[m]) is not None]
    whole = all(float(value).is_integer() for value in cells)
    digits = 0 if whole else decimals.shared((value, None, None) for value in cells)
    lines = tuple(
        Row({"block": lookup.clean(row["block"]), **_cells(row, rank, models, digits)})
        for row, rank in zip(data["values"], data["ranks"], strict=True)
    )
    cut = data["datasets"] - len(lines)
    where = "in that fold" if one == "fold" else "on that data set"
    ranked = f"In brackets: the rank {where}, 1 = best; ties share their mean rank."
    notes = [ranked] if len(models) > 1 else []
    notes += [f"{numbers.count(cut)} further {one}s are not shown."] if cut else []
    place, caption = parts.index(part) + 1, f"Values by {one}"
    if len(parts) > 1:
        caption += f" (part {place} of {len(parts)})"
    anchor = "values" if place == 1 else f"values_{place}"
    on_screen = len(lines) > MOST_IN_PRINT
    return Table(anchor, caption, heads, lines, tuple(notes), screen=on_screen)


def _cells(
    row: Mapping[str, float | None], rank: Mapping[str, float], models: Sequence[str], digits: int
) -> dict[str, Cell]:
    if len(models) == 1:  # which ranks nowhere
        return {"0": valued(row[models[0]])}
    least = min(rank[m] for m in models)
    return {
        str(i): Cell(
            f"{numbers.aligned(row[m], digits)} ({rank[m]:g})",
            kind="best" if rank[m] == least else None,
        )
        for i, m in enumerate(models)
    }
