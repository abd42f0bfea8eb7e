"""The tests that decide: one per pair and measure, with the corrections over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.records.model import Results
from reportgen.sections import correction_notes, lookup
from reportgen.sections.tables import (
    Cell,
    CellQuantity,
    Column,
    Row,
    Table,
    effect,
    effect_of_test,
    in_own_unit,
    notes_once,
    valued,
)
from reportgen.tables.comparisons import ALL_PAIRS, ComparisonRow
from reportgen.text import name_starts, numbers
from reportgen.text.words import listed

FEWEST_ACROSS, MOST_ACROSS = 4, 8
"""Models of a matrix of pairs; of fewer the ledger shows every pair at a glance."""

MATRIX_WIDTH = 66
"""Characters of the heads of a matrix on an upright page."""

FEWEST_IN_PRINT = 6
"""Models of a matrix in print, which of fewer would repeat a short ledger."""

MOST_MEASURES = 2
"""Measures that have a matrix: the main ones; the ledger has all."""


def ledger(results: Results, records: Sequence[ComparisonRow]) -> Table | None:
    """One row per pair and measure: effect, test, p three times, and what could have been seen."""
    rows = _deciding(results, records)
    if not rows:
        return None
    printed = lookup.printed(results)
    heads = (
        Column("pair", "Pair"),
        Column("difference", "Difference"),
        Column("p", "p", None, "p-value"),
        *((Column("adjusted", "Adjusted", None, "p-value"),) if lookup.corrected(rows) else ()),
        Column("report", "Adjusted over the whole report", None, "p-value"),
        Column("detectable", "Smallest detectable difference"),
    )
    is_shown, note = lookup.tabulated_pairs(results)
    lines = [
        Row(
            {
                "pair": lookup.several(row.models, printed),
                "difference": _difference(row),
                "p": numbers.p_number(row.p_value, row.alpha),
                "adjusted": numbers.p_number(row.p_adjusted, row.alpha),
                "report": numbers.p_number(row.p_report, row.alpha),
                "detectable": _detectable(row, results),
            },
            f"{lookup.label(row.metric, results)}: {row.short}",
            bool(row.reject),
        )
        for row in rows
        if is_shown(row.models)
    ]
    groups = list(dict.fromkeys(line.group for line in lines))
    lines.sort(key=lambda line: groups.index(line.group))
    return Table(
        "ledger",
        "The tests that decide",
        heads,
        tuple(lines),
        (*_notes(results, rows), *_unlisted(results, records), *note),
        by_measure=True,
    )


def _deciding(results: Results, records: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """The recommended tests; of a rare class not those of a measure that the other one fills."""
    return [
        row
        for row in records
        if row.recommendation == "recommended" and row.metric not in results.reading.say_little
    ]


def _unlisted(results: Results, records: Sequence[ComparisonRow]) -> tuple[str, ...]:
    """Which tests decide, and are counted, but are left out of the list of a rare class."""
    every = [row for row in records if row.recommendation == "recommended"]
    left = [row for row in every if row not in _deciding(results, records)]
    if not left:
        return ()
    measures = listed(sorted({lookup.phrase(row.metric, results) for row in left}))
    tests = numbers.plural(len(left), "test")
    verb = "is" if len(left) == 1 else "are"
    return (f"{tests} of {measures} {verb} counted but not listed: one class is rare.",)


def _difference(row: ComparisonRow) -> Cell:
    """The difference of two models; what several models show at once is none."""
    return Cell("–", kind="muted") if len(row.models) > 2 else effect_of_test(row)


def _why(rows: Sequence[ComparisonRow]) -> Iterator[str]:
    """Why a test is the one that decides, where that needs saying."""
    for name, why in dict.fromkeys((row.short, row.why) for row in rows if row.why):
        yield f"{name}: {lookup.clean(why).rstrip('.')}."


def _detectable(row: ComparisonRow, results: Results) -> Cell | str:
    """The smallest detectable difference; above the largest that there can be, only that."""
    value = row.detectable
    if value is None:
        return Cell("–", kind="muted")
    metric = lookup.metric_info(row.metric, results)
    if metric is not None and row.effect == "difference":
        largest = metric.range
        if largest is not None and value > largest:
            return f"above {largest:g}"
    size = CellQuantity(value, is_difference=True, is_signed=False)
    return in_own_unit(replace(valued(value), quantity=size), row)


def _whole_report(results: Results) -> str:
    """Which tests the p of the whole report is corrected for: of all models, shown or not."""
    results = results.whole or results
    tests = results.comparisons.filter(results.comparisons["p_report"].is_not_null())
    claims = int((tests["models"].list.len() == 1).sum())
    gaps = results.gaps["p_report"].count()
    levels = results.data.get("slice_levels")
    slices = len(levels["slices"]) if levels else 0
    varies = sum(len(one["varies"]) for one in results.data.get("pairs_by_slice", ()))
    count = tests.height + gaps + slices + varies
    if count < 2:
        return ""
    kinds = (
        (claims, "claims"),
        (gaps, "gaps"),
        (slices, "slices against predictions"),
        (varies, "differences by slice"),
    )
    parts = [f"{numbers.count(number)} of {noun}" for number, noun in kinds if number]
    beside = f" (among them {listed(parts)})" if parts else ""
    return f" Whole report: Holm over the {count} tests that decide{beside}.{_of_shift(results)}"


def _of_shift(results: Results) -> str:
    """That tests of two periods, which are not about the models, have a correction of their own."""
    tested = results.shift is not None and results.shift.tested
    return " Tests of shift are corrected in their own family." if tested else ""


def _notes(results: Results, rows: Sequence[ComparisonRow]) -> tuple[str, ...]:
    names = sorted({row.correction for row in rows if row.correction})
    correction = listed([name.replace("_", " ").capitalize() for name in names])
    adjusted = (
        "Not adjusted: the spec asks for no correction."
        if names == ["none"]
        else f"Adjusted: {correction} over {families(rows)}."
    )
    if names != ["none"] and not lookup.corrected(rows):
        adjusted = "One comparison of each kind: p needs no correction."
    alpha = rows[0].alpha
    over_all = _whole_report(results)
    several = any((row.family_size or 1) > 1 for row in rows)
    family = " over its family" if several else ""
    limits = (
        " Limits of a difference are simultaneous over the same family (Bonferroni) and agree with "
        "the adjusted p."
        if several
        else ""
    )
    return (
        *_why(rows),
        f"{adjusted}{over_all}",
        "Smallest detectable difference: the true difference that this test detects with a power "
        f"of 80 % at α = {alpha:g}{family}.{limits}",
        *correction_notes.notes_of_tests(rows, results.definitions),
    )


def families(rows: Sequence[ComparisonRow]) -> str:
    """What the families of the pairs of a measure are."""
    families = {row.family for row in rows if len(row.models) == 2}
    with_baseline = next((name for name in families if name != ALL_PAIRS), None)
    if with_baseline is None:
        return "the pairs of a measure"
    others = "; for other pairs, over all pairs" if ALL_PAIRS in families else ""
    return f"the {with_baseline}, for each measure{others}"


def matrices(results: Results, records: Sequence[ComparisonRow]) -> tuple[Table, ...]:
    """Of several models all pairs of each measure: difference above, adjusted p below."""
    decision, printed = results.decision, lookup.printed(results)
    names = sorted(
        [model.model for model in decision.models if model.model in printed],
        key=lambda name: (name == decision.baseline, name != decision.leader),
    )
    if not FEWEST_ACROSS <= len(names) <= MOST_ACROSS:
        return ()
    rows = [row for row in _deciding(results, records) if len(row.models) == 2]
    measures = list(dict.fromkeys(row.metric for row in rows))[:MOST_MEASURES]
    return notes_once(
        _matrix(results, names, m, [r for r in rows if r.metric == m]) for m in measures
    )


def _matrix(
    results: Results, names: Sequence[str], metric: str, rows: Sequence[ComparisonRow]
) -> Table:
    printed = lookup.printed(results)
    pairs = {tuple(row.models): row for row in rows}
    heads = name_starts.heads([printed[name] for name in names], MATRIX_WIDTH // len(names))
    columns = (Column("model", "Model"), *(Column(f"m{i}", name) for i, name in enumerate(heads)))
    lines = []
    for i, first in enumerate(names):
        cells: dict[str, Cell | str] = {"model": printed[first]}
        for j, second in enumerate(names):
            is_reversed = (first, second) not in pairs
            row = pairs.get((second, first) if is_reversed else (first, second))
            cells[f"m{j}"] = _entry(row, i, j, sign=-1 if is_reversed else 1)
        lines.append(Row(cells))
    measure = lookup.phrase(metric, results)
    over = families(rows)
    notes = (
        "Above the diagonal: the row's model minus the column's, bold where the test rejects. "
        f"Below: the adjusted p of the same pair; adjusted over {over}.",
    )
    every = len(names) == len(results.decision.models)
    caption = f"{'All pairs' if every else 'Pairs of the models shown'}: {measure}"
    on_screen = len(names) < FEWEST_IN_PRINT
    return Table(f"pairs_{metric}", caption, columns, tuple(lines), notes, screen=on_screen)


def _entry(row: ComparisonRow | None, i: int, j: int, *, sign: int) -> Cell | str:
    if row is None or i == j:
        return Cell("–", kind="muted")
    if i > j:
        return numbers.p_number(row.p_adjusted, row.alpha)
    value = None if row.estimate is None else sign * row.estimate
    return replace(effect(value), kind="best" if row.reject else None)
