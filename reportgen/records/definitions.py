"""What the results say of the metrics, tests, intervals and corrections that they hold.

A page prints names, formulas and sources from here and not from the registries, so that
results of an earlier version render as they did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from reportgen.metric_names import COST, COST_PER_ROW, parted
from reportgen.tasks import TaskReport
from reportgen.text.words import capitalised, in_sentence

TWO_CLASSES = "binary"
"""The task whose metrics rate each class of the other tasks, against the rest."""


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """A metric of the results, as the registry of metrics had it when they were computed.

    ``lowest`` and ``highest`` are its bounds, null where it has none. ``tested_as`` is another
    metric whose tests are this one's too. ``follows_shares`` says that the shares of the classes
    may fix it alone; ``unit`` is what its values are printed in, where that is no plain share or
    ratio, ``unit_power`` the power of the truth's unit that they are in.
    ``top`` classes of the highest scores count as correct predictions.
    Reports that print all measures have the formula, the equation of the book and the source.
    """

    name: str
    task: str
    label: str
    group: str
    aspect: str | None = None
    lowest: float | None = 0
    highest: float | None = 1
    better: str | None = "higher"
    core: bool = False
    tested_as: str | None = None
    follows_shares: bool = False
    unit: str | None = None
    unit_power: int = 0
    top: int | None = None
    formula: str | None = None
    book: str | None = None
    reference: str | None = None

    @property
    def lower_is_better(self) -> bool:
        """Whether less of it is better."""
        return self.better == "lower"

    @property
    def may_be_negative(self) -> bool:
        """Whether it has values below 0."""
        return self.lowest is None or self.lowest < 0

    @property
    def range(self) -> float | None:
        """The largest difference that there can be; None where a bound is open."""
        return None if self.lowest is None or self.highest is None else self.highest - self.lowest


@dataclass(frozen=True, slots=True)
class TestDefinition:
    """A test of the results, as the registry of tests had it when they were computed.

    ``symbol_note`` says what the symbol of its statistic stands for, where that needs saying;
    ``counts`` that the statistic is a count, or a sum of ranks, ``by_point`` that each time point
    counts once in its mean.
    """

    __test__ = False  # nothing that pytest collects

    name: str
    label: str
    short: str
    compares: str
    formula: str
    reference: str
    symbol_note: str | None = None
    counts: bool = False
    by_point: bool = False


@dataclass(frozen=True, slots=True)
class IntervalDefinition:
    """A method of intervals in the results: its printed name, how it is computed, its source."""

    name: str
    label: str
    how: str
    reference: str


@dataclass(frozen=True, slots=True)
class CorrectionDefinition:
    """A correction for several tests, and its name in a sentence."""

    name: str
    label: str


@dataclass(frozen=True)
class Definitions:
    """What results have, in the order of their lists, and what reports of their task print."""

    metrics: tuple[MetricDefinition, ...] = ()
    tests: tuple[TestDefinition, ...] = ()
    intervals: tuple[IntervalDefinition, ...] = ()
    corrections: tuple[CorrectionDefinition, ...] = ()
    task: TaskReport | None = None

    def metric(self, name: str, task: str = TWO_CLASSES) -> MetricDefinition | None:
        """The metric of a name: that of the task, else of any other task."""
        of_tasks = self._metrics.get(name, {})
        return of_tasks.get(task) or next(iter(of_tasks.values()), None)

    def label(self, name: str, task: str = TWO_CLASSES) -> str:
        """The printed name of a metric, or of its average; of one without definition its own name.

        >>> Definitions().label("words_per_minute")
        'words per minute'
        """
        if metric := self.metric(name, task):
            return metric.label
        base, average = parted(name)
        if average and self.metric(base, task):
            return capitalised(self.phrase(name))
        return name.replace("_", " ")

    def phrase(self, name: str) -> str:
        """A metric, or its average, inside a sentence.

        >>> Definitions().phrase("macro_words_per_minute"), Definitions().phrase(COST)
        ('macro words per minute', 'cost per row')
        """
        base, average = parted(name)
        label = COST_PER_ROW if base == COST else in_sentence(self.label(base))
        return f"{average} {label}" if average else label

    def lower_is_better(self, name: str) -> bool:
        """Whether less of a metric, or of its average, is better."""
        metric = self.metric(parted(name)[0])
        return metric is not None and metric.lower_is_better

    def tested_as(self, name: str, task: str = TWO_CLASSES) -> str:
        """The measure whose tests are those of a metric, or of whatever else has the name."""
        metric = self.metric(name, task)
        return (metric and metric.tested_as) or name

    def test(self, name: str) -> TestDefinition | None:
        """The test of a name."""
        return self._tests.get(name)

    def interval(self, name: str) -> IntervalDefinition:
        """The method of intervals of a name; of one without definition, only its own name.

        >>> Definitions().interval("hanley_mcneil").label
        'Hanley mcneil'
        """
        unknown = IntervalDefinition(name, capitalised(name.replace("_", " ")), "–", "")
        return self._intervals.get(name, unknown)

    def correction(self, name: str, none: str | None = None) -> str:
        """A correction's name in a sentence; ``none``, or its own name, without definition."""
        return self._corrections.get(name, name if none is None else none)

    @cached_property
    def _metrics(self) -> Mapping[str, Mapping[str, MetricDefinition]]:
        by_name: dict[str, dict[str, MetricDefinition]] = {}
        for one in self.metrics:
            by_name.setdefault(one.name, {})[one.task] = one
        return by_name

    @cached_property
    def _tests(self) -> Mapping[str, TestDefinition]:
        return {one.name: one for one in self.tests}

    @cached_property
    def _intervals(self) -> Mapping[str, IntervalDefinition]:
        return {one.name: one for one in self.intervals}

    @cached_property
    def _corrections(self) -> Mapping[str, str]:
        return {one.name: one.label for one in self.corrections}


DEFINITIONS: Mapping[str, type] = {
    "metrics": MetricDefinition,
    "tests": TestDefinition,
    "intervals": IntervalDefinition,
    "corrections": CorrectionDefinition,
}
"""What is defined, under the names of ``results.json``, which omits facts at their default."""

NO_DEFINITIONS = Definitions()
"""Those of results without numbers."""
