"""Which measures a report prints, so that the methods explain just those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections import by_class, calibration, errors, key_numbers, lookup, slices
from reportgen.sections.averages import plain

if TYPE_CHECKING:
    from reportgen.results import Results
    from reportgen.tasks import MeasureAverage


def measures_of_sections(results: Results) -> dict[str, list[MeasureAverage]]:
    """The measures of each section that has some of its own beside the main table's."""
    of_classes = lookup.by_class(results)
    return {
        "key_numbers": key_numbers.chosen(results) + plain(by_class.DECIDED if of_classes else ()),
        "discrimination": lookup.metrics(results, ["ranking"], core=results.task.two_classes)
        + plain(by_class.AREAS if of_classes else ()),
        "errors": errors.shown(results) if results.task.of_numbers else [],
        "decisions": plain(by_class.DECIDED if of_classes else ()),
        "calibration": calibration.shown(results),
        "costs": lookup.metrics(results, ["cost"], core=results.task.two_classes),
        "slices": slices.measures(results),
        "measures": lookup.metrics(results, key_numbers.SHOWN),
    }


def measures(results: Results) -> list[str]:
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
