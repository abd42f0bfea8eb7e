"""Which model a test names as the better one: only what the tests that decide say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.sections.tables import Cell
from reportgen.tables.comparisons import ComparisonRow

REJECTS = "significant"
"""What stands where a test rejects that does not decide, and no test that does says the same."""

NOTE = (
    "Significant: by a test that does not decide; the conclusion on page one does not rest on it."
)

SHOWN = {"equivalence": "equivalent", "non_inferiority": "not inferior"}
"""What tests against a margin show where they reject."""

NOT_SHOWN = {"equivalence": "not\u00a0established", "non_inferiority": "not\u00a0established"}
"""What stands where such a test does not reject; of a difference the models are level."""

BetterOfPairs = frozenset[tuple[frozenset[str], str, str]]


def named_by(records: Sequence[ComparisonRow]) -> BetterOfPairs:
    """Models, measure and better one of the recommended tests."""
    return frozenset(
        (frozenset(row.models), row.metric, row.better)
        for row in records
        if row.recommendation == "recommended" and row.better is not None
    )


def has_rejects(records: Sequence[ComparisonRow]) -> bool:
    """Whether a test rejects that names no model."""
    named = named_by(records)
    return any(row.reject and better(row, named, {}) == REJECTS for row in records)


def better(row: ComparisonRow, named: BetterOfPairs, printed: Mapping[str, str]) -> str:
    """The better model in a cell; empty where the test names none.

    >>> row = ComparisonRow(models=("a", "b"), metric="auc", better="a", recommendation="avoid")
    >>> better(row, frozenset(), {"a": "a"}), better(row, named_by([row]), {"a": "a"})
    ('significant', 'significant')
    >>> decides = ComparisonRow(**{**vars(row), "recommendation": "recommended"})
    >>> [better(one, named_by([decides, row]), {"a": "a"}) for one in (decides, row)]
    ['a', 'a']
    """
    name = row.better
    if name is None:
        return ""
    if (frozenset(row.models), row.metric, name) not in named:
        return REJECTS
    return printed.get(name, "")


def in_a_word(row: ComparisonRow, winner: str) -> Cell:
    """What the adjusted p shows, in a word; ``winner`` is the model that it names."""
    if row.reject is None:
        shown = "–" if row.probabilities else "n/a"
        return Cell(shown if winner == REJECTS else winner or shown, kind="muted")
    if not row.reject:
        return Cell(NOT_SHOWN.get(row.shows, "level"), kind="muted")
    several = "some\u00a0differ" if len(row.models) > 2 else "differ"
    return Cell(winner or SHOWN.get(row.shows, "") or several)
