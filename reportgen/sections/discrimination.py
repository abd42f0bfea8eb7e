"""How well the scores rank: ROC and P-R curves, areas, dominance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.sections import by_class, deduplication, lookup, metric_table
from reportgen.sections.registry import section
from reportgen.sections.tables import Table
from reportgen.sections.top_of_list import top_of_list
from reportgen.tables.comparisons import DominanceRow
from reportgen.text import numbers
from reportgen.text.words import listed


@section(40)
@dataclass(frozen=True)
class Discrimination:
    """Ranking of the positives above the negatives, whatever the threshold."""

    id: ClassVar[str] = "discrimination"
    title: ClassVar[str] = "Discrimination"

    introduction: str
    figures: tuple[str, ...]
    dominance: tuple[str, ...]
    tables: tuple[Table, ...]
    elsewhere: bool
    top: tuple[Table, ...]
    classes: tuple[Table, ...]
    left_out: tuple[str, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> Discrimination | None:
        """Fill the section; None when no model has scores."""
        shown = lookup.metrics(results, ["ranking"], core=results.task.two_classes)
        title = results.task.ranking_caption
        if not deduplication.has_value(results, shown):
            return None
        further_measures = deduplication.further(results, shown)
        tables = metric_table.tables(
            results, further_measures, id=cls.id, caption=title, grouped=False
        )
        return cls(
            results.task.discrimination,
            lookup.placed(figures, "discrimination"),
            dominance(results),
            tables,
            len(further_measures) < len(shown),
            top_of_list(results),
            by_class.areas(results),
            lookup.without_scores(results),
        )


STABLE = 0.95
"""In this share of bootstrap samples curves are related as in the rows where a sentence says so."""


def dominance(results: Results) -> tuple[str, ...]:
    """Which curve lies above which; crossings only where no table of the comparisons has them.

    Curves that are related otherwise in more than 1 of 20 bootstrap samples are no finding.
    """
    crossings = not lookup.has_section(results, "comparisons")
    is_shown, _ = lookup.tabulated_pairs(results)
    by_subject: dict[tuple[str, ...], list[DominanceRow]] = {}
    for row in rows_of(results.dominance, DominanceRow):
        if row["curve"] not in CURVES or row["slice"] is not None or not is_shown(row["models"]):
            continue
        if row["stability"] is not None and row["stability"] < STABLE:
            continue
        if crossings or row["relation"] != "crosses":
            by_subject.setdefault(_subject(row), []).append(row)
    printed = lookup.printed(results)
    by_text: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for subject, rows in by_subject.items():
        is_above = len(subject) == 2
        below = _below(rows, subject[1]) if is_above else subject[1:]
        by_text.setdefault((str(is_above), subject[0], *below), []).append(subject)
    return tuple(_sentence(subjects, by_subject, printed) for subjects in by_text.values())


def _subject(row: DominanceRow) -> tuple[str, ...]:
    """What rows of one sentence share: the curve of one model that is above others, or a pair."""
    first, second = row["models"]
    better = {"contains": (first,), "is contained": (second,)}
    return (row["curve"], *better.get(row["relation"], (first, second)))


def _below(rows: Sequence[DominanceRow], better: str) -> list[str]:
    """The models whose curves lie below that of one."""
    return [name for row in rows for name in row["models"] if name != better]


def _sentence(
    subjects: Sequence[tuple[str, ...]],
    by_subject: Mapping[tuple[str, ...], Sequence[DominanceRow]],
    printed: Mapping[str, str],
) -> str:
    """Say it once of all curves that lie above the same others."""
    rows = by_subject[subjects[0]]
    stable = _stability([row for subject in subjects for row in by_subject[subject]])
    if len(subjects) == len(rows) == 1:
        return f"{lookup.clean(rows[0]['verdict']).removesuffix('.')}{stable}."
    below = [printed[name] for name in _below(rows, subjects[0][1])]
    above = [printed[subject[1]] for subject in subjects]
    one, several = len(above) == 1, len(below) > 1
    return (
        f"The {CURVES[subjects[0][0]]} {'curve' if one else 'curves'} of {listed(above)} "
        f"{'lies' if one else 'lie'} nowhere below {'those' if several else 'that'} "
        f"of {listed(below)}{stable}."
    )


def _stability(rows: Sequence[DominanceRow]) -> str:
    """In how many bootstrap samples the curves are related so, of several pairs the least."""
    shares = [
        (share, count)
        for row in rows
        if (share := row["stability"]) is not None and (count := row["replicates"]) is not None
    ]
    if len(shares) < len(rows):
        return ""
    share, count = min(shares)
    least = "at least " if len(rows) > 1 else ""
    samples = (
        f"{least}{numbers.count(round(share * count))} of {numbers.count(count)} bootstrap samples"
    )
    return f" (also in {samples})"


CURVES = {"roc": "ROC", "precision_recall": "P-R"}
