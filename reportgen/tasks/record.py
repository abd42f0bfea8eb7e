"""What is known of a task, in one record."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reportgen.metric_names import PINBALL_LOSS, of_parameter

TruthKind = Literal["two classes", "classes", "labels", "number", "none"]
"""What the truth of a row is: one of two classes, one of several, any of several labels, a number;
none where values are compared that were measured already."""

MeasureAverage = tuple[str, str | None]
"""A measure and its average over classes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """What reports of a task print: its words and its lists of measures; results keep them."""

    noun: str = "class"
    nouns: str = "classes"
    also_core: tuple[MeasureAverage, ...] = ()
    of_order: tuple[MeasureAverage, ...] = ()
    leading_of_order: tuple[MeasureAverage, ...] = ()
    chart_measures: tuple[MeasureAverage, ...] = ()
    rare_chart_measures: tuple[MeasureAverage, ...] = ()
    slice_chart: tuple[str, ...] = ()
    summary_measures: tuple[MeasureAverage, ...] = ()
    calibration: str = ""
    discrimination: str = ""
    ranking_caption: str = "Measures of ranking, independent of the threshold"
    decisions: str = ""
    averages: str = ""
    reading: tuple[str, ...] = ()
    symbols: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInfo(TaskReport):
    """A task: what models give, what is measured, and the words of its reports.

    ``evidence`` are the fields of a spec that tell the task, the lowest number first. ``graded``:
    labels say whether an answer is right, and there is no truth. ``costs`` are those of the two
    errors or those by class. ``main_measures`` decide which model leads, the first that can, and
    are computed fold by fold; where none of them can, ``further_measures`` do. ``class_measure``
    picks the worst class. ``resampled`` are the frames that the bootstrap resamples.
    ``fixed_bytes`` are the memory of an evaluation of few rows, ``few_row_bytes`` that for each row
    of the first 10,000, and ``row_bytes`` that for each row and for each column of a row.
    """

    name: str
    position: int
    truth: TruthKind
    description: str = ""

    # the spec
    outputs: tuple[str, ...] = ()
    gives: str = ""
    evidence: Mapping[str, int] = field(default_factory=dict)
    has_threshold: bool = False
    graded: bool = False
    costs: Literal["errors", "classes"] | None = None
    example_gate: str = ""

    # what is measured
    main_measures: tuple[str, ...] = ()
    further_measures: tuple[str, ...] = ()
    area_averages: tuple[str, ...] = ()
    resampled: frozenset[str] = frozenset()
    fixed_bytes: float = 355e6
    few_row_bytes: float = 2500
    row_bytes: tuple[float, float] = (10, 24)
    class_measure: str | None = None
    slice_measures: tuple[MeasureAverage, ...] = ()

    def deciding_measures(self, quantiles: Collection[float | None]) -> tuple[str, ...]:
        """The measures that may decide between models of these quantiles, None for the mean.

        Where all estimate one quantile its pinball loss, which it minimises, is the only one.
        """
        level = next(iter(set(quantiles))) if len(set(quantiles)) == 1 else None
        if level is not None and self.of_numbers:
            return (of_parameter(PINBALL_LOSS, level),)
        return (*self.main_measures, *self.further_measures)

    def has_fairness(self, slicing: Sequence[str]) -> bool:
        """Whether the terms of fairness apply: two classes of a truth, slices of one column."""
        return self.two_classes and not self.graded and len(slicing) == 1

    @property
    def two_classes(self) -> bool:
        """Whether one class is positive and the other negative."""
        return self.truth == "two classes"

    @property
    def several_classes(self) -> bool:
        """Whether the truth is one of several classes."""
        return self.truth == "classes"

    @property
    def several_labels(self) -> bool:
        """Whether any of several labels may be true of a row."""
        return self.truth == "labels"

    @property
    def has_decisions(self) -> bool:
        """Whether one class is predicted for each row, and is correct or not."""
        return self.truth in ("two classes", "classes")

    @property
    def by_class(self) -> bool:
        """Whether measures are computed of each class or label, and averaged over them."""
        return self.truth in ("classes", "labels")

    @property
    def of_numbers(self) -> bool:
        """Whether the truth is a number."""
        return self.truth == "number"

    @property
    def of_values(self) -> bool:
        """Whether values are compared that were measured already."""
        return self.truth == "none"


COUNTS = "TP, FP, FN, TN: true and false positives and negatives"
