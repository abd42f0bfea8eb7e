"""The table of measures: a row per metric, a column per model, the best marked where shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from reportgen.metric_names import COST, COST_PER_ROW, joined
from reportgen.records import basis
from reportgen.records.decision import guessing
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.sections import lookup, measure_notes
from reportgen.sections.averages import measure_of
from reportgen.sections.headings import heading, printed
from reportgen.sections.tables import Cell, Column, Footnotes, Row, Table, notes_once
from reportgen.tasks import MeasureAverage
from reportgen.text import decimals, numbers
from reportgen.text.words import listed

T = TypeVar("T")

WITH_LIMITS, MODELS_ACROSS = 4, 6
"""So many models stand beside each other with their intervals, and without."""

ROWS_OF_A_PAGE = 30
"""A table of one part of the models is not broken over pages up to this length."""

OF_CAVEATS = {
    "few_of_class": "Some classes or labels have few rows: limits are rough.",
    "no_row_of_class": "The F1 of a class or label without rows is 0 or undefined.",
    "unseen_errors": "Intervals do not allow for rare, far larger errors.",
    "undeclared_threshold": "At 0.5, though these scores are not probabilities.",
    "threshold_beyond": "At a threshold outside 0 to 1, though these scores are probabilities.",
}
"""What a footnote says of a caveat that gates and claims have in full."""


def unit_of(measure: str, results: Results) -> str | None:
    """What the values of a measure are printed in, where that is no plain share or ratio."""
    metric = lookup.metric_info((measure, None), results)
    return metric.unit if metric else None


def in_unit(measure: str, value: float | None, results: Results) -> float | None:
    """A value in the unit that it is printed in: percentages are shares in the results."""
    return value if value is None or unit_of(measure, results) != "%" else 100 * value


def _scaled(number: lookup.Number, results: Results) -> lookup.Number:
    ends = (number.value, number.low, number.high)
    value, low, high = (in_unit(number.metric, end, results) for end in ends)
    return replace(number, value=value, low=low, high=high)


def head(measure: str | MeasureAverage, results: Results) -> str:
    """A metric's name with its unit, where it has one."""
    name, average = measure_of(measure)
    unit = unit_of(name, results) if average is None else None
    label = lookup.label(measure, results)
    return f"{label} ({unit})" if unit else label


def as_tested(measure: MeasureAverage, results: Results) -> str | None:
    """The measure whose tests are those of this one."""
    name, average = measure
    if average is None and name == "balanced_accuracy" and results.task.several_classes:
        return joined("recall", "macro")
    if average is None:
        return results.definitions.tested_as(name, results.task.name)
    return joined(name, average)


