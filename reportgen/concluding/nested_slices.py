"""That a conclusion holds for the values of a slice at hand, as sites, or readers of all cases."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparing.undeclared_limits import as_group, is_undone_by
from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.records.decision import Caveat
from reportgen.records.limit_widths import UndeclaredGroup
from reportgen.records.model import Results
from reportgen.text import numbers


def of_these_values(
    results: Results, contest: Contest, *, withheld: bool = False
) -> Iterator[Caveat]:
    """What page one says of slices that errors depend on, or that whole groups lie in.

    Other values are not seen. How many there are it does not say where some are ``withheld``.
    """
    said = ""
    for one in results.data.get("grouping_slices", ())[:1]:
        said = one["column"]
        yield Caveat("grouping_slice", "moderate", _resembling(one, contest))
    groups = results.data.get("groups")
    counts = {one["name"]: len(one["values"]) for one in results.data.get("slices") or ()}
    for name in () if groups is None else groups.get("nested_in", ()):
        if name == said:
            continue
        number = "" if withheld else f"{counts[name]} "
        of = bounded(name)
        text = (
            f"Each group has one value of {of}. Tests and limits generalise to further groups, not "
            f"to further values of {of}: the conclusion holds for these {number}values alone."
        )
        yield Caveat("nested_groups", "moderate", text)


def _resembling(one: UndeclaredGroup, contest: Contest) -> str:
    name, wider = bounded(one["column"]), numbers.rounded(one["times_as_wide"], 1)
    text = (
        f"Rows with the same value of the slice {name} have similar errors, so limits hold for "
        f"these {numbers.count(one['values'])} values alone. To hold for other values too, "
        f"they would have to be up to {wider} times as wide."
    )
    tests = (row for pair, row in contest.tests.items() if contest.leader in pair)
    if any(is_undone_by(row, [one]) for row in tests):
        text += f" With {as_group(one)} the deciding test would not reject."
    return text
