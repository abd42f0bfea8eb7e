"""The gist as Markdown for a review comment: verdict first, the rest folded away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import ClassVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from reportgen.compiled_templates import CompiledTemplates
from reportgen.records.model import Results
from reportgen.records.rows import quantile_levels
from reportgen.resources import TEMPLATES
from reportgen.sections import (
    by_class,
    claims,
    comparisons,
    headings,
    interval_columns,
    left_out,
    lookup,
    metric_table,
    models_by_rank,
    rows_in_words,
    score_data,
    score_tests,
    verdict,
)
from reportgen.sections.decisions import counts
from reportgen.sections.gates import gates_table
from reportgen.sections.key_numbers import chosen, conventions, without_probabilities
from reportgen.sections.markdown import Grid, escape, grid
from reportgen.sections.notable_rows import RowsSection
from reportgen.sections.shift import ShiftSection
from reportgen.sections.slices import SlicesSection
from reportgen.sections.tables import Table
from reportgen.text import numbers
from reportgen.text.scripts import restored
from reportgen.text.words import capitalised

LONGEST = 65_536
"""Most characters that a comment may have."""

CUT = "\n\n*Cut here: the whole report is in report.html.*\n"


@dataclass(frozen=True)
class Folded:
    """What stands under one heading that opens on a click."""

    title: str
    grids: tuple[Grid, ...] = ()
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    """All that ``templates/summary.md.j2`` reads."""

    template: ClassVar[str] = "summary.md.j2"

    marker: str
    state: str
    headline: str
    sentence: str
    action: str
    caveats: tuple[str, ...]
    lowest_of: str
    lowest: str
    facts: str
    gates: Grid | None
    tables: tuple[Grid, ...]
    folded: tuple[Folded, ...]
    foot: str

    @classmethod
    def from_results(cls, results: Results) -> Summary:
        """Fill the summary."""
        gates = gates_table(results)
        scores = results.task.of_values
        build = lookup.clean(results.build.get("id") or "")
        version = lookup.clean(results.versions.get("reportgen") or "")
        return cls(
            marker(results),
            verdict.state_text(results),
            lookup.clean(results.decision.headline),
            lookup.clean(results.decision.sentence),
            "" if results.decision.action is None else lookup.clean(results.decision.action.text),
            tuple(lookup.clean(caveat.text) for caveat in results.decision.with_care),
            *verdict.lowest(results),
            _facts_of_scores(results) if scores else facts(results),
            grid(gates) if gates else None,
            _grids([models_by_rank.models_table(results), *(() if scores else _main(results))]),
            tuple(_folded_scores(results) if scores else _folded(results)),
            f"{lookup.clean(results.title, 200)} · build {build} · reportgen {version}",
        )


def text(results: Results) -> str:
    """The summary as Markdown, at most 65,536 characters: what is folded goes first."""
    summary = Summary.from_results(results)
    template = _template()
    for count in range(len(summary.folded), -1, -1):
        shown = template.render(summary=replace(summary, folded=summary.folded[:count]))
        if len(shown) <= LONGEST:
            return restored(shown)
    shown = restored(shown)
    whole_lines = shown[: LONGEST - len(CUT)].rpartition("\n")[0]
    return whole_lines + CUT


@cache
def _template() -> Template:
    environment = Environment(  # noqa: S701  # Markdown is escaped by ``finalize``, not as HTML
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        finalize=escape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=CompiledTemplates("summary"),
    )
    return environment.get_template(Summary.template)


def marker(results: Results) -> str:
    """A name that stays the same from build to build, to find the comment again."""
    return sha256(results.title.encode("utf-8", "replace")).hexdigest()[:12]


def facts(results: Results) -> str:
    """Rows, classes and interval level, and how the models were tested."""
    data = results.data
    level = numbers.level(results.confidence)
    truth = rows_in_words.truth(results)
    if results.task.two_classes and not results.task.graded:
        by_weight = rows_in_words.share_by_weight(results)
        share = f"{numbers.prevalence(data['prevalence'])} positive"
        share += "" if by_weight is None else f", {by_weight} by weight"
        truth = f"{share} ({lookup.clean(data['positive'])})"
    sentence = f"{rows_in_words.rows(results)}, {truth}; {level} intervals in brackets."
    if left := rows_in_words.without_weight(data):
        sentence += f" Left out: {numbers.plural(left, 'row')} with weight 0."
    tested = " · ".join(verdict.evaluated(data))
    return f"{sentence} {capitalised(tested)}." if tested else sentence


def _grids(tables: Iterable[Table]) -> tuple[Grid, ...]:
    return tuple(grid(table) for table in tables)


def _main(results: Results) -> tuple[Table, ...]:
    """The open table: the first measures, or the ones that the spec lists."""
    names = chosen(results)
    listed = not isinstance(results.declared.measures, str)
    main = results.task.summary_measures
    if quantile_levels(results.data["models"]):
        main = tuple(lookup.of_quantiles(results))
    if interval_columns.has_intervals(results):
        main = (*main, *headings.of_aspect(results, headings.INTERVAL))
    if results.declared.ordered:
        main = (*results.task.leading_of_order, *main)
    shown = names if listed else [name for name in names if name in main]
    why = tuple(without_probabilities(results))
    return metric_table.tables(
        results, shown, id="main", caption="Main measures", grouped=False, more=why
    )


def _folded(results: Results) -> Iterable[Folded]:
    records = lookup.compared(results)
    if records:
        sentences = comparisons.sentences(results, records, lookup.clean(results.decision.sentence))
        unmade = comparisons.unmade([row for row in records if len(row.models) > 1])
        shown = comparisons.grids(results, records)
        yield Folded("Comparisons", _grids(shown), (*sentences, *unmade))
    if results.task.two_classes:
        yield Folded("Confusion counts", _grids([counts(results)]))
    decided = by_class.decided(results)
    if decided is not None:
        title = f"Measures by {results.task.noun}"
        yield Folded(title, _grids([*by_class.averages(results), decided]))
    of_slices = (
        SlicesSection.from_results(results, ())
        if lookup.has_section(results, SlicesSection.id)
        else None
    )
    if of_slices is not None and of_slices.gaps:
        yield Folded(SlicesSection.title, _grids(of_slices.gaps), of_slices.findings)
    shift = (
        ShiftSection.from_results(results, ())
        if lookup.has_section(results, ShiftSection.id)
        else None
    )
    if shift is not None:
        shown = [table for table in (shift.quantities, shift.changes) if table is not None]
        yield Folded(ShiftSection.title, _grids(shown), (shift.introduction, *shift.findings))
    key = metric_table.tables(
        results, chosen(results), id="all", caption="Key measures", more=conventions(results)
    )
    yield Folded("All key measures", _grids(key))
    rows = (
        RowsSection.from_results(results, ())
        if lookup.has_section(results, RowsSection.id)
        else None
    )
    if rows is not None and rows.tables:
        yield Folded(RowsSection.title, _grids(rows.tables), rows.findings)
    if results.skipped:
        sentences = tuple(f"{text}." for text in left_out.sentences(results))
        yield Folded("Left out", lines=sentences)


def _facts_of_scores(results: Results) -> str:
    """Models, data sets and measure in a sentence."""
    data = results.data
    models = numbers.plural(len(data["models"]), "model")
    sets = numbers.plural(data["datasets"], score_data.unit(data))
    what = lookup.clean(lookup.phrase(data["measure"], results))
    level = numbers.level(results.confidence)
    where = f"{'in' if score_data.unit(data) == 'fold' else 'on'} {sets}"
    return f"{models} {where}, {what} ({data['better']} is better); {level} intervals in brackets."


def _folded_scores(results: Results) -> Iterable[Folded]:
    """What opens on a click in a comparison over data sets."""
    records = lookup.compared(results)
    claimed = [row for row in records if len(row.models) == 1]
    tables = {
        "All models at once": score_tests.overall(results, records),
        "Claims": claims.table(results, claimed) if claimed else None,
        "Pairs": score_tests.pairs(results, records) if len(claimed) < len(records) else None,
        "Every pair": score_tests.matrix(results, records),
    }
    return [Folded(title, _grids([one])) for title, one in tables.items() if one is not None]
