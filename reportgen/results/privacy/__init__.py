"""Small counts, and whatever they could be worked out from, taken out of results."""

from reportgen.results.privacy.cells import of_rows
from reportgen.results.privacy.small_cells import without_small_cells
from reportgen.results.withheld_parts import REASON

__all__ = ["REASON", "of_rows", "without_small_cells"]
