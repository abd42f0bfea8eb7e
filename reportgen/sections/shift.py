"""How classes, scores and slices shifted since an earlier period, and what that explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.records.shift import (
    ALL_ROWS,
    CLASSES,
    ChangeParts,
    Shift,
    ShiftedQuantity,
)
from reportgen.sections import lookup
from reportgen.sections.registry import section
from reportgen.sections.tables import Cell, Column, Footnotes, Note, Row, Table, valued
from reportgen.text import decimals, numbers
from reportgen.text.words import capitalised, dated

MOST_QUANTITIES, MOST_FINDINGS, MODELS = 14, 5, 2
"""Quantities, sentences on them, and models whose change is split, that are printed."""

DEFINITIONS = (
    "Before and now: means; for classes and slices, the share that changed most. Standardised "
    "difference: difference over the standard deviation (Austin 2009, doi:10.1002/sim.3697). PSI: "
    "population stability index over tenths of the earlier scores, or over classes and slices "
    "(Jeffreys 1946, doi:10.1098/rspa.1946.0056). In samples it is too high on average, so its "
    "upper limit, from a noncentral χ² distribution scaled as the permutations vary, may lie below "
    "it. KS: largest distance of the two distribution functions (Smirnov 1948, "
    "doi:10.1214/aoms/1177730256)."
)
TEST = (
    "p: test of equal distributions that permutes the periods of {}, by the largest studentised "
    "difference of shares (Chung & Romano 2013, doi:10.1214/13-AOS1090), Holm-adjusted over all "
    "quantities."
)
RULE = (
    "Mix: part of the change due to other shares of the classes or slices. Within: part due to "
    "other values in them. The two add up to the change (Kitagawa 1955, "
    "doi:10.1080/01621459.1955.10501299)."
)
OF_AREAS = "An AUC is split over pairs of slices; the mix of the classes does not change it."


@section(33)
@dataclass(frozen=True)
class ShiftSection:
    """Two periods, what differs between them, and the parts of a change."""

    id: ClassVar[str] = "shift"
    title: ClassVar[str] = "Shift"

    introduction: str
    findings: tuple[str, ...]
    quantities: Table
    changes: Table | None

    @classmethod
    def from_results(
        cls,
        results: Results,
        figures: Sequence[Figure],  # noqa: ARG003
    ) -> ShiftSection | None:
        """Fill the section; None without a second period."""
        shift = results.shift
        if shift is None:
            return None
        shown = _in_order(results, shift.changes)
        return cls(
            introduction(shift),
            (
                *results.reading.sentences.shift,
                *findings(results, shift),
                *_sentences(results, shown),
                *_levels(results, shown),
            ),
            quantities(results, shift),
            changes(results, shown),
        )


def introduction(shift: Shift) -> str:
    """Which rows are compared with which."""
    before, now = (numbers.plural(n, "row") for n in (shift.rows_before, shift.rows_now))
    later, earlier = (
        f", from {lookup.clean(dated(s))}" if s else "" for s in (shift.now, shift.before)
    )
    now += f"{later}," if later else ""
    if shift.basis == "time":
        return (
            f"The later half of the time points, {now} is compared with the earlier half, "
            f"{before}{earlier}."
        )
    reference = f"the reference{earlier}"
    text = f"{now} are compared with {before} of {reference}."
    return f"{text} The periods overlap." if shift.overlap else text


def findings(results: Results, shift: Shift) -> Iterator[str]:
    """What the test shows to have shifted; that it shows nothing, or that nothing is tested."""
    rejected = [one for one in shift.tested if one.reject]
    if not shift.tested:
        reasons = dict.fromkeys(one.untested for one in shift.quantities if one.untested)
        yield f"No shift is tested: {'; '.join(reasons)}."
        return
    if not rejected:
        smallest = min(one.p_adjusted for one in shift.tested if one.p_adjusted is not None)
        p = numbers.p_value(smallest, shift.alpha)
        what = "shift of a distribution" if results.reading.sentences.shift else "shift"
        yield f"No significant {what} (smallest adjusted {p}).{_left_open(results, shift)}"
    for one in rejected[:MOST_FINDINGS]:
        yield _finding(results, one, shift.alpha)
    if (left := len(rejected) - MOST_FINDINGS) and left > 0:
        yield f"{numbers.plural(left, 'more quantity', 'more quantities')} shifted."


def _left_open(results: Results, shift: Shift) -> str:
    """The largest shift that these rows do not rule out."""
    limits = [(one.stability_index_high, one) for one in shift.tested]
    high, one = max(limits, key=lambda pair: pair[0] or 0.0)
    if high is None:
        return ""
    level = numbers.level(1 - shift.alpha)
    size = numbers.count(shift.rows_before), numbers.plural(shift.rows_now, "row")
    return (
        f" With {size[0]} and {size[1]} a PSI of up to {numbers.fixed(high, 3)} is still possible "
        f"({_quantity(results, one)}; upper {level} limit)."
    )


def _finding(results: Results, one: ShiftedQuantity, alpha: float) -> str:
    p = numbers.p_value(one.p_adjusted, alpha)
    before, now = _values(one)
    means = f"its mean was {before} before and is {now} now"
    if one.kind == "slices":
        return (
            f"The shares of the slices of {lookup.clean(one.name, 60)} shifted ({p}), most that "
            f"of {_category(one)}: {before} before, {now} now."
        )
    if one.kind == "score":
        model = lookup.printed(results)[one.model or ""]
        noun = "estimates" if results.task.of_numbers else "scores"
        return f"The distribution of the {noun} of {model} shifted ({p}): {means}."
    if one.category is None:
        return f"The distribution of the truth shifted ({p}): {means}."
    if results.task.several_classes:
        return (
            f"The shares of the classes shifted ({p}), most that of {_category(one)}: {before} "
            f"before, {now} now."
        )
    return f"The share of {_category(one)} shifted: {before} before, {now} now ({p})."


def _category(one: ShiftedQuantity) -> str:
    return lookup.clean(one.category, 60)


def _values(one: ShiftedQuantity) -> tuple[str, str]:
    write = numbers.percent if one.category is not None else numbers.estimate
    return write(one.before), write(one.now)


def quantities(results: Results, shift: Shift) -> Table:
    """A row per distribution: what it was and is, how far apart, and the test."""
    footnotes = Footnotes()
    heads = (
        Column("quantity", "Quantity"),
        Column("before", "Before"),
        Column("now", "Now"),
        Column("difference", "Standardised difference"),
        Column("psi", "PSI"),
        Column("limit", f"PSI of the populations, upper {numbers.level(1 - shift.alpha)} limit"),
        Column("ks", "KS"),
        Column("p", "Adjusted p"),
    )
    shown = _in_print(results, shift)
    rows = tuple(_row(results, one, shift.alpha, footnotes) for one in shown)
    notes: list[Note | str] = [*footnotes.all(), DEFINITIONS]
    if any(one.p_value is not None for one in shown):
        notes.append(TEST.format(shift.units))
    if left := len(shift.quantities) - len(shown):
        notes.append(f"{numbers.count(left)} more in results.json.")
    return Table("shift", "Distributions in both periods", heads, rows, tuple(notes))


def _in_print(results: Results, shift: Shift) -> list[ShiftedQuantity]:
    """The quantities of the models that the sections show, those that shifted first if many."""
    models = results.models
    shown = [one for one in shift.quantities if one.model is None or one.model in models]
    if len(shown) <= MOST_QUANTITIES:
        return shown
    first = sorted(shown, key=lambda one: 1.0 if one.p_adjusted is None else one.p_adjusted)
    return [one for one in shown if one in first[:MOST_QUANTITIES]]


def _row(results: Results, one: ShiftedQuantity, alpha: float, footnotes: Footnotes) -> Row:
    before, now = _values(one)
    p = Cell(numbers.p_number(one.p_adjusted, alpha), state=None)
    if one.untested is not None:
        reason = lookup.sentence(f"not tested: {one.untested}")
        p = Cell("–", note=footnotes.mark(reason), kind="muted")
    cells: dict[str, Cell | str] = {
        "quantity": _quantity(results, one),
        "before": before,
        "now": now,
        "difference": _number(one.standardised_difference, signed=True),
        "psi": _number(one.stability_index),
        "limit": "–" if one.untested is not None else _number(one.stability_index_high),
        "ks": "–" if one.category is not None else _number(one.kolmogorov_smirnov),
        "p": p,
    }
    return Row(cells)


def _quantity(results: Results, one: ShiftedQuantity) -> str:
    if one.kind == "slices":
        return f"Slices: {_category(one)}"
    if one.kind == "score":
        noun = "Estimates" if results.task.of_numbers else "Scores"
        return f"{noun}: {lookup.printed(results)[one.model or '']}"
    if one.category is None:
        return "Truth"
    return f"{'Label' if results.task.several_labels else 'Class'}: {_category(one)}"


def _number(value: float | None, *, signed: bool = False) -> Cell | str:
    if value is None:
        return Cell("n/a", kind="muted")
    return numbers.signed(value, 3) if signed else numbers.fixed(value, 3)


def _in_order(results: Results, every: Sequence[ChangeParts]) -> list[ChangeParts]:
    """The splits that are printed: of the leader and the baseline, of an AUC those over slices.

    Without a baseline that of the next best model stands for it. A model that changed more, by
    limits without 0, comes first.
    """
    decision = results.decision
    ranked = [model.model for model in decision.models]
    named = [decision.leader, decision.baseline, *ranked, *results.models]
    first = [name for name in dict.fromkeys(named) if name is not None][:MODELS]
    changed = [one for one in every if not one.may_be_none and one.metric == every[0].metric]
    most = max(changed, key=lambda one: abs(one.change), default=None)
    if most is not None:
        first = list(dict.fromkeys([most.model, *first]))
    shown = [one for one in every if one.model in first and not _is_trivial(one)]
    return sorted(shown, key=lambda one: first.index(one.model))


def _is_trivial(change: ChangeParts) -> bool:
    """Whether the split is known: other shares of the classes do not change an AUC."""
    return (change.metric, change.by) == ("auc", CLASSES)


def _sentences(results: Results, shown: Sequence[ChangeParts]) -> Iterator[str]:
    """The change of the main measure of the first model, and of the leader, by each split."""
    models = list(dict.fromkeys(one.model for one in shown))
    for model in [m for m in models if m in (models[0], results.decision.leader)]:
        of_model = [one for one in shown if one.model == model]
        for by in dict.fromkeys(one.by for one in of_model if one.by != ALL_ROWS):
            yield _sentence(results, next(one for one in of_model if one.by == by), shown)


def _levels(results: Results, shown: Sequence[ChangeParts]) -> Iterator[str]:
    """For what the limits of changes hold: here for each alone."""
    if any(one.change_low is not None and one.by != ALL_ROWS for one in shown):
        level = numbers.level(results.confidence)
        yield f"The {level} limits of a change, and of its parts, hold for each number alone."


def _sentence(results: Results, one: ChangeParts, shown: Sequence[ChangeParts]) -> str:
    what = lookup.phrase(one.metric, results)
    model = lookup.printed(results)[one.model]
    digits = _digits(shown, one.metric)
    change = _with_limits(one.change, one.change_low, one.change_high, digits)
    mix = _with_limits(one.mix, one.mix_low, one.mix_high, digits)
    within = _with_limits(one.within, one.within_low, one.within_high, digits)
    by = "classes" if one.by == CLASSES else f"slices of {lookup.clean(one.by, 60)}"
    return (
        f"{capitalised(what)} of {model} changed by {change}; the mix of {by} contributes "
        f"{mix}, changes within them {within}."
    )


def _digits(shown: Sequence[ChangeParts], metric: str) -> int:
    """The decimals of the changes of a measure and of their two parts, which add up."""
    effects = []
    for one in shown:
        if one.metric == metric:
            effects.append((one.change, one.change_low, one.change_high))
            effects.append((one.mix, one.mix_low, one.mix_high))
            effects.append((one.within, one.within_low, one.within_high))
    return decimals.shared_by_effects(effects)


def _part(value: float, low: float | None, high: float | None, digits: int) -> Cell:
    if low is None or high is None:
        return Cell(numbers.signed(value, digits))
    return Cell(
        numbers.signed(value, digits),
        numbers.signed_limit(low, digits),
        numbers.signed_limit(high, digits),
    )


def _with_limits(value: float, low: float | None, high: float | None, digits: int) -> str:
    text = numbers.signed(value, digits)
    if low is None or high is None or low == high == value == 0:
        return text
    return f"{text} ({numbers.signed_limits(low, high, digits)})"


def changes(results: Results, shown: Sequence[ChangeParts]) -> Table | None:
    """A row per model, measure and split: the change and its two parts."""
    shown = [one for one in shown if one.by != ALL_ROWS]
    if not shown:
        return None
    level = numbers.level(results.confidence)
    limits = any(end is not None for one in shown for end in (one.mix_low, one.within_low))
    spanner = f"Part of the change ({level} interval)" if limits else "Part of the change"
    heads = (
        Column("measure", "Measure"),
        Column("by", "Split over", "left"),
        Column("before", "Before"),
        Column("now", "Now"),
        Column("change", "Change"),
        Column("mix", "Mix", spanner=spanner),
        Column("within", "Within", spanner=spanner),
    )
    printed = lookup.printed(results)
    digits = {one.metric: _digits(shown, one.metric) for one in shown}
    rows = [
        Row(
            {
                "measure": lookup.label(one.metric, results),
                "by": "classes" if one.by == CLASSES else lookup.clean(one.by, 60),
                "before": valued(one.before),
                "now": valued(one.now),
                "change": _part(one.change, one.change_low, one.change_high, digits[one.metric]),
                "mix": _part(one.mix, one.mix_low, one.mix_high, digits[one.metric]),
                "within": _part(one.within, one.within_low, one.within_high, digits[one.metric]),
            },
            printed[one.model],
        )
        for one in shown
    ]
    notes = [RULE]
    if any(one.metric == "auc" for one in shown):
        notes.append(OF_AREAS)
    intervals = dict.fromkeys(one.interval for one in shown if one.interval is not None)
    notes += [f"Intervals: {name}." for name in intervals]
    return Table("shift_changes", "What explains the change", heads, tuple(rows), tuple(notes))
