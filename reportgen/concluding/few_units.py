"""What page one says of few rows, groups or data sets, in all or of a class."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.comparisons.records import lower_is_better
from reportgen.comparisons.wording import bounded, counted, measure
from reportgen.metrics.class_means import AVERAGED, BY_CLASS
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, evaluation_of, rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tasks import TASKS
from reportgen.text import numbers
from reportgen.text.words import singular

FEW = 30
"""With fewer independent units, or rows of a class, limits from large samples are rough."""

TINY = 10
"""A class with fewer rows decides as much of a macro average as one with many."""

OF_MACRO = ("balanced_accuracy", *(f"macro_{name}" for name in (*AVERAGED, *BY_CLASS)))
"""Averages in which every class counts alike, as gates name them."""


def _few_groups_of_class(data: DataRecord) -> Iterator[Caveat]:
    """That the rows of one class are in few of the groups, on which its limits then rest."""
    groups = data.get("groups")
    if groups is None:
        return
    positive, negative = groups.get("with_positives", FEW), groups.get("with_negatives", FEW)
    if not 0 < min(positive, negative) < min(FEW, groups["number"]):
        return
    if positive < negative:
        rows = numbers.plural(data["positives"], "positive")
    else:
        rows = numbers.plural(data["negatives"], "negative")
    both = positive + negative - groups["number"]
    few = f"{numbers.count(min(positive, negative))} of {numbers.plural(groups['number'], 'group')}"
    which = numbers.plural(both, "group") if both else "no group"
    have = "has" if both < 2 else "have"
    text = f"The {rows} are in {few}; {which} {have} both classes."
    yield Caveat("few_groups_of_class", "moderate", text)


def sets_without_value(results: Results, name: str) -> Iterator[Caveat]:
    """The data sets in which a measure is undefined for every model, as the AUC is of one class."""
    if evaluation_of(results.data).scheme != "data_sets":
        return
    known = pl.col("value").is_not_null().any()
    sets = results.folds.filter(metric=name, role="test").group_by("dataset", maintain_order=True)
    table = sets.agg(known=known)
    lacking = [bounded(one) for one in table.filter(~pl.col("known"))["dataset"]]
    if lacking and len(lacking) < table.height:
        one = len(lacking) == 1
        which = f"Data set {lacking[0]} has" if one else f"{counted(lacking, 'data sets')} have"
        consequence = (
            "is left out of its means and tests" if one else "are left out of its means and tests"
        )
        text = f"{which} no {measure(name)} and {consequence} over data sets."
        yield Caveat("sets_without_value", "moderate", text)


def claims_of_few_sets(results: Results) -> Iterator[Caveat]:
    """That the mean of a claim rests on data sets that may lack the rare one of another kind.

    Of one in ten so many have none with a probability of 0.05 and more. A claim that is refuted as
    the mean is worse would be so with them too.
    """
    tested = results.comparisons.filter(
        pl.col("models").list.len() == 1, pl.col("reject").is_not_null(), unit="data sets"
    )
    rests = [
        row
        for row in rows_of(tested, ComparisonRow)
        if not (row.reject and _is_worse(row, results.data.get("better")))
    ]
    count = evaluation_of(results.data).datasets or results.data.get("datasets") or 0
    if rests and count < FEW:
        text = (
            f"Claims about means rest on {numbers.plural(count, 'data set')}, which may lack the "
            "rare ones in which a model fails."
        )
        yield Caveat("claims_of_few_sets", "moderate", text)


def _is_worse(row: ComparisonRow, better: str | None) -> bool:
    """Whether a model is worse than what is claimed of it."""
    lower = lower_is_better(row.metric) if better is None else better == "lower"
    return ((row.estimate or 0.0) > (row.against or 0.0)) == lower


def few_units(data: DataRecord) -> Iterator[Caveat]:
    """Few independent units, groups or rows of a class, whose limits are rough."""
    evaluation = evaluation_of(data)
    unit, count = evaluation.independent_unit, evaluation.independent_units
    if TASKS[data["task"]].of_values:
        sets, lacking = data["datasets"], len(data["left_out"])
        if lacking and data["unit"] != "fold":
            lacks, are = ("set that lacks", "is") if lacking == 1 else ("sets that lack", "are")
            text = f"{lacking} data {lacks} a value for a model {are} left out of the mean ranks."
            yield Caveat("left_out", "moderate", text)
        if data["unit"] == "fold" or sets >= 10:
            return
        text = f"Only {sets} {data['unit']}s: differences that matter may go undetected."
        yield Caveat("few_units", "moderate", text)
        return
    if unit is not None and count is not None and count < FEW:
        noun = singular(unit) if count == 1 else unit
        yield Caveat("few_units", "moderate", f"Only {count} independent {noun}: limits are rough.")
        yield from _few_groups_of_class(data)
        return
    yield from _few_groups_of_class(data)
    yield from _few_of_classes(data)
    rarer = min(data.get("positives", FEW), data.get("negatives", FEW))
    if 0 < rarer < FEW:
        text = f"The rarer class has {numbers.plural(rarer, 'row')}: limits are rough."
        yield Caveat("few_units", "moderate", text)


def _few_of_classes(data: DataRecord) -> Iterator[Caveat]:
    """Classes or labels with few rows, the fewest first, and what of macro averages is theirs.

    Macro averages may be undefined where a class has no rows, of which another caveat speaks.
    """
    classes = data.get("classes") or ()
    few = sorted((c["rows"], c["class"]) for c in classes if c["rows"] < FEW)
    few, without_rows = [one for one in few if one[0]], any(not one[0] for one in few)
    if not few:
        return
    least, name = few[0]
    task = TASKS[data["task"]]
    whose, text = "its", f"Only {numbers.plural(least, 'row')} of {task.noun} {bounded(name)}"
    if len(few) > 1:
        fewest = numbers.count(least)
        whose = "their"
        text = f"{len(few)} {task.nouns} have fewer than {FEW} rows (the fewest: {fewest})"
        if without_rows:
            text = f"{len(few)} {task.nouns} have {fewest} to {FEW - 1} rows"
    text = f"{text}: limits of {whose} measures are rough"
    tiny = 0 if without_rows else sum(rows < TINY for rows, _ in few)
    if not tiny:
        yield Caveat("few_of_class", "moderate", f"{text}.")
        return
    if len(few) == 1:
        text += f", and 1/{len(classes)} of every macro average rests on them."
    else:
        has, makes = ("has", "makes") if tiny == 1 else ("have", "make")
        text += f"; {tiny} {has} fewer than {TINY} and {makes} up {tiny}/{len(classes)} of every "
        text += "macro average."
    yield Caveat("few_of_class", "moderate", text, OF_MACRO)
