"""What is withheld for the sake of small counts, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.comparisons.wording import measure
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import SkippedRecord
from reportgen.tables import CURVES
from reportgen.text.words import listed

REASON = "withheld: it would reveal a small count"
"""Stands for a withheld number in the metrics."""

ADVICE = "threshold advice"

SINGLE_ROWS = "rows to look at"

SLICES = "slices"


@dataclass(frozen=True, slots=True)
class WithheldPart:
    """A kind of what is withheld, and the names of it where the kind has several."""

    kind: str
    names: tuple[str, ...] = ()


def withheld_parts(whole: Results, published: Results) -> Iterator[WithheldPart]:
    """Every section, table and number of ``whole`` that is not in ``published``, by kind.

    What is named follows from what is missing in the published results, and so
    tells nothing that they do not.
    """
    curves = [name for name in whole.curves if name not in published.curves]
    yield from _named("curves", (CURVES[name].title for name in curves))
    sizes: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {
        "dominance of curves": (whole.dominance, published.dominance),
        "generalisation": (whole.generalisation, published.generalisation),
        "values of single folds": (whole.folds, published.folds),
    }
    for name, (before, after) in sizes.items():
        if before.height > after.height:
            yield WithheldPart(name)
    gone = whole.slices.filter(~pl.col("slice").is_in(published.slices["slice"].to_list()))
    yield from _named(SLICES, (" × ".join(names) for names in gone["slicing"].to_list()))
    pairs = _rows(whole.gaps) - _rows(published.gaps)
    yield from _named("gaps between slices", (" × ".join(names) for names, _ in sorted(pairs)))
    tests = _tests(whole) - _tests(published)
    yield from _named("tests", (measure(name) for name, _ in sorted(tests)))
    differences = _differences(whole) - _differences(published)
    yield from _named("differences", (measure(name) for name, _ in sorted(differences)))
    metrics = published.metrics.filter(pl.col("slice").is_null(), undefined=REASON)
    yield from _named("measures", (measure(name) for name in metrics["metric"].to_list()))
    yield from _of_summary(whole, published)
    if whole.shift is not None and published.shift is None:
        yield WithheldPart("shift between periods")
    if (whole.data.get("distribution") or {}) != (published.data.get("distribution") or {}):
        yield WithheldPart("smallest, median and largest truth")
    for name in ("roles", "identical_rows"):
        if whole.data.get(name) and not published.data.get(name):
            yield WithheldPart("rows by role" if name == "roles" else "identical rows")


def _of_summary(whole: Results, published: Results) -> Iterator[WithheldPart]:
    before, after = whole.data_summary, published.data_summary
    if before is None or after is None:
        return
    if before.distributions:
        yield WithheldPart("distributions of scores by fold or time")
    left = {one.column for one in after.missing}
    yield from _named("missing values", (m.column for m in before.missing if m.column not in left))


def reason(smallest: int) -> str:
    """Why parts are withheld: the reason that their records have."""
    return f"withheld, as it would reveal small counts (privacy.small_cells: {smallest})"


def records(parts: Iterable[WithheldPart], smallest: int) -> list[SkippedRecord]:
    """The parts as records of what the report leaves out."""
    why = reason(smallest)
    return [{"what": p.kind, "names": p.names, "model": None, "reason": why} for p in parts]


def columns_of_slices(skipped: Sequence[SkippedRecord], smallest: int | None) -> frozenset[str]:
    """The columns, alone or crossed, of which a slice is withheld; none without privacy."""
    why = None if smallest is None else reason(smallest)
    withheld = (r["names"] for r in skipped if r["what"] == SLICES and r["reason"] == why)
    return frozenset(name for names in withheld for name in names)


def caveat(skipped: Sequence[SkippedRecord], smallest: int | None) -> Iterator[Caveat]:
    """One line for page one that names the kinds of what is withheld; none without privacy."""
    if smallest is None:
        return
    why = reason(smallest)
    kinds = [r["what"] for r in skipped if r["reason"] == why]
    if kinds:
        text = f"Withheld for privacy, listed under Provenance: {listed(kinds)}."
        yield Caveat("withheld", "moderate", text)


def _named(kind: str, names: Iterable[str]) -> Iterator[WithheldPart]:
    """The kind with its names, each once; nothing without any."""
    once = tuple(dict.fromkeys(names))
    if once:
        yield WithheldPart(kind, once)


def _rows(gaps: pl.DataFrame) -> set[tuple[tuple[str, ...], str]]:
    return {(tuple(row["slicing"]), row["metric"]) for row in gaps.to_dicts()}


def _tests(results: Results) -> set[tuple[str, tuple[str, ...]]]:
    rows = results.comparisons.to_dicts()
    return {(row["metric"], (row["comparison"], *row["models"])) for row in rows}


def _differences(results: Results) -> set[tuple[str, tuple[str, ...]]]:
    rows = results.differences.filter(pl.col("value").is_not_null()).to_dicts()
    return {(row["metric"], tuple(row["models"])) for row in rows}
