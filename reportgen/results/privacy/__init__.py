"""Small counts, and whatever they could be worked out from, taken out of results."""

from reportgen.results.privacy.cells import of_rows
from reportgen.results.privacy.score_levels import score_levels
from reportgen.results.privacy.small_cells import without_small_cells

__all__ = ["of_rows", "score_levels", "without_small_cells"]
