"""Which slices may be published: none with a small count, and none that tells of one."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.records.model import Results
from reportgen.results.privacy.cells import Cells, Least, of_slice

SliceCounts = list[Sequence[float | None]]


def withheld(results: Results, cells: Cells, models: Sequence[str], least: Least) -> set[str]:
    """Return the slices that stay unpublished.

    The only slicing of a report loses the slices with a small count and, so that
    these do not follow as the difference from all rows, the next smallest ones,
    until what is left out has no small count together. Of several slicings one with
    a small count is left out as a whole: its sums may stand in the others, as where
    every site lies in one country.
    """
    by_slicing: dict[tuple[str, ...], list[str]] = {}
    for row in results.slices.iter_rows(named=True):
        by_slicing.setdefault(tuple(row["slicing"]), []).append(row["slice"])
    if results.task.by_class:
        return {name for names in by_slicing.values() for name in names}
    gone: set[str] = set()
    for names in by_slicing.values():
        counts = {name: of_slice(results, cells, name, models) for name in names}
        gone |= _withheld(counts, least, several=len(by_slicing) > 1)
    return gone


def _withheld(counts: dict[str, SliceCounts], least: Least, *, several: bool) -> set[str]:
    small = [name for name in counts if not all(least.allows(table) for table in counts[name])]
    if not small:
        return set()
    others = sorted((n for n in counts if n not in small), key=lambda n: counts[n][0][0] or 0)
    while others and not several and not _hidden([counts[name] for name in small], least):
        small.append(others.pop(0))
    return set(counts) if several or not others else set(small)


def _hidden(left_out: Sequence[SliceCounts], least: Least) -> bool:
    """Whether slices hide each other: two or more, and none of their sums is small."""
    if len(left_out) < 2:
        return False
    for tables in zip(*left_out, strict=True):
        for cells in zip(*tables, strict=True):
            sizes = [n for n in cells if n is not None]
            if len(sizes) < len(cells) or not least.allows([sum(sizes)]):
                return False
    return True
