"""What p and limits are corrected for, and ends that are held at 0 to agree with p."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.records.decision import FamilyOfTests
from reportgen.records.definitions import Definitions
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import listed

WITHOUT_LEVEL = ("benjamini_hochberg", "benjamini_yekutieli", "none")
"""Corrections that do not bound the probability of rejecting any true null hypothesis."""


def notes_of_tests(records: Sequence[ComparisonRow], definitions: Definitions) -> tuple[str, ...]:
    """The note on such ends among the simultaneous limits of tests; none without one."""
    held = [row for row in records if _is_held(row)]
    names = sorted({str(row.correction) for row in held})
    return (note(names, held[0].alpha, definitions),) if held else ()


def _is_held(row: ComparisonRow) -> bool:
    ends = (row.simultaneous_low, row.simultaneous_high)
    return bool(row.reject) and (row.family_size or 1) > 1 and 0 in ends


def note(corrections: Sequence[str], alpha: float, definitions: Definitions) -> str:
    r"""What ends at 0 say, and with what probability they hold with all other limits.

    Bonferroni's limits all hold with a probability of 1 − α or more, and a correction like Holm's
    rejects no true null hypothesis with as much: both together hold with 1 − 2α or more, which
    ``tests/simulations/simultaneous_limits.py`` shows to be about as little as it may be. Limits
    of the inverted test of Holm would hold with 1 − α, but say nothing of a rejected hypothesis
    beyond its sign: Strassburger & Bretz (2008), doi:10.1002/sim.3338.

    >>> note(["holm"], 0.05, Definitions()).replace("\xa0", " ").partition(". ")[2]
    'These limits and all others hold together with a probability of 90 % or more.'
    """
    named = listed([definitions.correction(name) for name in corrections])
    together = (
        ""
        if set(corrections) & set(WITHOUT_LEVEL)
        else " These limits and all others hold together with a probability of "
        f"{numbers.level(1 - 2 * alpha)} or more."
    )
    return (
        f"Where a limit is shown as < 0 or > 0, the test rejects after {named}, although the "
        f"Bonferroni limit crosses 0.{together}"
    )


def p_head(family: FamilyOfTests | None) -> str:
    """The head of p, which is adjusted where there are several comparisons to correct for."""
    return "Adjusted p" if family is not None and family.is_corrected else "p"


def limits(
    family: FamilyOfTests | None, alpha: float, definitions: Definitions, *, pairs: bool
) -> str:
    """What the limits of the differences hold for; ``pairs``: there are several."""
    if family is not None and family.correction == "none" and pairs:
        return (
            "Limits of a difference and p are of each test alone, not corrected for their number."
        )
    if family is None or family.size < 2:  # one comparison needs no correction
        return "Limits of a difference and p come from the same test, at the same level."
    name = definitions.correction(family.correction or "", "")
    how = f"{name}-adjusted p" if name else "p"
    count = numbers.plural(family.size, "comparison")
    level = numbers.level(1 - alpha)
    return f"{how} and simultaneous {level} limits (Bonferroni) over {count}."