@dataclass(frozen=True)
class MetricTable:
    """What a table of measures is made from."""

    results: Results
    names: Sequence[str]
    numbers: lookup.ModelNumbers

    @classmethod
    def of(cls, results: Results) -> MetricTable:
        """Read the numbers of all rows once."""
        printed_numbers = {
            key: _scaled(number, results) for key, number in lookup.own_numbers(results).items()
        }
        return cls(results, results.models, printed_numbers)

    def has_limits(self, metrics: Sequence[MeasureAverage], name: str) -> bool:
        """Whether a model has an interval for any of the metrics."""
        values = (self.numbers.get((metric, name)) for metric in metrics)
        return any(number is not None and number.low is not None for number in values)

    def _of_all(self, reasons: Sequence[str]) -> str:
        """The reason of a group of measures, in the plural where it is that of several models."""
        alone = len(self.names) < 2 or len(set(reasons)) > 1
        return reasons[0] if alone else reasons[0].replace("the model gives", "the models give")

    def parted(self, metrics: Sequence[MeasureAverage]) -> tuple[list[MeasureAverage], list[str]]:
        """The metrics to show, and a sentence for each group that has no value at all.

        A group of which another metric has a value, in a table of its own, is not left out.
        """
        reasons: dict[str, list[str]] = {}
        valued = set()
        for metric in metrics:
            values = (self.numbers.get((metric, name)) for name in self.names)
            for number in (number for number in values if number is not None):
                reasons.setdefault(heading(metric, self.results), []).append(number.undefined or "")
                if number.value is not None:
                    valued.add(heading(metric, self.results))
        elsewhere = {
            heading(metric, self.results)
            for (metric, _), number in self.numbers.items()
            if number.value is not None
        }
        sentences = [
            f"{group} measures are left out: {lookup.clean(self._of_all(why))}."
            for group, why in reasons.items()
            if group not in valued and group not in elsewhere
        ]
        numbered = {metric for metric, _ in self.numbers}
        return [
            m for m in metrics if m in numbered and heading(m, self.results) in valued
        ], sentences

    def digits(self, metric: MeasureAverage) -> int:
        """The decimals of a metric, by the intervals of all models."""
        cells = [self.numbers.get((metric, name)) for name in self.names]
        valued = [n for n in cells if n is not None and n.value is not None]
        definition = lookup.metric_info(metric, self.results)
        bounded = definition is None or definition.highest is not None
        if bounded or any(n.low is not None for n in valued):
            return decimals.shared((n.value, n.low, n.high) for n in valued)
        if all(float(n.value or 0).is_integer() for n in valued):
            return 0
        return min(3, 1 + max(decimals.two_significant(n.value) for n in valued))

    def best(self, metric: MeasureAverage) -> str | None:
        """The model that is significantly better than every other one, and has the best value.

        A test over folds is about their means, which may order the models otherwise
        than the values of all rows: then none is the best. Nor is one where the data allow
        no conclusion, or one class is rare and the measure good for who never predicts it.
        """
        tested = as_tested(metric, self.results)
        if tested is None or self.results.reading.against(tested):
            return None
        if self.says_little(metric) or self.at_chance(tested):
            return None
        tests = [
            row
            for row in lookup.compared(self.results)
            if row.metric == tested and row.recommendation == "recommended" and row.reject
        ]
        rated = [name for name in self.names if self.numbers.get((metric, name))]
        rated = [name for name in rated if self.numbers[metric, name].value is not None]
        for name in rated if len(rated) > 1 else []:
            beaten = {m for row in tests if row.better == name for m in row.models}
            if beaten >= set(rated) and name == self._first(metric, rated):
                return None if self._is_of_one_class(metric, name) else name
        return None

    def _is_of_one_class(self, metric: MeasureAverage, name: str) -> bool:
        """Whether a model's value is that of predicting one class alone, as a recall of 1 is."""
        of_one = (c for c in self.results.decision.caveats if c.code == "one_class_decisions")
        return any(caveat.is_about(metric[0], name) for caveat in of_one)

    def untested(self, tested: str) -> bool:
        """Whether a pair of the models that tests of a measure are about has no recommended one."""
        rows = [row for row in lookup.compared(self.results) if row.metric == tested]
        pairs = {frozenset(row.models): False for row in rows if len(row.models) == 2}
        for row in rows:
            if row.recommendation == "recommended" and row.reject is not None:
                pairs[frozenset(row.models)] = True
        return not all(pairs.values())

    def _first(self, metric: MeasureAverage, rated: Sequence[str]) -> str:
        definition = lookup.metric_info(metric, self.results)
        sign = -1 if definition is not None and definition.better == "lower" else 1
        return max(rated, key=lambda name: sign * (self.numbers[metric, name].value or 0.0))

    def says_little(self, metric: MeasureAverage) -> bool:
        """Whether one class is rare and the measure good for who never predicts it."""
        return metric[0] in self.results.reading.say_little

    def at_chance(self, tested: str) -> bool:
        """Whether no model is better than guessing in the measure, which decides."""
        decision = self.results.decision
        return decision.relation == "at chance" and decision.measure == tested

    @property
    def pooled(self) -> tuple[str, ...]:
        """A note where the rows of several fits are pooled."""
        evaluation = evaluation_of(self.results.data)
        if not evaluation.pooled_fits:
            return ()
        number, fits = evaluation.fits, "fits"
        if evaluation.scheme == "data_sets":
            number, fits = evaluation.datasets or number, "data sets"
        text = f"Rows of {numbers.count(number)} {fits} are pooled"
        if evaluation.scheme != "leave_one_out":  # whose folds are single rows
            text += f"; means over {basis.parts(self.results.data)} may differ from these values"
        return (f"{text}.",)


