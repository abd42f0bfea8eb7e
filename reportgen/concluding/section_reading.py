"""What sections show first, and say beside the decision: worked out once, for every page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.comparing.favoured_median import favoured_medians
from reportgen.concluding import (
    margins,
    pairs_in_slices,
    rare_class,
    reversed_scores,
    single_class,
)
from reportgen.concluding.caveats import takes_away
from reportgen.concluding.claim_verdicts import in_use, of_limits
from reportgen.concluding.cost_headline import are_of_rows
from reportgen.concluding.few_units import FEW
from reportgen.concluding.leading import decimals_of_effects
from reportgen.concluding.probability_caveats import in_words, off_on_average
from reportgen.concluding.reference_changes import findings
from reportgen.concluding.slice_caveats import sentences
from reportgen.measuring.slices import FEW_GROUPS, FEW_OF_A_CLASS, FEW_ROWS
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.records.section_reading import ClaimReading, NoConclusion, Reading, SectionSentences
from reportgen.records.shown_models import in_slices
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tasks import TaskInfo

MOST_MODELS = 6
"""Of more models the sections show the best and the baseline; a table has all of them."""

MOST_IN_SLICES = 3
"""So many of them have figures of their own and stand in the tables by slice."""


def with_reading(results: Results) -> Results:
    """The decided results with how they are read."""
    data, decision = results.data, results.decision
    tested = results.comparisons["metric"].unique(maintain_order=True)
    misread = reversed_scores.against_bold(decision)
    reasons = ((measure, takes_away(data, measure) or misread) for measure in tested)
    stated = None if are_of_rows(results) else results.declared.prevalence
    reading = Reading(
        models=tuple(_shown(results)),
        in_slices=tuple(_in_slices(results)),
        positives_are_rare=rare_class.is_rare(data),
        a_class_is_rare=rare_class.has_rare_class(data),
        read_first=rare_class.OF_THE_LIST if rare_class.is_rare(data) else (),
        say_little=rare_class.say_little(decision.measure, data),
        no_conclusion=tuple(NoConclusion(m, why) for m, why in reasons if why is not None),
        single_class=tuple(single_class.single_classes(results.metrics)),
        claims=tuple(_claims(results)),
        stated_prevalence=stated,
        median_favoured=favoured_medians(results.metrics, data).is_large,
        few_rows=FEW,
        small_slice=_small_slice(results.task),
        effect_decimals=decimals_of_effects(results.comparisons, decision.measure or "", data),
        interval_widths=margins.widths(results),
    )
    return replace(results, reading=replace(reading, sentences=_sentences(results, reading)))


def _sentences(results: Results, reading: Reading) -> SectionSentences:
    return SectionSentences(
        calibration=tuple(in_words(off_on_average(results))),
        shift=tuple(findings(results)),
        slices=tuple(sentences(in_slices(replace(results, reading=reading)))),
        pairs_in_slices=tuple(pairs_in_slices.sentences(results)),
    )


def _shown(results: Results) -> list[str]:
    """The best models and the baseline, first those in slices; all of them where they are few.

    A spec with ``measures: all`` shows every model. So does a table of scores over data
    sets, where models are compared in one diagram.
    """
    declared = results.models
    every = results.declared.all_measures or results.task.of_values
    if every or len(declared) <= MOST_MODELS:
        return declared
    first = _first(results, MOST_IN_SLICES)
    return [*first, *(name for name in _first(results, MOST_MODELS) if name not in first)]


def _in_slices(results: Results) -> list[str]:
    """The models that are shown one by one and by slice: of many a few."""
    if results.declared.all_measures or len(results.decision.models) <= MOST_MODELS:
        return results.models
    return _first(results, MOST_IN_SLICES)


def _first(results: Results, most: int) -> list[str]:
    """So many models: the baseline and the best, in declared order."""
    declared = results.models
    ranked = [m.model for m in results.decision.models if m.model in declared]
    order = dict.fromkeys([*ranked, *declared])
    first = [results.decision.baseline] if results.decision.baseline in declared else []
    shown = set([*first, *(name for name in order if name not in first)][:most])
    return [name for name in declared if name in shown]


def _claims(results: Results) -> Iterator[ClaimReading]:
    """The claims that limits decide, with the value that they are decided by."""
    for row in rows_of(results.comparisons, ComparisonRow):
        if len(row.models) == 1 and (by_limits := of_limits(row, results)) is not None:
            (model,), at_work = row.models, in_use(row, results)
            reading = ClaimReading(model, row.null_hypothesis, row.slice, by_limits)
            if at_work is not None:
                ends = at_work.estimate, at_work.low, at_work.high
                reading = replace(reading, value=ends[0], low=ends[1], high=ends[2])
            yield reading


def _small_slice(task: TaskInfo) -> str:
    """What a small slice is, in the notes of tables and figures alike."""
    few = f"Small: fewer than {FEW_ROWS} rows"
    if not task.two_classes or task.graded:
        return f"{few}."
    return f"{few}, or fewer than {FEW_OF_A_CLASS} rows or {FEW_GROUPS} groups of a class."
