"""The class, or label, that a model is worst at, and those that it never predicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reportgen.comparing.unseen_costs import UnseenCost
from reportgen.comparisons.wording import MOST_NAMES, bounded, counted
from reportgen.comparisons.wording import measure as measure_in_words
from reportgen.concluding.few_units import FEW, TINY
from reportgen.concluding.model_values import on_all_rows
from reportgen.intervals import simultaneous_limit
from reportgen.predictions.abstentions import abstentions
from reportgen.records.decision import Caveat, LowestClass
from reportgen.records.model import Results
from reportgen.records.rows import class_sizes
from reportgen.text import numbers
from reportgen.text.words import listed

HAMMING = "hamming_loss"


def lowest_class(results: Results, model: str | None) -> LowestClass | None:
    """The class of the lowest recall, or the label of the lowest F1, of a model on all rows.

    None for other tasks, without a value, and where several classes have the lowest one. Classes
    of few rows, of which another caveat speaks, are passed over where others have more; not if all
    of ten rows or more are missed. The lowest of many lies low by chance: its limits hold for all
    that are compared (Bonferroni).
    """
    measure = results.task.class_measure
    if measure is None or model is None:
        return None
    rows = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "average").is_null()),
        pl.col("class").is_not_null() & pl.col("value").is_not_null(),
        metric=measure,
        model=model,
    ).sort("value")
    if rows.is_empty():
        return None
    sizes = class_sizes(results.data)
    large = [name for name, count in sizes.items() if count >= FEW]
    missed = [name for name, count in sizes.items() if count >= TINY]
    counts = pl.col("class").is_in(large)
    counts |= (pl.col("value") == 0) & pl.col("class").is_in(missed)
    rows = rows.filter(counts) if large else rows
    if rows.is_empty():
        return None
    lowest = rows.row(0, named=True)
    if (rows["value"] == lowest["value"]).sum() > 1:
        return None
    value, low, high = lowest["value"], lowest["low"], lowest["high"]
    if low is not None and high is not None:
        limits = (
            simultaneous_limit(value, limit, rows.height, results.confidence)
            for limit in (low, high)
        )
        low, high = (min(max(limit, 0.0), 1.0) for limit in limits)
    least = _least_rows(sizes, lowest["class"])
    return LowestClass(lowest["class"], model, measure, value, low, high, least)


def _least_rows(sizes: Mapping[str, int], lowest: str) -> int | None:
    """From how many rows on classes were compared for the lowest one; None where all of them."""
    if max(sizes.values()) < FEW:
        return None
    least = FEW if sizes[lowest] >= FEW else TINY
    return least if any(rows < least for rows in sizes.values()) else None


def lower_of_few(results: Results) -> Iterator[Caveat]:
    """The classes of few rows whose recall, or F1, is below the lowest of those with enough."""
    model, measure = results.decision.leader, results.task.class_measure
    if measure is None or (lowest := lowest_class(results, model)) is None:
        return
    sizes = class_sizes(results.data)
    rows = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "average").is_null()),
        pl.col("class").is_not_null() & (pl.col("value") < lowest.value),
        metric=measure,
        model=model,
    ).sort("value", "class")
    lower = [
        f"{bounded(name)} {numbers.estimate(value)} ({numbers.plural(sizes[name], 'row')})"
        for name, value in rows.select("class", "value").iter_rows()
        if sizes.get(name)
    ]
    if lower:
        text = (
            f"The {measure_in_words(measure)} of {bounded(lowest.model)} is lowest where rows are "
            f"few, so that values are rough: {listed(lower[:MOST_NAMES])}."
        )
        yield Caveat("lower_of_few", "moderate", text)


def never_predicted(results: Results) -> Iterator[Caveat]:
    """The classes, or labels, that have rows and that a model never predicts, and how many rows.

    Of a model that predicts one class alone, which one.
    """
    rows_of, alone = class_sizes(results.data), always_predicted(results)
    for model, class_ in alone.items():
        text = f"{bounded(model)} always predicts {bounded(class_)}."
        yield Caveat("never_predicted", "moderate", text)
    never = _never_predicted(results)
    models_of: dict[tuple[str, ...], list[str]] = {}
    names = [model["name"] for model in results.data["models"] if model["name"] not in alone]
    for class_, count in rows_of.items():
        models = tuple(name for name in names if (name, class_) in never)
        if count and models:
            models_of.setdefault(models, []).append(class_)
    for models, classes in models_of.items():
        verb = "predicts" if len(models) == 1 else "predict"
        which = [f"{bounded(c)} ({numbers.plural(rows_of[c], 'row')})" for c in classes]
        what = listed(which)
        if len(which) > MOST_NAMES:
            what = f"{len(which)} of {len(rows_of)} {results.task.nouns}"
        text = f"{counted([bounded(m) for m in models], 'models')} never {verb} {what}."
        yield Caveat("never_predicted", "moderate", text)
    yield from _below_no_labels(results)
    yield from _no_better_than_frequent(results)


def _no_better_than_frequent(results: Results) -> Iterator[Caveat]:
    """The models that lose as much as the more frequent value of every label, where that decides.

    The Hamming loss of that guess is the mean share of the rarer value of a label.
    """
    asked, rows = results.declared.comparisons.primary, results.data["rows_evaluated"]
    positives = [*class_sizes(results.data).values()]
    if asked != HAMMING or results.data.get("weights") or not positives or not rows:
        return
    guess = sum(min(count, rows - count) for count in positives) / (len(positives) * rows)
    values = on_all_rows(results.metrics, HAMMING)
    if not (no_better := [name for name, one in values.items() if one.value >= guess]):
        return
    who = counted([bounded(m) for m in no_better], "models")
    text = (
        f"Always predicting the more frequent value of each label has a Hamming loss of "
        f"{guess:.3f}: that of {who} is no lower."
    )
    yield Caveat("below_no_labels", "moderate", text)


def _below_no_labels(results: Results) -> Iterator[Caveat]:
    """The models whose labels are right, all at once, in no more rows than if they gave none."""
    share = results.data.get("share_without_labels")
    values = on_all_rows(results.metrics, "subset_accuracy")
    below = [name for name, one in values.items() if share is not None and one.value <= share]
    if not below or share is None:
        return
    who = counted([bounded(m) for m in below], "models")
    text = (
        f"Predicting no label is right in {numbers.percent(share)} of the rows: the subset "
        f"accuracy of {who} is no higher."
    )
    yield Caveat("below_no_labels", "moderate", text)


def _never_predicted(results: Results) -> set[tuple[str, str]]:
    """The models and the classes, or labels, that they never predict."""
    predicted = (
        results.metrics.filter(
            pl.all_horizontal(pl.col("slice", "average").is_null()),
            pl.col("class").is_not_null(),
            pl.col("metric").is_in(["tp", "fp"]),
            pl.col("value").is_not_null(),  # else withheld
        )
        .group_by("model", "class")
        .agg(pl.col("value").sum(), pl.len())
        .filter(value=0, len=2)
    )
    return set(predicted.select("model", "class").iter_rows())


def always_predicted(results: Results) -> dict[str, str]:
    """The models that predict the same one of several classes for every row, and which."""
    if not results.task.several_classes:
        return {}
    never, classes = _never_predicted(results), [*class_sizes(results.data)]
    of = {
        m["name"]: [c for c in classes if (m["name"], c) not in never]
        for m in results.data["models"]
    }
    return {name: given[0] for name, given in of.items() if len(given) == 1 and len(classes) > 1}


def abstained(results: Results) -> Iterator[Caveat]:
    """How often models abstain by a class that no row has, and how good their answers are."""
    none = [one["class"] for one in results.data.get("classes") or () if not one["rows"]]
    times: dict[str, int] = {}
    of_class = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "average").is_null()),
        pl.col("class").is_in(abstentions(none)),
        pl.col("value").is_not_null(),
        metric="fp",
    )
    for model, count in of_class.select("model", "value").iter_rows():
        times[model] = times.get(model, 0) + round(count)
    rows, accuracies = results.data["rows_evaluated"], on_all_rows(results.metrics, "accuracy")
    for model, count in times.items():
        if 0 < count < rows and model in accuracies and not results.data.get("weights"):
            correct = accuracies[model].value * rows / (rows - count)
            text = (
                f"{bounded(model)} abstained in {numbers.count(count)} of {numbers.count(rows)} "
                f"rows, which count as errors; of the others it predicted "
                f"{numbers.percent(correct)} correctly."
            )
            yield Caveat("abstained", "moderate", text)


def without_rows(results: Results) -> Iterator[Caveat]:
    """The classes, or labels, that no row has: recall is undefined there, F1 may be 0.

    That is 2TP / (2TP + FP + FN), which is undefined only without predicted rows too.
    """
    none = [one["class"] for one in results.data.get("classes") or () if not one["rows"]]
    if not none:
        return
    zero = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "average").is_null()),
        pl.col("class").is_in(none),
        metric="f1",
        value=0.0,
    )
    task = results.task
    who = [bounded(name) for name in none]
    one = len(none) == 1
    text = f"No row has the {task.noun if one else task.nouns} {listed(who)}: "
    if len(none) > MOST_NAMES:
        some = ", ".join(who[:MOST_NAMES])
        text = f"{len(none)} {task.nouns} have no rows ({some}, …): "
    text += f"{'its' if one else 'their'} recall and the macro recall are undefined"
    if task.several_classes:
        text += "; balanced accuracy is the mean over the other classes"
    if not zero.is_empty():
        it = "it" if one else "them"
        text += f". Where a model predicts {it}, the F1 is 0 and counts in macro F1; where it "
        text += "does not, the F1 and the macro F1 are undefined"
    if (unseen := UnseenCost.of(results.data, results.declared.costs)) is not None:
        text += f". {unseen.in_words}"
    yield Caveat("no_row_of_class", "moderate", f"{text}.", ("f1",))
