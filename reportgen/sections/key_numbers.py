"""The main table: a row per measure, a column per model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.metric_names import OF_UNIT_COSTS
from reportgen.predictions.validated import ImproperScores
from reportgen.records import shown_models
from reportgen.records.model import Results
from reportgen.records.rows import quantile_levels
from reportgen.sections import (
    bounds,
    by_class,
    headings,
    lookup,
    metric_table,
    models_by_rank,
    rows_in_words,
)
from reportgen.sections.averages import measure_of
from reportgen.sections.registry import section
from reportgen.sections.tables import Table
from reportgen.tasks import MeasureAverage
from reportgen.text import numbers
from reportgen.text.words import listed

SHOWN = ("decision", "ranking", "agreement", "probability", "cost", "error")


@section(20)
@dataclass(frozen=True)
class KeyNumbers:
    """The dozen measures that reviewers read, with their intervals."""

    id: ClassVar[str] = "key_numbers"
    title: ClassVar[str] = "Key numbers"

    introduction: str
    note: str
    leaderboard: Table | None
    tables: tuple[Table, ...]
    averages: tuple[Table, ...]
    rest: str
    has_methods: bool
    figures: tuple[str, ...]

    @classmethod
    def from_results(
        cls,
        results: Results,
        figures: Sequence[Figure],
    ) -> KeyNumbers | None:
        """Fill the section; None when no chosen measure has a number."""
        every, results = results, shown_models.featured(results)
        caption = "Key measures of each model on all evaluated rows"
        tables = metric_table.tables(
            results,
            chosen(results),
            id=cls.id,
            caption=caption,
            more=(*bounds.notes(results), *conventions(results)),
        )
        if not tables:
            return None
        if results is not every:
            tables = (tables[0], *(replace(table, screen=True) for table in tables[1:]))
        return cls(
            introduction(results),
            models_in_words(every),
            models_by_rank.leaderboard(every),
            tables,
            by_class.averages(results),
            unprinted_measures(results),
            lookup.has_section(results, "methods"),
            lookup.placed(figures, cls.id),
        )


def models_in_words(results: Results) -> str:
    """Which models the sections show, and which of them one at a time."""
    note, printed = shown_models.note(results), lookup.printed(results)
    if not note:
        return ""
    few = shown_models.names_in_slices(results)
    shown = listed([printed[name] for name in few])
    return f"{note} Figures of single models, and slices, show {shown}."


def chosen(results: Results) -> list[MeasureAverage]:
    """The measures of the main table in reading order: those of the spec, else the core ones."""
    requested = results.declared.measures
    measures = _core(results) if isinstance(requested, str) else _requested(results, requested)
    if results.declared.ordered:
        return _of_order(measures, results)
    return _of_rare_class(measures, results) if results.reading.positives_are_rare else measures


def _core(results: Results) -> list[MeasureAverage]:
    values, primary = lookup.numbers(results), lookup.primary(results)
    core = {*lookup.metrics(results, SHOWN, core=True), primary and measure_of(primary)}
    core |= {(results.decision.measure or "", None)}
    of_quantiles = lookup.of_quantiles(results)
    if quantile_levels(results.data["models"]):  # of which errors of means say nothing
        core = {*of_quantiles, *(m for m in core if m in results.task.also_core)}
    core.update(of_quantiles)
    measures = [m for m in lookup.metrics(results, SHOWN) if m in core]
    measures = headings.by_heading(measures, results)
    always = {m for m in measures if m not in results.task.also_core}
    valued = {measure for measure, model in values if values[measure, model].value is not None}
    measures = _both_f1([m for m in measures if m in always | valued])
    return [m for m in measures if not is_error_rate(m, results)]


def _requested(results: Results, requested: Sequence[str]) -> list[MeasureAverage]:
    """The measures that a spec lists, and the primary one."""
    primary = lookup.primary(results)
    present = dict.fromkeys(measure for measure, _ in lookup.numbers(results))
    result: dict[MeasureAverage, None] = {}
    for measure in map(measure_of, [*requested, *([] if primary is None else [primary])]):
        of_all = [p for p in present if measure == (p[0], None)]
        result |= dict.fromkeys([measure] if measure in present else of_all)
    order = lookup.metrics(results, headings.GROUPS)
    ordered = [*(m for m in order if m in result), *(m for m in result if m not in order)]
    return headings.by_heading(ordered, results)


def is_error_rate(measure: MeasureAverage, results: Results) -> bool:
    """Whether a measure of cost is the error rate, as the spec declares no costs."""
    of_equal_costs = results.task.two_classes and not lookup.costs(results)[2]
    return of_equal_costs and measure[0] in OF_UNIT_COSTS


def _of_rare_class(measures: list[MeasureAverage], results: Results) -> list[MeasureAverage]:
    """The measures of the ranking first, those of the common class last under their heading."""
    of = {measure: headings.heading(measure, results) for measure in measures}
    order = list(dict.fromkeys([headings.GROUPS["ranking"], *of.values()]))
    first, last = results.reading.read_first, results.reading.say_little

    def place(measure: MeasureAverage) -> tuple[int, int]:
        name, average = measure
        if average is None and name in first:
            return order.index(of[measure]), first.index(name) - len(first)
        return order.index(of[measure]), int(average is None and name in last)

    return sorted(measures, key=place)


def _of_order(measures: list[MeasureAverage], results: Results) -> list[MeasureAverage]:
    """Of ordered classes what weighs how far errors are off first, and its headings."""
    leading = [measure for measure in results.task.leading_of_order if measure in measures]
    order = list(dict.fromkeys(headings.heading(m, results) for m in [*leading, *measures]))

    def place(measure: MeasureAverage) -> tuple[int, bool]:
        return order.index(headings.heading(measure, results)), measure not in leading

    return sorted(measures, key=place)


def _both_f1(measures: list[MeasureAverage]) -> list[MeasureAverage]:
    """The two forms of macro-F1 side by side."""
    first, second = ("f1", "macro"), ("f1_of_macro", None)
    if first in measures and second in measures:
        measures.remove(first)
        measures.insert(measures.index(second), first)
    return measures


def unprinted_measures(results: Results) -> str:
    """Where the measures are that this report does not print."""
    count = len({metric for metric, _ in lookup.numbers(results)})
    if results.declared.all_measures or count <= len(chosen(results)):
        return ""
    return (
        f"results.json has {numbers.plural(count, 'measure')} of each model, with intervals or "
        "the reason why a value is undefined. “measures: all” in the spec prints them all."
    )


def introduction(results: Results) -> str:
    """What the numbers are about, in one sentence."""
    data = results.data
    rows = numbers.plural(data["rows_evaluated"], rows_in_words.row_noun(data))
    level = numbers.level(results.confidence)
    what, more = _about(results)
    return f"Values for {rows}{what}, with {level} confidence intervals where available{more}."


def _about(results: Results) -> tuple[str, str]:
    """What the rows are of, and what a reader must know of the truth."""
    data = results.data
    if results.task.graded:
        return "", f"; “{lookup.clean(data['positive'])}” is a right answer"
    if results.task.two_classes:
        return "", f"; the positive class is “{lookup.clean(data['positive'])}”"
    if results.task.of_numbers:
        return "", "; an error is the truth minus the estimate"
    return f" and {numbers.count(len(data['classes']))} {results.task.nouns}", ""


def conventions(results: Results) -> tuple[str, ...]:
    """What a reader must know to recompute a number, for the foot of the table."""
    if results.task.reading:
        return (*without_probabilities(results), *results.task.reading)
    scored = not all(map(lookup.gives_labels_only, results.data["models"]))
    scores = "Scores at or above the threshold are positive; tied scores count one half in the AUC."
    noted = (scores,) if scored else ()
    if not _shows_costs(results):
        return noted
    if by_row := lookup.costs_by_row(results):
        return (*noted, by_row)
    false_negative, false_positive, declared = lookup.costs(results)
    costs = (
        f"Costs: {numbers.threshold(false_negative)} for a false negative, "
        f"{numbers.threshold(false_positive)} for a false positive"
    )
    return (*noted, f"{costs}." if declared else f"{costs}; the spec declares none.")


def without_probabilities(results: Results) -> Iterator[str]:
    """Why models of several classes have no measures of probability, as the checks say."""
    by_reason: dict[str, list[ImproperScores]] = {}
    for check in results.data["checks"]:
        if "improper" in check:
            scores = ImproperScores(**check["improper"])
            by_reason.setdefault(scores.why, []).append(scores)
    for why, alike in by_reason.items():
        who = lookup.clean(alike[0].model)
        if len(alike) > 1:
            who = numbers.plural(len(alike), "model")
        reason = why.replace("they", "the scores", 1)
        yield f"Probability measures of {who} are left out: {reason}."
        codes = {one["model"] for one in results.data.get("isolated_values", ())}
        if codes.issuperset(scores.model for scores in alike):
            continue  # a code of missing values is no logit
        if any(scores.least is not None and scores.least < 0 for scores in alike):
            yield "The softmax of logits, or of log-probabilities, gives probabilities."
        elif alike[0].rows != 0:
            yield "Probabilities add up to 1 in every row: divide shares of a row by their sum."


def _shows_costs(results: Results) -> bool:
    """Whether a measure of cost has a value in the main table."""
    shown = {m for m in chosen(results) if headings.heading(m, results) == headings.GROUPS["cost"]}
    values = lookup.numbers(results).items()
    return any(measure in shown and number.value is not None for (measure, _), number in values)
