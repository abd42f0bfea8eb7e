"""The main table: a row per measure, a column per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from reportgen.concluding import featured_models, rare_class
from reportgen.metric_names import parted
from reportgen.sections import bounds, by_class, headings, lookup, metric_table, models_by_rank
from reportgen.sections.averages import base, key
from reportgen.sections.registry import section
from reportgen.sections.tables import Table
from reportgen.spec.section_choice import prints_all_measures
from reportgen.text import numbers

if TYPE_CHECKING:
    from reportgen.charts import Figure
    from reportgen.results import Results

SHOWN = ("decision", "ranking", "agreement", "probability", "cost", "error")


@section(20)
@dataclass(frozen=True)
class KeyNumbers:
    """The dozen measures that reviewers read, with their intervals."""

    template: ClassVar[str] = "sections/key_numbers.html.j2"
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
        every, results = results, featured_models.featured(results)
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
        return cls(
            introduction(results),
            featured_models.note(every),
            models_by_rank.leaderboard(every),
            tables,
            by_class.averages(results),
            unprinted_measures(results),
            lookup.has_section(results, "methods"),
            lookup.placed(figures, cls.id),
        )


def chosen(results: Results) -> list[str]:
    """The measures of the main table: those that the spec lists, else the core ones."""
    requested, values = results.spec.get("measures", "core"), lookup.numbers(results)
    kind = lookup.task(results)
    if isinstance(requested, str):
        names = headings.by_heading(lookup.metrics(results, SHOWN, core=True), kind)
        always = {n for n in names if n not in results.task.also_core}
        valued = {metric for metric, model in values if values[metric, model].value is not None}
        names = _both_f1([name for name in names if name in always | valued])
        return _of_rare_class(names) if rare_class.is_rare(results.data) else names
    present = list(dict.fromkeys(metric for metric, _ in values))
    keys = [key(*parted(name)) for name in requested]
    named = {name: [p for p in present if base(p) == name] for name in keys}
    return [one for name in keys for one in ([name] if name in present else named[name])]


def _of_rare_class(names: list[str]) -> list[str]:
    """The measures of the ranking first, those of the common class last under their heading."""
    of = {name: headings.heading(name) for name in names}
    order = list(dict.fromkeys([headings.GROUPS["ranking"], *of.values()]))
    return sorted(rare_class.ordered(names), key=lambda name: order.index(of[name]))


def _both_f1(names: list[str]) -> list[str]:
    """The two forms of macro-F1 side by side."""
    first, second = "f1|macro", "f1_of_macro"
    if first in names and second in names:
        names.remove(first)
        names.insert(names.index(second), first)
    return names


def unprinted_measures(results: Results) -> str:
    """Where the measures are that this report does not print."""
    if prints_all_measures(results.spec):
        return ""
    count = len({metric for metric, _ in lookup.numbers(results)})
    return (
        f"{numbers.plural(count, 'measure')} of each model are in results.json, with intervals or "
        "the reason why a value is undefined; “measures: all” in the spec prints them all."
    )


def introduction(results: Results) -> str:
    """What the numbers are about, in one sentence."""
    data = results.data
    rows = numbers.plural(data["rows_evaluated"], lookup.row_noun(data))
    level = numbers.level(lookup.confidence(results))
    return f"Values for {rows}, with {level} confidence intervals where available{_about(results)}."


def _about(results: Results) -> str:
    data = results.data
    if results.task.two_classes:
        return f"; the positive class is “{lookup.clean(data['positive'])}”"
    if results.task.of_numbers:
        return "; an error is the truth minus the estimate"
    return f" and {numbers.count(len(data['classes']))} {results.task.nouns}"


def conventions(results: Results) -> tuple[str, ...]:
    """What a reader must know to recompute a number, for the foot of the table."""
    if results.task.reading:
        return results.task.reading
    false_negative, false_positive, declared = lookup.costs(results)
    costs = (
        f"Costs: {numbers.threshold(false_negative)} for a false negative, "
        f"{numbers.threshold(false_positive)} for a false positive"
    )
    return (
        "Scores at or above the threshold are positive; tied scores count one half in the AUC.",
        f"{costs}." if declared else f"{costs}; the spec declares none.",
    )
