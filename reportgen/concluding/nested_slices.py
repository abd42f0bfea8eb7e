"""That a conclusion on groups is one on the few sites, or the like, that whole groups lie in."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.records.decision import Caveat
from reportgen.records.model import Results


def of_these_values(results: Results, *, withheld: bool = False) -> Iterator[Caveat]:
    """What page one says where each group has one value of a slice: other values are not seen.

    How many there are it does not say where some are ``withheld``.
    """
    groups = results.data.get("groups")
    counts = {one["name"]: len(one["values"]) for one in results.data.get("slices") or ()}
    for name in () if groups is None else groups.get("nested_in", ()):
        number = "" if withheld else f"{counts[name]} "
        text = (
            f"Each group has one value of {bounded(name)}: tests and limits allow for the groups, "
            f"not for its {number}values, and the conclusion holds for these alone."
        )
        yield Caveat("nested_groups", "moderate", text)
