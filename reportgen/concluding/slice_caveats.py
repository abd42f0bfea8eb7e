"""What page one says of slices: truths far from what a model predicts, outcomes, values at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from reportgen.comparing.undeclared_limits import as_group, is_undone_by
from reportgen.comparisons import TESTS
from reportgen.comparisons.wording import bounded, counted
from reportgen.concluding.contest import Contest
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.headline_numbers import with_limits
from reportgen.concluding.model_values import RELEVANT_RATIO, on_all_rows
from reportgen.concluding.probability_caveats import off_on_average
from reportgen.records.decision import Caveat
from reportgen.records.limit_widths import UndeclaredGroup
from reportgen.records.model import Results
from reportgen.records.slice_tests import SliceLevel, SliceLevels
from reportgen.text import numbers
from reportgen.text.words import listed

LEAST_SHIFT = 0.25
"""Mean errors of so many standard deviations of the errors matter."""

MOST_SENTENCES = 4
"""More slices and models than this are counted."""


UNLESS = ", unless the slice follows from the outcome"
"""What is to be asked of a slice of one class."""


@dataclass(frozen=True, slots=True)
class OffInSlice:
    """A slice that differs significantly and by much from the prediction of a model."""

    level: SliceLevel
    size: float

    def in_words(self, level: str) -> str:
        """How far observed and predicted values are apart, with limits of this level."""
        one, model = self.level, bounded(self.level["model"])
        limits = f"simultaneous {level} CI "
        value = with_limits(one["value"], one["low"], one["high"], limits)
        observed, expected = one["observed"], one["expected"]
        if observed is None or expected is None:
            verb = "underestimates" if one["value"] > 0 else "overestimates"
            return f"{model} {verb} in {one['slice']}: mean error {value}."
        verb = "under-predicts" if one["value"] > 1 else "over-predicts"
        positives, due = (numbers.count(round(number)) for number in (observed, expected))
        if observed == one["rows"]:
            counts = f"all {positives} rows are positive, {due} expected"
            return f"{model} {verb} in {one['slice']}: {counts}{UNLESS}."
        return (
            f"{model} {verb} in {one['slice']}: {positives} positives, {due} expected; "
            f"observed/expected {value}{UNLESS if observed == 0 else ''}."
        )


def off_in_slices(results: Results) -> list[OffInSlice]:
    """Such slices and models, the farthest off first.

    Where a model is off on all rows too, of which page one speaks by itself, they also differ by
    as much, and significantly, from its value there.
    """
    levels = results.data.get("slice_levels")
    if levels is None:
        return []
    whole, off_everywhere = on_all_rows(results.metrics, levels["metric"]), _off_everywhere(results)
    off = []
    for one in _comparable(results, levels):
        references = [_null(one)]
        if one["model"] in whole and one["model"] in off_everywhere:
            references.append(whole[one["model"]].value)
        sizes = [_size(one, value) for value in references]
        if one["p_adjusted"] < results.alpha and min(sizes) >= 1:
            off.append(OffInSlice(one, sizes[0]))
    return sorted(off, key=lambda slice_: -slice_.size)


def _comparable(results: Results, levels: SliceLevels) -> list[SliceLevel]:
    """The slices that are not, and do not follow from, the outcome."""
    outcome = {label for labels in slices_of_outcome(results).values() for label in labels}
    return [one for one in levels["slices"] if one["slice"] not in outcome]


def _off_everywhere(results: Results) -> set[str]:
    """The models that limits on all rows show to be off."""
    errors = on_all_rows(results.metrics, "mean_error")
    sides = {m: (one.low or 0.0, one.high or 0.0) for m, one in errors.items()}
    of_errors = {model for model, (low, high) in sides.items() if low * high > 0}
    return of_errors | {one.model for one in off_on_average(results)}


def _size(one: SliceLevel, reference: float) -> float:
    """How far off a value is, in the least that matters; 0 where its limits hold the reference."""
    low, high = one["low"], one["high"]
    if (low is None or low <= reference) and (high is None or reference <= high):
        return 0.0
    if one["spread"] is not None:
        return abs(one["value"] - reference) / (LEAST_SHIFT * one["spread"])
    value = max(one["value"], 1e-9)
    return max(value / reference, reference / value) / RELEVANT_RATIO


def of_slices(results: Results, leader: str) -> Iterator[Caveat]:
    """What page one says: the slice in which the leader, else any model, is farthest off."""
    yield from of_outcome(results)
    off = off_in_slices(results)
    if not off:
        return
    worst = next((one for one in off if one.level["model"] == leader), off[0])
    yield Caveat("off_in_slice", "moderate", worst.in_words(numbers.level(1 - results.alpha)))


TESTED = {
    "observed_expected": (
        "observed positives differ significantly, and by at least a quarter, from those expected",
        "do observed positives differ significantly, and by at least a quarter, from those "
        "expected",
    ),
    "mean_error": (
        "the mean error is significant and at least a quarter of the standard deviation",
        "is the mean error significant and at least a quarter of the standard deviation",
    ),
}
"""What is said of slices by the measure that is tested: of some, and of none."""


def sentences(results: Results) -> Iterator[str]:
    """One for each, the farthest off first; many are counted. How slices are tested."""
    levels = results.data.get("slice_levels")
    if levels is None:
        return
    if levels["untested"]:
        yield f"Truth and prediction are not compared by slice: {levels['untested']}."
    yield from (caveat.text for caveat in of_outcome(results))
    if _comparable(results, levels):
        yield from _of_tested(results, levels)
    if count := levels["without_test"]:
        which = numbers.plural(count, "slice of a model", "slices of models")
        yield f"Not tested: {which} with too few groups, or in which nothing varies."


def _of_tested(results: Results, levels: SliceLevels) -> Iterator[str]:
    off = off_in_slices(results)
    yield from (one.in_words(numbers.level(1 - results.alpha)) for one in off[:MOST_SENTENCES])
    some, none = TESTED[levels["metric"]]
    test = TESTS[levels["comparison"]].label.removeprefix("The ")
    how = f"({test}, Holm over {numbers.count(len(levels['slices']))} tests)"
    if len(off) > MOST_SENTENCES:
        yield f"In {len(off)} cases {some} {how}. The {MOST_SENTENCES} largest are shown."
    else:
        others = off or slices_of_outcome(results)
        which = f"{'other ' if others else ''}slice"
        if _as_a_whole(results):
            yield f"No {which} is clearly worse calibrated than the whole {how}."
        else:
            yield f"In no {which} {none} {how}."
    for model, slices, value in _as_a_whole(results):
        of_all = numbers.estimate(value)
        what = "observed/expected" if levels["metric"] == "observed_expected" else "mean error"
        yield (
            f"{bounded(model)} is off on all rows ({what} {of_all}), and significantly so in "
            f"{numbers.plural(slices, 'slice')}."
        )


def _as_a_whole(results: Results) -> list[tuple[str, int, float]]:
    """The models that are off in slices, but on all rows too: slices, and the value of all."""
    levels = results.data.get("slice_levels")
    if levels is None:
        return []
    whole = on_all_rows(results.metrics, levels["metric"])
    named = {(one.level["model"], one.level["slice"]) for one in off_in_slices(results)}
    count: dict[str, int] = {}
    for one in _comparable(results, levels):
        off = one["p_adjusted"] < results.alpha and _size(one, _null(one)) >= 1
        if off and one["model"] in whole and (one["model"], one["slice"]) not in named:
            count[one["model"]] = count.get(one["model"], 0) + 1
    return [(model, slices, whole[model].value) for model, slices in count.items()]


def _null(one: SliceLevel) -> float:
    return 1.0 if one["spread"] is None else 0.0


FAR_BELOW = 0.05
"""AUCs of slices that are so much below that of all rows matter."""


def between_slices(results: Results) -> Iterator[Caveat]:
    """The models whose AUC is lower in every slice than over all rows, as slices differ in truth.

    By limits that hold for all slices of a slicing at once (Bonferroni), which all lie
    ``FAR_BELOW`` or more below it: part of the AUC then tells slices apart.
    """
    whole = on_all_rows(results.metrics, "auc")
    large = results.slices.filter(~pl.col("small"))
    slicings: dict[tuple[str, ...], list[str]] = {}
    for slicing, label in large.select("slicing", "slice").iter_rows():
        slicings.setdefault(tuple(slicing), []).append(label)
    areas = results.metrics.filter(
        pl.all_horizontal(pl.col("class", "average").is_null()), metric="auc"
    ).drop_nulls(("slice", "value", "high"))
    for model, of_all in list(whole.items())[:MOST_SENTENCES]:
        for slicing, labels in slicings.items():
            own = areas.filter(pl.col("slice").is_in(labels), model=model)
            ends = [
                decided_limit(results, value, high, len(labels))
                for value, high in own.select("value", "high").iter_rows()
            ]
            if len(labels) < 2 or len(ends) < len(labels):
                continue
            if max(ends) < of_all.value - FAR_BELOW:
                values = own["value"].to_list()
                least, most = min(values), max(values)
                text = (
                    f"Part of the AUC of {bounded(model)} comes from distinguishing the slices of "
                    f"{listed(slicing)}, not from ranking rows within a slice: "
                    f"{numbers.number(of_all.value)} over "
                    f"all rows, {numbers.number(least)} to {numbers.number(most)} within slices."
                )
                yield Caveat("between_slices", "moderate", text)
                break


BY_CHANCE = 0.001
"""Slices that have nothing to do with the truth are all of one class no more often than this."""


def slices_of_outcome(results: Results) -> dict[tuple[str, ...], list[str]]:
    """The slices of each slicing whose slices are each of one class, more than chance makes so."""
    prevalence = results.data.get("prevalence")
    if not prevalence or not results.task.two_classes:
        return {}
    slicings: dict[tuple[str, ...], list[tuple[str, float, float | None]]] = {}
    columns = results.slices.select("slicing", "slice", "rows", "positives")
    for slicing, label, rows, positives in columns.iter_rows():
        slicings.setdefault(tuple(slicing), []).append((label, rows, positives))
    return {
        slicing: [label for label, _, _ in slices]
        for slicing, slices in slicings.items()
        if len(slices) > 1
        and all(positives in (0, rows) for _, rows, positives in slices)
        and _chance([rows for _, rows, _ in slices], prevalence) < BY_CHANCE
    }


def _chance(sizes: list[float], prevalence: float) -> float:
    """How probably slices of these sizes are each of one class, whatever the slice."""
    product = 1.0
    for rows in sizes:
        product *= prevalence**rows + (1 - prevalence) ** rows
    return product


def of_outcome(results: Results) -> Iterator[Caveat]:
    """What page one says of such slices instead of how well they are calibrated."""
    slicings = slices_of_outcome(results)
    if slicings:
        text = (
            f"Each slice of {counted([' × '.join(s) for s in slicings], 'slicings')} is of one "
            "class: such slices are, or follow from, the outcome, and say nothing about "
            "calibration."
        )
        yield Caveat("outcome_slices", "moderate", text)


def of_these_values(results: Results, contest: Contest, *, withheld: bool) -> Iterator[Caveat]:
    """What page one says of slices that errors depend on, or that whole groups lie in.

    Other values are not seen. How many there are it does not say where some are ``withheld``.
    """
    column = ""
    for one in results.data.get("grouping_slices", ())[:1]:
        column = one["column"]
        yield Caveat("grouping_slice", "moderate", _resembling(one, contest))
    groups = results.data.get("groups")
    counts = {one["name"]: len(one["values"]) for one in results.data.get("slices") or ()}
    for name in () if groups is None else groups.get("nested_in", ()):
        if name == column:
            continue
        number = "" if withheld else f"{counts[name]} "
        of = bounded(name)
        text = (
            f"Each group has one value of {of}. Tests and limits generalise to further groups, not "
            f"to further values of {of}: the conclusion holds for these {number}values alone."
        )
        yield Caveat("nested_groups", "moderate", text)


def _resembling(one: UndeclaredGroup, contest: Contest) -> str:
    name, wider = bounded(one["column"]), numbers.rounded(one["times_as_wide"], 1)
    text = (
        f"Rows with the same value of the slice {name} have similar errors, so limits hold for "
        f"these {numbers.count(one['values'])} values alone. To hold for other values too, "
        f"they would have to be up to {wider} times as wide."
    )
    tests = (row for pair, row in contest.tests.items() if contest.leader in pair)
    if any(is_undone_by(row, [one]) for row in tests):
        text += f" With {as_group(one)} the deciding test would not reject."
    return text
