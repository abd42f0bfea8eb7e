"""Small counts, and whatever they could be worked out from, taken out of results."""

from reportgen.results.privacy.cells import distinct_scores, of_rows
from reportgen.results.privacy.small_cells import without_small_cells

__all__ = ["distinct_scores", "of_rows", "without_small_cells"]
