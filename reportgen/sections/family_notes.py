"""What p and the limits of differences are corrected for, beside the models."""

from __future__ import annotations

from reportgen.records.decision import FamilyOfTests
from reportgen.records.definitions import Definitions
from reportgen.text import numbers


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
