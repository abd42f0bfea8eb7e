"""Small counts, and whatever they could be worked out from, taken out of results."""

from reportgen.results.privacy.small_cells import REASON, without_small_cells

__all__ = ["REASON", "without_small_cells"]
