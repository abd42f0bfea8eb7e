"""What page one says of how rows came about: fitted on, repeated, left out, or in groups."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparing.leaked_rows import leakage, of_leakage
from reportgen.comparisons.wording import bounded, joined
from reportgen.predictions.identical import are_many
from reportgen.records.decision import Caveat
from reportgen.records.limit_widths import UndeclaredGroup
from reportgen.records.rows import DataRecord, PartLeftOut, evaluation_of, fitted_levels
from reportgen.tasks import TASKS
from reportgen.text import numbers
from reportgen.text.words import sentence

MANY_LEFT_OUT = 0.05
"""From this share of the rows on, or of a difference between models, what is left out matters."""


def fitted(data: DataRecord) -> str | None:
    """Which models were fitted on these rows by the look of their scores; null where none is."""
    names = [bounded(name) for name in fitted_levels(data["models"])]
    verb = "looks" if len(names) == 1 else "look"
    return f"{joined(names)} {verb} fitted on these rows" if names else None


def copies(data: DataRecord) -> str:
    """How many rows repeat another one."""
    rows = data["identical_rows"] or 0
    of_all = numbers.plural(data["rows_evaluated"], "test row")
    return f"{numbers.count(rows)} of {of_all} {'repeats' if rows == 1 else 'repeat'} another one"


def too_good(data: DataRecord) -> Iterator[Caveat]:
    """What makes numbers optimistic, or their limits too narrow."""
    evaluation = evaluation_of(data)
    if leak := leakage(evaluation):
        yield Caveat("leakage", "severe", sentence(f"{leak}: {of_leakage(evaluation)}"))
    if rows := data.get("identical_rows"):
        yield Caveat(
            "identical_rows",
            "severe" if are_many(rows, data["rows_evaluated"]) else "moderate",
            sentence(
                f"{copies(data)} in truth and in all outputs: limits and tests treat them as "
                "different examples"
            ),
        )
    for name, levels in fitted_levels(data["models"]).items():
        yield Caveat(
            "fitted_scores",
            "severe",
            f"{bounded(name)} looks fitted on these rows: at each of {levels} scores the share of "
            "positives equals the score, more exactly than chance allows. Its numbers are "
            "optimistic.",
        )


def only_counted(data: DataRecord) -> Iterator[Caveat]:
    """What takes the conclusion away elsewhere and cannot be seen where rows are counted."""
    if data.get("engine", {}).get("name", "exact") == "exact":
        return
    text = (
        "Rows are counted, not compared with each other. Repeated rows, undeclared columns on "
        "which errors depend, models that differ in few rows, and codes for missing values, such "
        "as −999, are therefore not detected; engine: exact detects them."
    )
    yield Caveat("rows_counted", "moderate", text)


def rows_left_out(data: DataRecord) -> Iterator[Caveat]:
    """Many rows, or other shares of one model than of another."""
    left = data.get("rows_left_out")
    if left is None:
        return
    if left["rows"] > MANY_LEFT_OUT * left["of"]:
        share = numbers.percent(left["rows"] / left["of"])
        text = f"{share} of the rows are left out, as their truth is none of the classes: "
        yield Caveat("rows_left_out", "moderate", f"{text}results hold for the other rows only.")
    models = sorted(left["models"], key=_share_left_out)
    if models and _share_left_out(models[-1]) - _share_left_out(models[0]) > MANY_LEFT_OUT:
        (least, low), (most, high) = (
            (bounded(one["part"]), numbers.percent(_share_left_out(one)))
            for one in (models[0], models[-1])
        )
        text = f"{high} of the rows of {most} are left out, and {low} of those of {least}."
        yield Caveat("rows_left_out_of_models", "moderate", text)


def _share_left_out(part: PartLeftOut) -> float:
    return part["rows"] / part["of"]


LARGE = 0.25
"""A group with so large a part of the rows is named, where groups of one size had a third of it."""


def of_groups(data: DataRecord) -> Iterator[Caveat]:
    """Copies within groups, rows of the same items in several groups, and matched groups."""
    groups = data.get("groups")
    if groups is None:
        return
    of_all = numbers.plural(data["rows_evaluated"], "test row")
    part, equal = groups["largest"] / max(data["rows_evaluated"], 1), 1 / max(groups["number"], 1)
    if part >= max(LARGE, 3 * equal):
        text = (
            f"One of the {numbers.count(groups['number'])} groups has {numbers.percent(part, 0)} "
            "of the rows: values depend on it, and limits by group are wide."
        )
        yield Caveat("large_group", "moderate", text)
    if identical := groups.get("identical"):
        repeat = "repeats" if identical == 1 else "repeat"
        text = (
            f"{numbers.count(identical)} of {of_all} {repeat} another one of the same group in "
            "truth and in all outputs: limits by group allow for copies, but each counts in the "
            "values."
        )
        yield Caveat("identical_in_groups", "moderate", text)
    if crossed := groups.get("crossed"):
        text = (
            f"{numbers.count(crossed)} of {of_all} are of items that recur in several groups: "
            "limits by group hold for other groups with these items, not for other items."
        )
        if not any(one["crosses"] for one in data.get("undeclared_groups", ())[:1]):
            yield Caveat("crossed", "moderate", text)
    elif matched := groups.get("matched"):
        positives, negatives = matched
        text = (
            f"Each of the {numbers.count(groups['number'])} groups has "
            f"{numbers.plural(positives, 'positive')} and {numbers.plural(negatives, 'negative')}. "
            "If they were matched, the study design sets the share of positives, not the "
            "population. Accuracy, precision, calibration and costs depend on that share. The AUC "
            "compares the rows of all groups, not those within one."
        )
        yield Caveat("matched", "moderate", text)


def _crossing(column: UndeclaredGroup, wider: str) -> str:
    name = bounded(column["column"])
    return (
        f"{name} crosses the declared groups, and rows with the same value of it have similar "
        f"errors ({numbers.count(column['values'])} values). Limits that allow for both would be "
        f"up to {wider} times as wide. Limits by group hold for other groups with "
        f"these values of {name}, not for other values.{_as_time(column)}"
    )


def _both(data: DataRecord, column: UndeclaredGroup, crossed: str, wider: str) -> str:
    number = {one["column"]: one["values"] for one in data["undeclared_groups"]}
    values = f"{numbers.count(column['values'])} and {numbers.count(number[crossed])}"
    name, role = bounded(column["column"]), "time" if column.get("dated") else "group"
    return (
        f"Neither {name} nor {bounded(crossed)} is declared, but rows with the same value of "
        f"either have similar errors ({values} values). With the values of both as groups, limits "
        f"would be up to {wider} times as wide. Declare {name} as columns.{role}."
    )


def _as_time(column: UndeclaredGroup) -> str:
    return " Declare it as columns.time." if column.get("dated") else ""


def undeclared(data: DataRecord) -> Iterator[Caveat]:
    """The column that is not declared, though errors depend on its values; the widest limits."""
    for one in data.get("undeclared_groups", ())[:1]:
        wider = numbers.rounded(one["times_as_wide"], 1)
        if one["crosses"]:
            yield Caveat("undeclared_groups", "moderate", _crossing(one, wider))
            continue
        alike = "rows with the same value of it have similar errors"
        if TASKS[data["task"]].of_values:
            alike = "models differ alike on data sets with the same value of it"
        name = bounded(one["column"])
        if one.get("of_order"):
            text = (
                "No column is declared as time, but rows that follow each other have similar "
                f"errors. With {numbers.count(one['values'])} blocks of consecutive rows as "
                f"groups, limits would be up to {wider} times as wide. If the rows are in order of "
                "time, declare a column of it as columns.time. If they are sorted by something "
                "else, add that column to the data."
            )
            yield Caveat("undeclared_groups", "moderate", text)
            continue
        if one.get("periods"):
            text = (
                f"{name} is not declared as time, but rows that follow each other in its order "
                f"have similar errors. With {numbers.count(one['values'])} periods of it as "
                f"groups, limits would be up to {wider} times as wide.{_as_time(one)}"
            )
            yield Caveat("undeclared_groups", "moderate", text)
            continue
        sliced = one["column"] in {of["name"] for of in data.get("slices") or ()}
        if crossed := one.get("crossed"):
            yield Caveat("undeclared_groups", "moderate", _both(data, one, crossed, wider))
            continue
        how = "declared as a slice alone" if sliced else "not declared"
        text = f"{name} is {how}, but {alike} ({numbers.count(one['values'])} values). "
        if one.get("sampled", True):
            within = ", as the declared groups lie within its values" if data.get("groups") else ""
            text += f"With its values as groups, limits would be up to {wider} times as wide."
            text += _as_time(one) or f" Declare it as columns.group{within}."
        else:
            text += (
                "If its values are a sample of units, as stores are, declare it as columns.group: "
                f"limits would be up to {wider} times as wide. If they are kinds of rows, declare "
                "it under slices."
            )
        yield Caveat("undeclared_groups", "moderate", text)
    if folds := data.get("undeclared_in_folds"):
        name, values = bounded(folds["column"]), numbers.count(folds["values"])
        text = (
            f"Rows with the same value of {name} are in several folds "
            f"({numbers.count(folds['across'])} of {values} values), so the models may recognise "
            f"the values that they are tested on. If they are meant for new values of {name}, "
            "split the rows by it and declare it as columns.group."
        )
        yield Caveat("undeclared_in_folds", "moderate", text)
    if series := data.get("undeclared_series"):
        text = (
            f"{bounded(series['column'])} is not declared, but distinguishes the rows at each time "
            f"point ({numbers.count(series['values'])} values): limits do not allow for effects of "
            "its values that persist over time. Declare it as columns.group, or under slices if "
            "it is a horizon."
        )
        yield Caveat("undeclared_series", "moderate", text)
