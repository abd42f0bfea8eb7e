"""Which undeclared columns errors depend on: rows with the same value have similar errors.

Limits treat rows as independent where no groups are declared. A column is named where errors
within its values resemble each other beyond chance, over all columns and models, and enough to
matter. A whole number of a name that says nothing may be a feature: it is named where the truth of
its values differs from that of the next ones, as that of units does.

Where groups are declared, columns are looked at that these lie within, as patients within sites:
the means of groups, of losses less the mean of their class, take the place of rows. Of columns that
cross the groups, as items that many users rate, means of cells less those of their group do.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Effect, Groups
from reportgen.measuring.context import EvaluationContext, Losses, rows_with_output
from reportgen.measuring.crossed_columns import Crossing
from reportgen.measuring.undeclared_effects import (
    LEAST_EFFECT,
    LEVEL,
    effect_beside_groups,
    effect_beyond_chance,
    is_rough,
    ranked,
)
from reportgen.measuring.undeclared_widths import Groupings, widths
from reportgen.predictions.column_names import named_in_periods, slice_column
from reportgen.predictions.dated_rows import are_dates
from reportgen.predictions.file_order import FILE_ORDER
from reportgen.predictions.undeclared import (
    FEWEST_VALUES,
    MOST_ROWS,
    in_named_periods,
    is_pattern,
    may_be_codes,
    may_be_sampled,
    may_be_units,
    named_as_units,
    returns,
)
from reportgen.records.limit_widths import UndeclaredGroup
from reportgen.records.row_facts import UndeclaredSeries
from reportgen.text.words import name_words

FEWEST_SLICES = 3
"""So few values of a slice, as of readers, are looked at; limits for others have few degrees."""

KINDS = name_words("case class item product region")
"""Names that few units may have, but more often all the kinds that there are, as of passengers."""

MOST_MODELS = 10
"""Of more models the first are looked at, and the differences from the first."""


def undeclared_groups(context: EvaluationContext, losses: Losses) -> list[UndeclaredGroup]:
    """The undeclared columns whose values errors depend on: samples of units first, then others.

    Of either that of the widest limits first.

    Also columns that are only shown, slices of dates, as rows of a date share what happened then,
    and ids that return in several groups. Nothing where an order in time or rows that return
    already say how rows depend on each other, and of rows with weights.
    """
    columns = context.predictions.undeclared
    if columns is None or not _are_looked_at(context):
        return []
    frame = context.predictions.frame
    columns = pl.concat([columns, _also_named(context, columns)], how="horizontal")
    if "role" in frame.columns and columns.width:
        columns = columns.filter(frame["role"] == "test")
    several = [column for column in columns if returns(column)]
    return _seen(context, losses, several, FEWEST_VALUES)


def _also_named(context: EvaluationContext, columns: pl.DataFrame) -> pl.DataFrame:
    """Columns that are only shown, slices of dates, and ids that count time or return in groups."""
    predictions = context.predictions
    of_rows = [c for c in _slices(context, predictions.frame) if are_dates(c) and returns(c)]
    if predictions.shown is not None:
        shown = (c for c in predictions.shown if not is_pattern(c.name))
        of_rows += [c for c in shown if may_be_units(c) or are_dates(c)]
    identities, name = predictions.identities, context.spec.columns.id or "id"
    if identities is not None and "id" in identities.columns and not is_pattern(name):
        ids = identities["id"].alias(name)
        of_time = in_named_periods(ids)
        of_rows += [ids] if predictions.crossed else [] if of_time is None else [of_time]
    alone = {column.name: column for column in of_rows if column.name not in columns.columns}
    return pl.DataFrame(list(alone.values()))


def grouping_slices(context: EvaluationContext, losses: Losses) -> list[UndeclaredGroup]:
    """The same of slices that are named as units, as readers of cases, from three values on.

    Of dates too, where they are so few. Who declares them asks about these values, so that they
    undo no conclusion on them.
    """
    if context.predictions.undeclared is None or not _are_looked_at(context):
        return []
    columns = _slices(context, context.rows)
    few_dates = [c for c in columns if are_dates(c) and not returns(c)]
    of_units = [c for c in columns if named_as_units(c.name) and not are_dates(c)]
    several = [c for c in (*of_units, *few_dates) if returns(c, _fewest(c.name))]
    return _seen(context, losses, several, FEWEST_SLICES)


def _fewest(name: str) -> int:
    return FEWEST_VALUES if name_words(name) <= KINDS else FEWEST_SLICES


def _slices(context: EvaluationContext, rows: pl.DataFrame) -> list[pl.Series]:
    names = [names[0] for names in context.slicings if len(names) == 1]
    return [rows[slice_column(name)].alias(name) for name in names if not is_pattern(name)]


def _are_looked_at(context: EvaluationContext) -> bool:
    rows, withheld = context.rows, bool(context.spec.privacy.small_cells)
    dependent = context.repeats > 1 or "time" in rows.columns or context.weight is not None
    few = rows.height <= MOST_ROWS
    return few and not (dependent or withheld or context.predictions.unpaired is not None)


def _seen(
    context: EvaluationContext, losses: Losses, columns: Sequence[pl.Series], fewest: int
) -> list[UndeclaredGroup]:
    if not columns:
        return []
    of_model = _losses(context, losses)
    classes, lost = _classes(context.rows), list(_with_differences(of_model))
    of_probabilities = _of_probabilities(context.rows, losses, of_model)
    level = LEVEL / max(1, len(columns) * (len(lost) + len(of_probabilities)))
    seen: dict[str, UndeclaredGroup] = {}
    groups_of: dict[str, Groups] = {}
    ranks: Floats | None = None
    for column in columns:
        periods_of = named_in_periods(column.name)
        if periods_of is None and _holds_classes(column, context.predictions.classes):
            continue
        if periods_of is not None and context.groups is not None:
            continue
        groups = Groups.of(column)
        crossing = None if context.groups is None else Crossing(context.groups, groups)
        if may_be_codes(column):
            ranks = _ranks_of_truths(context.rows) if ranks is None else ranks
            if crossing is not None or not is_rough(ranks, groups, LEVEL):
                continue
        alike = classes if periods_of != FILE_ORDER else _alike(context.rows, classes)
        looked_at = [*lost, *of_probabilities] if names_units(column.name) else lost
        of_losses = (_effect(v, groups, crossing, alike, level, fewest) for v in looked_at)
        if effects := [effect for effect in of_losses if effect is not None]:
            confidence = context.spec.confidence
            widest = max(effects, key=lambda effect: effect.inflation(confidence))
            groups_of[periods_of or column.name] = groups
            seen[column.name] = UndeclaredGroup(
                column=periods_of or column.name,
                sampled=periods_of is not None or may_be_sampled(column),
                dated=periods_of is not None or are_dates(column),
                periods=periods_of is not None,
                of_order=periods_of == FILE_ORDER,
                values=column.drop_nulls().n_unique(),
                design_effect=widest.design,
                times_as_wide=math.sqrt(widest.inflation(confidence)),
                limits=[],
                crosses=crossing is not None and crossing.cells is not None,
            )
    return _with_limits(context, losses, of_model, list(seen.values()), groups_of) if seen else []


def _with_limits(
    context: EvaluationContext,
    losses: Losses,
    of_model: Mapping[str, Floats],
    seen: Sequence[UndeclaredGroup],
    groups_of: Mapping[str, Groups],
) -> list[UndeclaredGroup]:
    """The columns, first that of the widest limits with its limits; none if these are not wider."""
    by_width = sorted(seen, key=lambda one: -one["times_as_wide"])
    by_kind = sorted(by_width, key=lambda one: (not one.get("sampled"), one.get("of_order")))
    first, *others = by_kind
    groups, other = groups_of[first["column"]], context.groups
    second = None if other is not None else _second(first, others, groups_of)
    if second is not None:
        first["crossed"], other = second, groups_of[second]
    cells = None if other is None else Crossing(other, groups).cells
    by = Groupings(groups, other, cells, are_declared=context.groups is not None)
    first["limits"] = widths(context, losses, of_model, by)
    of_limits = [limits["times_as_wide"] for limits in first["limits"]]
    own = [first["times_as_wide"]] if context.groups is None else []
    first["times_as_wide"] = max([*own, *of_limits], default=1.0)
    return [first, *others] if first["times_as_wide"] >= LEAST_EFFECT**0.5 else []


def _second(
    first: UndeclaredGroup, others: Sequence[UndeclaredGroup], groups_of: Mapping[str, Groups]
) -> str | None:
    """The next column that may be a sample and crosses the first, as items cross users."""
    if not first.get("sampled") or first.get("periods"):
        return None
    for one in others:
        if one.get("sampled") and not one.get("periods"):
            name = one["column"]
            if Crossing(groups_of[first["column"]], groups_of[name]).cells is not None:
                return name
    return None


def _effect(
    values: Floats,
    groups: Groups,
    crossing: Crossing | None,
    classes: Integers | None,
    level: float,
    fewest: int,
) -> Effect | None:
    """What the column does to rows, to declared groups within it or to cells that both make."""
    if crossing is None:
        return effect_beyond_chance(values, groups, classes, level, fewest)
    return effect_beside_groups(values, crossing, classes, level, fewest)


def _holds_classes(column: pl.Series, classes: Sequence[str]) -> bool:
    """Whether most values are names of classes, as those that another model predicts."""
    if column.dtype.is_temporal():
        return False
    names = column.drop_nulls().unique().cast(pl.String)
    return 2 * int(names.is_in(list(classes)).sum()) > len(names)


def _ranks_of_truths(rows: pl.DataFrame) -> Floats:
    """The ranks, which differ between codes of units, and not as by a feature; of labels all alike.

    The losses would not say so: those of a model that overfits a feature differ between its values.
    """
    if "truth" not in rows.columns:
        return np.zeros(rows.height)
    return ranked(rows["truth"].cast(pl.Float64).to_numpy())


ROWS_ALIKE, MOST_ALIKE = 15, 50
"""So many rows of like true numbers at least, and so many kinds of them at most."""


def _alike(rows: pl.DataFrame, classes: Integers | None) -> Integers | None:
    """The classes, or like true numbers: errors may be of their size, and rows in their order."""
    if classes is not None or "truth" not in rows.columns:
        return classes
    kinds = max(min(MOST_ALIKE, rows.height // ROWS_ALIKE), 1)
    ranks = rows["truth"].rank("average") - 1
    alike: Integers = (kinds * ranks / rows.height).cast(pl.Int64).to_numpy()
    return alike


def _classes(rows: pl.DataFrame) -> Integers | None:
    if "truth" not in rows.columns or rows["truth"].dtype.is_float():
        return None
    codes: Integers = rows["truth"].cast(pl.Int64).to_numpy()
    return codes


def names_units(name: str) -> bool:
    """Whether a name is of units, and not of what may be all the kinds that there are."""
    return named_as_units(name) and not name_words(name) <= KINDS


def _losses(context: EvaluationContext, losses: Losses) -> dict[str, Floats]:
    """The losses of each of the first models; NaN without output."""
    columns = {model.name: model for model in context.predictions.models}
    of_model: dict[str, Floats] = {}
    for name in losses.models[:MOST_MODELS]:
        whole = rows_with_output(context.rows, columns[name]).height == context.rows.height
        values = context.rows.select(loss=losses.of[name].cast(pl.Float64)).to_series()
        if whole or values.null_count():
            of_model[name] = values.fill_null(float("nan")).to_numpy()
    return of_model


def _of_probabilities(rows: pl.DataFrame, losses: Losses, models: Collection[str]) -> list[Floats]:
    """The squared errors of probabilities, which show dependence where few decisions are wrong.

    Of columns that are named as units: they differ between kinds of any feature too.
    """
    if rows.schema.get("truth") != pl.Boolean:
        return []
    columns = [losses.scores[model] for model in models if model in losses.probable]
    truth = pl.col("truth").cast(pl.Float64)
    squares = rows.select((pl.col(name) - truth).pow(2).alias(name) for name in columns)
    return [column.fill_null(float("nan")).to_numpy() for column in squares]


def _with_differences(of_model: Mapping[str, Floats]) -> Iterator[Floats]:
    """The losses of each model, and how they differ from those of the first."""
    every = list(of_model.values())
    yield from every
    yield from (values - every[0] for values in every[1:])


def undeclared_series(context: EvaluationContext) -> UndeclaredSeries | None:
    """The first such column: one row of each value at a time, as of stores or of horizons.

    None where groups are declared, or where each time point has one row.
    """
    columns, rows = context.predictions.undeclared, context.rows
    if columns is None or not columns.width:
        return None
    if "time" not in rows.columns or context.groups is not None:
        return None
    frame = context.predictions.frame
    if "role" in frame.columns:
        columns = columns.filter(frame["role"] == "test")
    points = rows["time"].n_unique()
    if columns.height != rows.height or 2 * points > rows.height:
        return None
    for column in columns:
        values = column.n_unique()
        pairs = pl.struct(rows["time"].alias("time"), column.alias("value"), eager=True)
        if 2 * values <= rows.height and pairs.n_unique() == rows.height:
            return {"column": column.name, "values": values}
    return None
