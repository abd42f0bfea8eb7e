"""Evaluation of data that need not fit into memory: counts of parts, merged by addition.

A *plan* says what is counted, a *leaf* is a part of one file, a *partial* its
counts. Scores are counted in *cells* of a fixed key that keeps their order,
so partials of any parts, made anywhere and in any order, add up to the same
whole.
"""

from __future__ import annotations

from reportgen.engines.choice import EngineChoice, chosen

__all__ = ["EngineChoice", "chosen"]
