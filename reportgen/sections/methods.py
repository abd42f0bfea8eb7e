"""How the numbers are computed: intervals, conventions, tests, sources and formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.sections import (
    by_class,
    calibration,
    comparisons,
    estimate_errors,
    headings,
    key_numbers,
    lookup,
    slices,
)
from reportgen.sections.averages import plain
from reportgen.sections.references import BOOK, formula, how, references, short
from reportgen.sections.registry import section
from reportgen.sections.tables import Column, Row, Table, columns, rows
from reportgen.tasks import MeasureAverage
from reportgen.text import numbers

if TYPE_CHECKING:
    from polars import DataFrame


@dataclass(frozen=True)
class MethodsShown:
    """The methods behind what one form of the report holds, and their sources."""

    intervals: Table | None
    tests: Table | None
    references: tuple[str, ...]


@section(110)
@dataclass(frozen=True)
class Methods:
    """Intervals, conventions, tests and sources; with all measures, the formulas too.

    ``printed`` has those of the tables that stand in print, ``whole`` those of the page in HTML.
    """

    id: ClassVar[str] = "methods"
    title: ClassVar[str] = "Methods"

    conventions: Table
    formulas: Table | None
    whole: MethodsShown
    printed: MethodsShown

    @classmethod
    def from_results(
        cls,
        results: Results,
        figures: Sequence[Figure],  # noqa: ARG003
    ) -> Methods:
        """Fill the section; it always applies."""
        return cls(
            conventions(results),
            formulas(results) if results.declared.all_measures else None,
            _shown(results, results.comparisons),
            _shown(results, _in_print(results)),
        )


def _in_print(results: Results) -> DataFrame:
    """The tests of which print has a result; all of them where none decides."""
    tests = results.comparisons
    _, pairs = comparisons.parted(lookup.compared(results))
    if len(comparisons.tabulated(results, pairs)) <= comparisons.MOST_IN_PRINT:
        return tests
    printed = (tests["recommendation"] == "recommended") | (tests["models"].list.len() == 1)
    return tests.filter(printed) if printed.any() else tests


def _shown(results: Results, tests: DataFrame) -> MethodsShown:
    names = _interval_names(results, tests)
    tested = list(dict.fromkeys([*tests["comparison"], *_tested_in_slices(results)]))
    notes = (FURTHER,) if tests.height < results.comparisons.height else ()
    return MethodsShown(
        intervals(results, names),
        shown_tests(results, tested, notes),
        references(_sources(results, names, tested)),
    )


def _tested_in_slices(results: Results) -> Iterator[str]:
    """The test of slices against predictions, where slices are shown."""
    levels = results.data.get("slice_levels")
    if levels and levels["slices"] and lookup.has_section(results, "slices"):
        yield levels["comparison"]


def _sources(results: Results, intervals: Iterable[str], tested: Iterable[str]) -> Iterator[str]:
    yield BOOK
    for name in printed_measures(results) if results.declared.all_measures else ():
        metric = lookup.metric_info(name, results)
        yield (metric and metric.reference) or ""
    for name in intervals:
        yield results.definitions.interval(name).reference
    for name in tested:
        test = results.definitions.test(name)
        yield test.reference if test else ""


def _interval_names(results: Results, tests: DataFrame) -> set[str]:
    names = set(printed_measures(results))
    rows = results.metrics.filter(results.metrics["metric"].is_in(names))
    tables = (rows, tests, results.differences)
    return {name for table in tables for name in table["interval"].drop_nulls()}


def conventions(results: Results) -> Table:
    """What holds where sources disagree, and with all measures why."""
    heads = columns("Matter", ("Here", "left"), ("Why", "left"))
    if not results.declared.all_measures:
        heads = heads[:2]
    every = [c for c in CONVENTIONS if c.concerns(results)]
    lines = [(c.matter, c.here, c.why)[: len(heads)] for c in every]
    caption = "Conventions, where sources disagree"
    return Table("conventions", caption, heads, rows(heads, lines))


def formulas(results: Results) -> Table:
    """Formula, equation of the book and source of each measure."""
    heads = (
        Column("measure", "Measure"),
        Column("formula", "Formula", "left"),
        Column("book", "Book", "left"),
        Column("source", "Source", "left"),
    )
    order = {metric.name: place for place, metric in enumerate(results.definitions.metrics)}
    names = sorted(printed_measures(results), key=lambda name: order.get(name, len(order)))
    definitions = {
        name: lookup.metric_info(name, results)
        for name, _ in headings.by_heading(plain(names), results)
    }
    lines = tuple(
        Row(
            {
                "measure": metric.label,
                "formula": formula(metric.formula or ""),
                "book": (metric.book or "–").replace(" ", "\u00a0"),
                "source": short(metric.reference or ""),
            },
            headings.printed(headings.heading(name, results), results),
        )
        for group in headings.GROUPS
        for name, metric in definitions.items()
        if metric is not None and metric.group == group != "count"
    )
    caption = "Formulas and sources of the measures shown"
    return Table("formulas", caption, heads, lines, (f"{BOOK_NOTE} {results.task.symbols}", REST))


FURTHER = "Further tests, their results and how they work are in the HTML page."
BOOK_NOTE = "Book: equation, figure or table of Zhou (2016), Machine Learning, chapter 2."
REST = "“reportgen catalogue” explains every measure."


def intervals(results: Results, used: set[str]) -> Table | None:
    """How the named interval methods work."""
    heads = columns("Interval", ("How", "left"), ("Source", "left"))
    defined = [one.name for one in results.definitions.intervals if one.name in used]
    methods = map(results.definitions.interval, [*defined, *sorted(used.difference(defined))])
    lines = [[one.label, one.how, short(one.reference) or "–"] for one in methods]
    if not lines:
        return None
    level = numbers.level(results.confidence)
    caption = f"Methods of the {level} intervals"
    return Table("interval_methods", caption, heads, rows(heads, lines))


def shown_tests(results: Results, used: Sequence[str], notes: tuple[str, ...]) -> Table | None:
    """How these tests work."""
    if not used:
        return None
    heads = columns("Test", ("How", "left"), ("Source", "left"))
    lines = [
        [test.short, how(test.formula), short(test.reference)]
        for test in map(results.definitions.test, used)
        if test is not None
    ]
    return Table("test_methods", "Tests of significance", heads, rows(heads, lines), notes)


def measures_of_sections(results: Results) -> dict[str, list[MeasureAverage]]:
    """The measures of each section that has some of its own beside the main table's."""
    of_classes = lookup.by_class(results)
    return {
        "key_numbers": key_numbers.chosen(results) + plain(by_class.DECIDED if of_classes else ()),
        "discrimination": lookup.metrics(results, ["ranking"], core=results.task.two_classes)
        + plain(by_class.AREAS if of_classes else ()),
        "errors": estimate_errors.shown(results) if results.task.of_numbers else [],
        "decisions": plain(by_class.DECIDED if of_classes else ()),
        "calibration": calibration.shown(results),
        "costs": lookup.metrics(results, ["cost"], core=results.task.two_classes),
        "slices": slices.measures(results),
        "measures": lookup.metrics(results, key_numbers.SHOWN),
    }


