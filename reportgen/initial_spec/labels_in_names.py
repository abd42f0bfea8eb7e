"""Labels as they stand in the names of columns."""

from __future__ import annotations

import re


def folded(text: str) -> str:
    """Return a label as it may stand in the name of a column.

    >>> folded("Class 01"), folded("class_01"), folded("P (class=yes)")
    ('class_01', 'class_01', 'p_class_yes')
    """
    return re.sub(r"\W+", "_", text.casefold()).strip("_")