def tables(
    results: Results,
    metrics: Sequence[MeasureAverage],
    *,
    id: str,
    caption: str,
    grouped: bool = True,
    mark: bool = True,
    more: Sequence[str] = (),
) -> tuple[Table, ...]:
    """Tables of ``metrics`` for all models, a few of them in each.

    A group of metrics that has no value for any model is left out with a note. Footnotes name the
    interval's method and the reason of every n/a; ``more`` stands below them.
    With ``mark`` the best of a row is marked where tests show it.
    """
    measured = MetricTable.of(results)
    shown, left_out = measured.parted(metrics)
    if not shown:
        return ()
    best = {metric: measured.best(metric) if mark else None for metric in shown}
    marking = _marking(measured, shown, best) if mark else ()
    with_limits = any(measured.has_limits(shown, name) for name in measured.names)
    of_measures = measure_notes.notes(results, shown)
    notes = (*left_out, *of_measures, *measured.pooled, *marking, *more)
    groups = {
        metric: printed(heading(metric, results), results) if grouped else None for metric in shown
    }
    parts = parted(measured.names, WITH_LIMITS if with_limits else MODELS_ACROSS)
    result = []
    for index, part in enumerate(parts, 1):
        footnotes = Footnotes()
        rows = tuple(
            Row(
                _row(measured, metric, part, best[metric], footnotes),
                groups[metric],
            )
            for metric in shown
        )
        columns = _columns(measured, shown, part)
        title = caption if len(parts) == 1 else f"{caption} (part {index} of {len(parts)})"
        anchor = id if index == 1 else f"{id}_{index}"
        table_notes = (*footnotes.all(), *notes)
        whole = len(parts) > 1 and len(rows) <= ROWS_OF_A_PAGE
        result.append(Table(anchor, title, columns, rows, table_notes, whole=whole))
    return notes_once(result)


