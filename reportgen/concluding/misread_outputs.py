"""Outputs that are not what a reader takes them for: decisions as scores, classes exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

import polars as pl

from reportgen.comparisons.wording import MOST_NAMES, bounded, counted, joined
from reportgen.concluding.model_values import on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers

OF_ONE_VALUE, OF_TWO_VALUES, OF_A_RANKING = 2, 3, 10
"""Points of the ROC curve of one and of two distinct scores; more are those of a ranking."""

MOST_OF_CLASS = 0.5
"""Two classes are exchanged where each has so large a share of its rows predicted as the other."""

LEAST_ROWS = 10
"""Of classes with fewer rows that may be chance."""


def misread_outputs(results: Results) -> Iterator[Caveat]:
    """What page one says of such outputs."""
    if results.task.two_classes:
        yield from _decisions_as_scores(results)
    elif results.task.several_classes:
        yield from _exchanged_classes(results)
    elif results.task.of_numbers:
        yield from _opposed_estimates(results)


MOST_OPPOSED = -0.3
"""Of a correlation above it a model may only be poor."""

FAR_WORSE = -0.3
"""Of an R² above it estimates may hardly vary: the mean of all other folds runs against each."""


def of_opposed_sign(results: Results) -> list[str]:
    """The models whose estimates fall as the truth rises, and are worse than a constant."""
    correlations, explained = (on_all_rows(results.metrics, n) for n in ("pearson_r", "r2"))
    return [
        name
        for name, one in correlations.items()
        if one.high is not None and one.high < MOST_OPPOSED
        if name in explained and explained[name].value < FAR_WORSE
    ]


def _opposed_estimates(results: Results) -> Iterator[Caveat]:
    names = of_opposed_sign(results)
    if not names:
        return
    correlations = on_all_rows(results.metrics, "pearson_r")
    text = f"The estimates of {counted([bounded(name) for name in names], 'models')} fall as the "
    if len(names) == 1:
        text += f"truth rises (correlation {numbers.estimate(correlations[names[0]].value)}): "
    else:
        text += "truth rises: "
    yield Caveat("opposed_estimates", "moderate", f"{text}check their sign.")


def _decisions_as_scores(results: Results) -> Iterator[Caveat]:
    """The models whose scores have two values beside others that rank the rows.

    Points of counted scores are cells, and no values; those of many scores are thinned, so that the
    AUC is that of its one point, too: the balanced accuracy there.
    """
    if "roc" not in results.curves or results.data["engine"]["name"] != "exact":
        return
    whole = results.curves["roc"].filter(pl.col("slice").is_null())
    points = dict(whole.group_by("model", maintain_order=True).len().iter_rows())
    areas, at = (on_all_rows(results.metrics, name) for name in ("auc", "balanced_accuracy"))
    single = [
        name
        for name, count in points.items()
        if OF_ONE_VALUE < count <= OF_TWO_VALUES and name in areas and name in at
        if isclose(areas[name].value, at[name].value, rel_tol=1e-9)
    ]
    if not single or max(points.values()) <= OF_A_RANKING:
        return
    has, area = "has", "its AUC is"
    if len(single) > 1:
        has, area = "have", "their AUCs are each"
    scored = counted([bounded(name) for name in single], "models")
    text = f"{scored} {has} no more than two distinct scores: {area} that of one operating point, "
    yield Caveat("two_scores", "moderate", f"{text}not of a ranking.")


@dataclass(frozen=True, slots=True)
class Relabelled:
    """The classes that a model exchanges, cycle by cycle, and its accuracy once they are right."""

    cycles: Sequence[Sequence[str]]
    accuracy: float


def relabelled(results: Results) -> dict[str, Relabelled]:
    """The models that predict one class for most rows of another, and that one for the first."""
    if not results.task.several_classes or "confusion" not in results.curves:
        return {}
    table, whole = (
        results.curves["confusion"],
        pl.all_horizontal(pl.col("slice", "class").is_null()),
    )
    most = table.filter(whole, pl.col("share") > MOST_OF_CLASS)  # few of very many cells
    classes = results.data.get("classes") or ()
    large = {str(one["class"]) for one in classes if (one["rows"] or 0) >= LEAST_ROWS}
    misread: dict[str, Relabelled] = {}
    for (name,), steps in most.group_by("model", maintain_order=True):
        step = dict(steps.select("truth", "predicted").iter_rows())
        cycles = _cycles({a: b for a, b in step.items() if a != b and a in large})
        if not cycles:
            continue
        rows = table.filter(whole, model=name)
        moved = {one: step[one] for cycle in cycles for one in cycle}
        put_right = pl.col("predicted") == pl.col("truth").replace(moved)
        correct = float(rows.filter(put_right)["count"].sum())
        misread[str(name)] = Relabelled(cycles, correct / float(rows["count"].sum()))
    return misread


def _exchanged_classes(results: Results) -> Iterator[Caveat]:
    """Which classes models exchange."""
    pairs = [(n, cycle) for n, one in relabelled(results).items() for cycle in one.cycles]
    for name, cycle in pairs[:MOST_NAMES]:
        who, classes = bounded(name), [bounded(one) for one in cycle]
        text = (
            f"{who} predicts another of these classes for most rows of {joined(classes)}: check "
            "that it does not swap them."
        )
        if len(cycle) == 2:
            a, b = classes
            text = (
                f"{who} predicts {b} for most rows of {a}, and {a} for most rows of {b}: check "
                "that it does not swap them."
            )
        yield Caveat("exchanged_classes", "moderate", text)


def _cycles(step: Mapping[str, str]) -> list[list[str]]:
    """The classes that lead back to themselves, step by step, each cycle once.

    >>> _cycles({"a": "b", "b": "c", "c": "a", "d": "a", "e": "f", "f": "e"})
    [['a', 'b', 'c'], ['e', 'f']]
    """
    cycles: list[list[str]] = []
    seen: set[str] = set()
    for start in step:
        path = [start]
        while (following := step.get(path[-1])) is not None and following not in path:
            path.append(following)
        if following == start and start not in seen:
            cycles.append(path)
            seen.update(path)
    return cycles