def printed_measures(results: Results) -> list[str]:
    """Names of all measures that the report prints, each once, averages as their measure.

    One that has no value for any model, class or slice is left out.
    """
    parts = measures_of_sections(results)
    section_measures = [
        name
        for part, measures in parts.items()
        if lookup.has_section(results, part)
        for name, _ in measures
    ]
    metrics = results.metrics
    present = set(metrics.filter(metrics["value"].is_not_null())["metric"].to_list())
    return [name for name in dict.fromkeys(section_measures) if name in present]


@dataclass(frozen=True, slots=True)
class Convention:
    """A matter, what holds here and why; of ``tasks`` alone where it names any."""

    matter: str
    here: str
    why: str
    tasks: tuple[str, ...] = ()
    graded: bool = False  # of answers that were graded right or wrong too
    of_tests: bool = False  # only where there are tests

    def concerns(self, results: Results) -> bool:
        """Whether a report needs it."""
        if self.of_tests and results.comparisons.is_empty():
            return False
        task = results.task
        return not self.tasks or (task.name in self.tasks and (self.graded or not task.graded))


CONVENTIONS = (
    Convention(
        "Positive at a threshold",
        "Score ≥ threshold. The sweep starts at +∞, with no predicted positives.",
        "Tied scores then change sides together and form one slanted segment of the ROC curve.",
        tasks=("binary",),
    ),
    Convention(
        "Ties in a ranking",
        "A positive and a negative with equal scores count one half.",
        "The trapezoidal AUC over distinct thresholds then equals 1 − rank loss (Zhou, eq. 2.21).",
        tasks=("binary", "multiclass", "multilabel"),
    ),
    Convention(
        "Predicted class",
        "The label that the model supplies; otherwise the class with the highest score, the first "
        "of ties.",
        "No threshold is needed.",
        tasks=("multiclass",),
    ),
    Convention(
        "Predicted labels",
        "The labels that the model supplies; otherwise those whose score is at least the "
        "threshold.",
        "One threshold serves all labels.",
        tasks=("multilabel",),
    ),
    Convention(
        "Macro-F1",
        "Both are reported: the mean of the classes' F1, and the F1 of macro-P and macro-R.",
        "They differ; the second is the textbook's (Zhou, eq. 2.14). See Opitz & Burst (2019).",
        tasks=("multiclass", "multilabel"),
    ),
    Convention(
        "Averages",
        "A class without a value, such as the precision of one that is never predicted, leaves "
        "the macro average undefined; the weighted one, only if the class has rows.",
        "Counting it as 0 would change what is averaged; a weight of 0 adds nothing.",
        tasks=("multiclass", "multilabel"),
    ),
    Convention(
        "AUC of several classes",
        "One-vs-rest (macro, weighted, micro) and over pairs of classes (Hand & Till 2001).",
        "One-vs-rest depends on class frequencies; pairs do not.",
        tasks=("multiclass",),
    ),
    Convention(
        "Sets of labels",
        "A row without labels for which none is predicted is correct: Jaccard and F1 are 1.",
        "There was nothing to find, and nothing was predicted.",
        tasks=("multilabel",),
    ),
    Convention(
        "Error",
        "Truth minus estimate.",
        "A positive bias then means that estimates are too low; some sources use the opposite "
        "sign.",
        tasks=("regression",),
    ),
    Convention(
        "Prediction intervals",
        "Closed: a true value at either end is inside.",
        "Coverage is then a simple proportion of rows.",
        tasks=("regression",),
    ),
    Convention(
        "Error rate",
        "Mean of 1(f(x) ≠ y).",
        "It is then 1 − accuracy.",
        tasks=("binary", "multiclass"),
        graded=True,
    ),
    Convention(
        "Costs",
        "Named: of a false negative, and of a false positive.",
        "Zhou's cost matrix has the truth in its rows, Elkan's (2001) the prediction; "
        "a bare matrix could be read both ways.",
        tasks=("binary",),
    ),
    Convention(
        "Costs by class",
        "Named by true, then predicted class; what the spec leaves out costs nothing.",
        "Zhou's cost matrix has the truth in its rows, Elkan's (2001) the prediction; "
        "a bare matrix could be read both ways.",
        tasks=("multiclass",),
    ),
    Convention(
        "Break-even point",
        "Precision, which is recall too, of as many rows as there are positives; within tied "
        "scores, counts are interpolated.",
        "It is 0 where none of them is positive; the origin, without predictions, does not count.",
        tasks=("binary",),
    ),
    Convention(
        "Area under the P-R curve",
        "Both are reported: average precision (steps), and the area with interpolated counts.",
        "Linear interpolation between P-R points overstates the area (Davis & Goadrich 2006).",
        tasks=("binary",),
    ),
    Convention(
        "Cost curve",
        "x is P(+)cost, y the normalised cost; a threshold is the line from (0, FPR) to (1, FNR). "
        "The area under the cost curve, that of their lower envelope, is the expected total cost, "
        "normalised.",
        "Against prevalence alone the lines are straight only for equal costs; a sum of p · cost "
        "is not the area. 0.25 is the area of the trivial classifiers.",
        tasks=("binary",),
    ),
    Convention(
        "McNemar",
        "The mid-p test is recommended; the exact and the χ² tests are shown beside it, each with "
        "an interval that agrees with its p on 0.",
        "Of the four, its size is closest to the nominal level without exceeding it (Fagerland et "
        "al. 2013).",
        tasks=("binary", "multiclass"),
        graded=True,
        of_tests=True,
    ),
    Convention(
        "Not rejected",
        "“No significant difference at α.”",
        "It does not show that the models perform alike.",
        of_tests=True,
    ),
    Convention(
        "p-values",
        "Never printed as 0; below 0.001 as “< 0.001”.",
        "No finite sample makes an effect certain.",
        of_tests=True,
    ),
    Convention(
        "Undefined",
        "“n/a”, with the reason in a footnote; null in results.json.",
        "A measure of an empty set is neither 0 nor 1.",
    ),
)
"""What holds where sources disagree."""