def parted(names: Sequence[T], most: int) -> list[Sequence[T]]:
    """Cut into as few parts as may be, none longer than ``most``, all about the same length.

    >>> parted(["a", "b", "c", "d"], 3), parted([1, 2, 3, 4, 5, 6, 7], 3)
    ([['a', 'b'], ['c', 'd']], [[1, 2, 3], [4, 5], [6, 7]])
    """
    count = -(-len(names) // most)
    short, longer = divmod(len(names), count) if count else (0, 0)
    ends = [short * place + min(place, longer) for place in range(count + 1)]
    return [names[start:end] for start, end in pairwise(ends)]


def _columns(
    measured: MetricTable, metrics: Sequence[MeasureAverage], names: Sequence[str]
) -> tuple[Column, ...]:
    """A column per model."""
    printed = lookup.printed(measured.results)
    level = numbers.level(measured.results.confidence)
    limited = any(measured.has_limits(metrics, name) for name in names)
    pooled = "Pooled value" if measured.pooled else None
    above = f"{pooled or 'Value'}, {level} interval" if limited else pooled
    values = (Column(f"value{i}", printed[name], None, above) for i, name in enumerate(names))
    return (Column("measure", "Measure"), *values)


def _row(
    measured: MetricTable,
    metric: MeasureAverage,
    names: Sequence[str],
    best: str | None,
    footnotes: Footnotes,
) -> dict[str, Cell | str]:
    values = [measured.numbers.get((metric, name)) for name in names]
    digits = measured.digits(metric)
    interval = measured.results.definitions.interval
    methods = dict.fromkeys(interval(n.interval).label for n in values if n and n.interval)
    remarks = [f"Interval: {listed(list(methods), 'or')}."] if methods else []
    if methods:
        about = measured.results.decision.about(metric[0])
        remarks += [OF_CAVEATS.get(c.code) or lookup.clean(c.text) for c in about]
    without = [
        lookup.without_interval(n)
        for n in values
        if n is not None and n.no_interval and not _is_count(n, measured.results)
    ]
    of_all = len(set(without)) == 1 and not methods
    mark = footnotes.marks([*remarks, *(without[:1] if of_all else [])]) or None
    cells: dict[str, Cell | str] = {"measure": Cell(head(metric, measured.results), note=mark)}
    for i, number in enumerate(values):
        cell = _value(number, measured.results, digits, best, footnotes)
        lacks = (
            number is not None and number.no_interval and not _is_count(number, measured.results)
        )
        if number is not None and lacks and not of_all:
            cell = replace(cell, note=footnotes.mark(lookup.without_interval(number)))
        cells[f"value{i}"] = cell
    return cells


def signed(metric: str | MeasureAverage, results: Results) -> bool:
    """Whether a measure's sign is its direction, as that of a bias; every value shows it."""
    metric_info = lookup.metric_info(metric, results)
    return metric_info is not None and metric_info.better is None and metric_info.may_be_negative


def _value(
    number: lookup.Number | None,
    results: Results,
    digits: int,
    best: str | None,
    footnotes: Footnotes,
) -> Cell:
    if number is None:
        return Cell("–", kind="muted")
    if number.value is None:
        reason = lookup.sentence(number.undefined or "undefined")
        return Cell(numbers.UNDEFINED, note=footnotes.mark(reason), kind="muted")
    if _is_count(number, results):
        return Cell(numbers.count(number.value))
    is_signed = signed(number.measure, results)
    write = numbers.signed if is_signed else numbers.aligned
    limit = numbers.signed_limit if is_signed else numbers.unsigned_limit
    low, high = (None if end is None else limit(end, digits) for end in (number.low, number.high))
    kind_of_cell = "best" if number.model == best else None
    return Cell(write(number.value, digits), low, high, kind=kind_of_cell)


def _is_count(number: lookup.Number, results: Results) -> bool:
    definition = lookup.metric_info(number.measure, results)
    return definition is not None and definition.group == "count"


def _marking(
    measured: MetricTable,
    metrics: Sequence[MeasureAverage],
    best: dict[MeasureAverage, str | None],
) -> Iterator[str]:
    """How to read the bold, where any test concerns one of the metrics."""
    compared = [row for row in lookup.compared(measured.results) if len(row.models) > 1]
    tested = {row.metric for row in compared}
    if any(best.values()):
        yield (
            "Bold: significantly better than every other model by the recommended tests. No bold: "
            "not tested, or not significant."
        )
    elif of_metrics := tested & {
        as_tested(metric, measured.results)
        for metric in metrics
        if not measured.says_little(metric)
    }:
        reasons = map(measured.results.reading.against, sorted(of_metrics))
        if reason := next(filter(None, reasons), None):
            yield f"No value is in bold: {reason}."
            return
        if name := next(filter(measured.at_chance, of_metrics), None):
            of_models = (row for row in measured.results.decision.at_chance if not row.class_)
            guessed = [row.measure for row in of_models if row.measure != COST]
            name = name if name == COST or name in guessed or not guessed else guessed[0]
            what = COST_PER_ROW if name == COST else lookup.phrase(name, measured.results)
            better = f"significantly better than {guessing(name)}"
            yield f"No value is in bold: in {what} no model is {better}."
            return
        untested = any(measured.untested(name) for name in of_metrics)
        one_pair = len({model for row in compared for model in row.models}) == 2
        alone = "No value is in bold: no test of these measures is recommended."
        partly = (
            "No value is in bold: the recommended tests show no difference, and some measures "
            "have no recommended test."
        )
        several = (
            "No value is in bold: no model is significantly better than all others by recommended "
            "tests. In some measures, pairs of models have none."
        )
        if one_pair and untested:
            yield alone if all(map(measured.untested, of_metrics)) else partly
            return
        yield (
            several
            if untested
            else "No value is in bold: no model is significantly better than all others."
        )
