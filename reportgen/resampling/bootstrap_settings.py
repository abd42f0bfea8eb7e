"""How rows are resampled: what every bootstrap takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.resampling.limits import Method


@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """How often rows are drawn, from which seed, and how limits are made of the replicates.

    ``methods`` are percentile, basic or bca; the first that has limits is taken. ``stratified``:
    each class keeps its size, for designs that fixed the sizes.
    """

    replicates: int = 2000
    seed: int = 0
    confidence: float = 0.95
    methods: Sequence[Method] = ("percentile",)
    stratified: bool = False


DEFAULT = BootstrapSettings()
