"""Single rows that a reviewer looks at: confident errors, large residuals, disagreements."""

from reportgen.results.notable_rows.selection import (
    MOST,
    NotableRowSet,
    left_out,
    notable_rows,
    without_rows,
)

__all__ = ["MOST", "NotableRowSet", "left_out", "notable_rows", "without_rows"]
