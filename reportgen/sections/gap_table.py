"""Gaps between slices as a table, and in a sentence where a test shows one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.metric_names import EQUALISED_ODDS
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of, too_unequal
from reportgen.records.section_reading import SingleClassKind, on_rows
from reportgen.sections import lookup, metric_table
from reportgen.sections.tables import Cell, Column, Footnotes, Note, Row, Table
from reportgen.tables.comparisons import Gap
from reportgen.tasks import MeasureAverage
from reportgen.text import decimals, numbers
from reportgen.text.reasons import EVALUATED_AGAIN, NO_TEST, WEIGHTED
from reportgen.text.words import listed

if TYPE_CHECKING:
    from reportgen.charts.slices import Slicing

TERMS = (
    "Fairness terms: demographic parity is the gap in detection prevalence, equal opportunity "
    "that in recall, predictive parity that in precision. Equalised odds is the larger of the "
    "gaps in recall and in false-positive rate, its p twice the smaller p of the two. "
    "Observed/expected is calibration by group: positives per predicted positive."
)

OF_ODDS = ("recall", "false_positive_rate")
"""The measures whose larger gap equalised odds is."""

MODELS_ACROSS = 4
"""Models beside each other where there are two slices."""

MOST_FINDINGS = 8
"""Gaps that are reported in a sentence."""

HOW = (
    "Gap: highest minus lowest value. p: twice the smaller of two p-values. The one is of the "
    "two-sided test of these two slices, times the number of pairs of slices. The other is of one "
    "slice against all others together, times the number of slices. Adjusted: Holm over all gaps "
    "of this slicing. –: not tested. One slice: where its p is the smaller one; for "
    "proportions by Fisher's exact test. "
)
HOW_OF_ENDS = (
    "Gap: highest minus lowest value. p: two-sided test of these two slices, multiplied by the "
    "number of pairs of slices; adjusted: Holm over all gaps of this slicing. –: not tested. "
)
HOW_OF_TWO = (
    "p: two-sided test of the two slices; adjusted: Holm over all gaps of this slicing. –: not "
    "tested. "
)
OF_AUCS = ", for AUCs DeLong's variances on the logit scale"
OF_GROUPED_AUCS = ", for AUCs on the logit scale"
TESTS = {
    False: f"Tests: for proportions the two-proportion z{OF_AUCS}.",
    True: "Tests: Welch's t, for losses also of their logarithms, with the larger p.",
}
"""How gaps of classes and labels, and of errors of estimates, are tested."""

TESTS_IN_GROUPS = {
    False: "Tests by group, with t: for proportions with the design effect of the "
    f"groups{OF_GROUPED_AUCS}.",
    True: "Tests by group, with t: for losses also of their logarithms, with the larger p.",
}
NO_INTERVALS = (
    "Gaps have no intervals: these would have to allow for every gap of the slicing and for the "
    "choice of its extreme slices."
)
NO_INTERVALS_OF_TWO = "The table of slices in the HTML page has the limits of both values."
ROUGH = "Approximate: an expected count of a slice is below 5."
UNTESTED = "Gaps are not tested: {}."
NO_TESTS = "there is no test of these measures"


"""A row of the table of gaps."""


@dataclass(frozen=True)
class GapTables:
    """The gaps of one slicing, and the sentences on those that a test shows."""

    tables: tuple[Table, ...]
    shown: tuple[str, ...]
    tested: bool


@dataclass(frozen=True)
class _Printed:
    """What the gaps of a slicing are printed with: its slices, and their numbers."""

    results: Results
    group: Slicing
    numbers: Mapping[str, lookup.ModelNumbers]
    gaps: Sequence[Gap]

    @property
    def heading(self) -> str:
        return lookup.clean(self.group.heading, 80)

    def slice(self, label: str, longest: int = 40) -> str:
        return lookup.clean(self.group.slices[label].printed, longest)

    def prevalence(self, label: str, model: str) -> float:
        """The share of positives of a slice, by weight where rows are weighted."""
        number = self.numbers[label].get((("prevalence", None), model), lookup.NOTHING)
        part = self.group.slices[label]
        return (part.positives or 0.0) / part.rows if number.value is None else number.value

    def digits(self, gap: Gap) -> int:
        """Decimals of the values of a measure, of all models: those of the ends of its gaps."""
        ends = [
            self._end(other, label, value)
            for other in self.gaps
            if (other.metric, other.average) == (gap.metric, gap.average)
            for label, value in (
                (other.lowest, other.lowest_value),
                (other.highest, other.highest_value),
            )
        ]
        digits = decimals.shared((end.value, end.low, end.high) for end in ends)
        apart = (abs(end - other) for end, other in self._ends_of(gap))
        least = min((one for one in apart if one >= 10.0 ** -(digits + 2)), default=1.0)
        return digits + sum(least < 10.0**-more for more in (digits, digits + 1))

    def _ends_of(self, gap: Gap) -> Iterator[tuple[float, float]]:
        """The values at the ends of all gaps of a measure: enough decimals show which is larger."""
        for other in self.gaps:
            if (other.metric, other.average) == (gap.metric, gap.average):
                yield other.lowest_value, other.highest_value

    def _end(self, gap: Gap, label: str, value: float) -> lookup.Number:
        """The number at one end; of equalised odds that of the measure with the larger gap."""
        metrics = OF_ODDS if gap.metric == EQUALISED_ODDS else (gap.metric,)
        candidates = [
            self.numbers[label].get(((metric, gap.average), gap.model), lookup.NOTHING)
            for metric in metrics
        ]
        return next(number for number in candidates if number.value == value)

    def larger(self, gap: Gap) -> str:
        """Behind the name of equalised odds the measure whose gap, and whose ends, stand there."""
        if gap.metric != EQUALISED_ODDS:
            return ""
        ends = (gap.lowest, gap.lowest_value, gap.highest, gap.highest_value)
        other = next(
            one
            for one in self.gaps
            if one.metric in OF_ODDS
            and one.model == gap.model
            and (one.lowest, one.lowest_value, one.highest, one.highest_value) == ends
        )
        return f", by {lookup.phrase(_key(other), self.results)}"


def of_group(
    results: Results, group: Slicing, by_slice: Mapping[str, lookup.ModelNumbers]
) -> GapTables | None:
    """The gaps between the slices of a group; None where fewer than two are large enough."""
    every = (Gap(**row) for row in results.gaps.iter_rows(named=True))
    gaps = [gap for gap in every if tuple(gap.slicing) == group.columns]
    if not gaps:
        return None
    printed = _Printed(results, group, by_slice, gaps)
    shown = [gap for gap in gaps if gap.p_adjusted is not None and gap.p_adjusted < results.alpha]
    single = _single_class(printed)
    implied = [gap for gap in shown if _follows_shares(gap, results) and gap.model in single]
    own = (gap for gap in shown if gap.metric != EQUALISED_ODDS and gap not in implied)
    sentences = (
        *(_sentence(printed, gap) for gap in own),
        *([_of_prevalence(printed, implied, single)] if implied else []),
    )
    tested = any(gap.p_value is not None for gap in gaps)
    return GapTables(_tables(printed, gaps, _notes(results, group, gaps)), sentences, tested)


def _follows_shares(gap: Gap, results: Results) -> bool:
    """Whether the shares of the classes may fix the measure alone."""
    metric = results.definitions.metric(gap.metric)
    return metric is not None and metric.follows_shares


def _single_class(printed: _Printed) -> dict[str, SingleClassKind]:
    """The models that predict one class alone, or nearly, in all slices, and which."""
    labels = {label for gap in printed.gaps for label in (gap.lowest, gap.highest)}
    parts = [printed.results.reading.single_classes(label) for label in labels]
    models = {model for model in parts[0] if all(model in part for part in parts)}
    kinds = {model: {part[model] for part in parts} for model in models}
    none: SingleClassKind = "no row positive"
    return {
        model: on_rows(sorted(of)) for model, of in kinds.items() if none not in of or len(of) == 1
    }


def _of_prevalence(
    printed: _Printed, gaps: Sequence[Gap], single: Mapping[str, SingleClassKind]
) -> str:
    """That gaps of models that predict one class are those of the shares of the classes."""
    names = lookup.printed(printed.results)
    models = list(dict.fromkeys(gap.model for gap in gaps))
    measures = list(dict.fromkeys(lookup.phrase(_key(gap), printed.results) for gap in gaps))
    ends = {label for gap in gaps for label in (gap.lowest, gap.highest)}
    shares = sorted((printed.prevalence(label, models[0]), label) for label in ends)
    (low, lowest), (high, highest) = shares[0], shares[-1]
    who, verb = listed([names[m] for m in models]), "predict" if len(models) > 1 else "predicts"
    differ = "differ" if len(measures) > 1 else "differs"
    return (
        f"{who} {verb} {on_rows([single[m] for m in models])}: {listed(measures)} {differ} by "
        f"{printed.heading} as the share of positives does, {numbers.percent(low)} "
        f"({printed.slice(lowest, 60)}) to {numbers.percent(high)} ({printed.slice(highest, 60)})."
    )


def _notes(results: Results, group: Slicing, gaps: Sequence[Gap]) -> list[str]:
    reasons = {gap.untested for gap in gaps}
    of_all = {WEIGHTED, EVALUATED_AGAIN, too_unequal(results.data)}
    untested = [why for why in reasons if why is not None and why in of_all]
    untested += [NO_TESTS] if reasons == {NO_TEST} else []
    forms = TESTS_IN_GROUPS if evaluation_of(results.data).grouped else TESTS
    tests = forms[results.task.of_numbers]
    if "auc" not in {gap.metric for gap in gaps}:
        tests = tests.replace(OF_AUCS, "").replace(OF_GROUPED_AUCS, "")
    two = len(group.slices) == 2
    of_many = HOW_OF_ENDS if results.task.of_numbers else HOW
    how = f"{HOW_OF_TWO if two else of_many}{tests}"
    intervals = NO_INTERVALS_OF_TWO if two else NO_INTERVALS
    notes = [UNTESTED.format(listed(untested)) if untested else how, intervals]
    if results.task.has_fairness(group.columns):
        notes.append(TERMS)
    return [*notes, *_left_out(gaps)]


def _left_out(gaps: Sequence[Gap]) -> list[str]:
    """How many slices are too small, if not for every measure."""
    of_most = max((gap.left_out for gap in gaps), key=len)
    if not of_most:
        return []
    verb = "is" if len(of_most) == 1 else "are"
    text = f"{numbers.plural(len(of_most), 'small slice')} {verb} left out"
    if any(len(gap.left_out) < len(of_most) for gap in gaps):
        text += ", but for shares of one class of which there are enough rows"
    return [f"{text}."]


def findings(gaps: Sequence[GapTables]) -> tuple[str, ...]:
    """The gaps that a test shows, or that there is none."""
    shown = tuple(text for gap in gaps for text in gap.shown)
    if len(shown) > MOST_FINDINGS:
        left = len(shown) - MOST_FINDINGS
        more = "gap is" if left == 1 else "gaps are"
        return (*shown[:MOST_FINDINGS], f"{left} more significant {more} in the tables below.")
    if shown or not any(gap.tested for gap in gaps):
        return shown
    return (
        "No gap between slices is significant after correction, which is not evidence that there "
        "is none.",
    )


def _tables(printed: _Printed, gaps: Sequence[Gap], notes: Sequence[str]) -> tuple[Table, ...]:
    """Of two slices their differences, models beside each other; of more a row per model too."""
    labels = list(printed.group.slices)
    two = labels if len(labels) == 2 else []
    caption = f"Gaps between slices: {printed.heading}"
    anchor = re.sub(r"\W+", "_", f"gaps_{printed.group.heading}".lower())
    if not two:
        columns, rows, marks = _many(printed, gaps)
        return (Table(anchor, caption, columns, rows, (*marks, *notes)),)
    first, second = (printed.slice(label) for label in two)
    result = []
    for place, part in enumerate(metric_table.parted(printed.results.models, MODELS_ACROSS)):
        model_gaps = [gap for gap in gaps if gap.model in part]
        columns, rows, marks = _two(printed, two[0], part, model_gaps)
        which = f"Gap: {first} minus {second}."
        result.append(Table(f"{anchor}_{place}", caption, columns, rows, (*marks, which, *notes)))
    return tuple(result)


TableParts = tuple[tuple[Column, ...], tuple[Row, ...], tuple[Note, ...]]


def _two(printed: _Printed, first: str, models: Sequence[str], gaps: Sequence[Gap]) -> TableParts:
    names, footnotes = (
        lookup.printed(printed.results),
        Footnotes(),
    )
    columns = [Column("measure", "Measure")]
    for i, name in enumerate(models):
        columns += [
            Column(f"gap{i}", "Gap", spanner=names[name]),
            Column(f"adjusted{i}", "Adjusted p", spanner=names[name]),
        ]
    lines: dict[MeasureAverage, dict[str, Cell | str]] = {}
    for gap in gaps:
        i, sign = models.index(gap.model), 1 if gap.highest == first else -1
        line = lines.setdefault(_key(gap), {"measure": label(_key(gap), printed.results)})
        difference = sign * gap.gap or 0.0
        size = numbers.aligned(difference, printed.digits(gap))
        line[f"gap{i}"] = f"+{size}" if difference > 0 and size[0].isdigit() else size
        line[f"adjusted{i}"] = _p(gap, footnotes)
    return tuple(columns), tuple(Row(cells) for cells in lines.values()), footnotes.all()


_ONE_SLICE = (
    Column("slice", "Slice", "left", "One slice"),
    Column("slice_value", "Value", spanner="One slice"),
    Column("others", "Others", spanner="One slice"),
)


def _many(printed: _Printed, gaps: Sequence[Gap]) -> TableParts:
    names, footnotes = lookup.printed(printed.results), Footnotes()
    columns = (
        Column("measure", "Measure"),
        Column("low", "Value", spanner="Lowest"),
        Column("lowest", "Slice", "left", "Lowest"),
        Column("high", "Value", spanner="Highest"),
        Column("highest", "Slice", "left", "Highest"),
        Column("gap", "Gap"),
        *(_ONE_SLICE if any(gap.slice for gap in gaps) else ()),
        Column("adjusted", "Adjusted p"),
    )
    rows = []
    for gap in gaps:
        digits = printed.digits(gap)
        cells: dict[str, Cell | str] = {
            "measure": f"{label(_key(gap), printed.results)}{printed.larger(gap)}",
            "low": numbers.aligned(gap.lowest_value, digits),
            "lowest": printed.slice(gap.lowest),
            "high": numbers.aligned(gap.highest_value, digits),
            "highest": printed.slice(gap.highest),
            "gap": numbers.aligned(gap.gap, digits),
            "slice": printed.slice(gap.slice) if gap.slice else "–",
            "slice_value": numbers.aligned(gap.slice_value, digits) if gap.slice else "–",
            "others": numbers.aligned(gap.others_value, digits) if gap.slice else "–",
            "adjusted": _p(gap, footnotes),
        }
        rows.append(Row(cells, names[gap.model]))
    return columns, tuple(rows), footnotes.all()


def _key(gap: Gap) -> MeasureAverage:
    return gap.metric, gap.average


def _p(gap: Gap, footnotes: Footnotes) -> Cell:
    if gap.p_adjusted is None:
        return Cell("–", kind="muted")
    note = footnotes.mark(ROUGH) if gap.rough else None
    return Cell(numbers.p_number(gap.p_adjusted), note=note)


def label(measure: MeasureAverage, results: Results) -> str:
    """The name of a measure, or of what is read off two of them."""
    return "Equalised odds" if measure == (EQUALISED_ODDS, None) else lookup.label(measure, results)


def _sentence(printed: _Printed, gap: Gap) -> str:
    results, digits = printed.results, printed.digits(gap)
    model, what = lookup.printed(results)[gap.model], lookup.phrase(_key(gap), results)
    p_value = numbers.p_value(gap.p_adjusted)
    if gap.slice is not None:
        value, others = (
            numbers.aligned(one, digits) for one in (gap.slice_value, gap.others_value)
        )
        return (
            f"{model}: {what} differs by {printed.heading}, most in "
            f"{printed.slice(gap.slice, 60)}: {value} against {others} in the other "
            f"{round(gap.slices) - 1} slices; adjusted {p_value}."
        )
    low = numbers.aligned(gap.lowest_value, digits)
    high = numbers.aligned(gap.highest_value, digits)
    lowest, highest = printed.slice(gap.lowest, 60), printed.slice(gap.highest, 60)
    return (
        f"{model}: {what} differs by {printed.heading}, {low} "
        f"({lowest}) to {high} ({highest}); adjusted {p_value}."
    )
