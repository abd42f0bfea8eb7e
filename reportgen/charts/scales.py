"""Axes in the unit of the data, which may be of any size, and axes of shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from reportgen.charts import chart_layers
from reportgen.column_statistics import as_float
from reportgen.text.numbers import SUPERSCRIPTS

LONG = 1e5
SHORT = 1e-3
"""Sizes from which numbers are written shorter: 200k, and 2e-6."""


def domain(*values: np.ndarray, pad: float = 0.03) -> list[float]:
    """Return where an axis of all the values begins and ends, with a little room."""
    points = np.concatenate([np.asarray(part, dtype=float) for part in values])
    low, high = float(points.min()), float(points.max())
    room = pad * (high - low) or abs(high) * 0.05 or 1.0
    return [low - room, high + room]


def axis(ends: Sequence[float], number: int = 5, **more: Any) -> alt.Axis:
    """Return an axis whose numbers stay short."""
    size = max(abs(end) for end in ends)
    if size >= LONG * 1e7 or size < SHORT:
        more["labelExpr"] = "datum.value ? format(datum.value, '.2~e') : '0'"
    elif size >= LONG:
        more["labelExpr"] = "replace(format(datum.value, '~s'), 'G', 'B')"
    return alt.Axis(tickCount=number, **more)


def x(field: str, title: str | None, ends: Sequence[float], **more: Any) -> alt.X:
    """Return a horizontal position between these ends."""
    scale = alt.Scale(domain=list(ends), nice=False)
    return alt.X(f"{field}:Q", title=title, scale=scale, axis=axis(ends, **more))


def y(field: str, title: str | None, ends: Sequence[float], **more: Any) -> alt.Y:
    """Return a vertical position between these ends."""
    scale = alt.Scale(domain=list(ends), nice=False)
    return alt.Y(f"{field}:Q", title=title, scale=scale, axis=axis(ends, **more))


NARROW = 0.1
"""Bins that end below it are logarithmic: those of equal width are as wide as this."""

TICKS = 4


@dataclass(frozen=True, slots=True)
class UnitAxes:
    """Both axes of a chart: from 0 to 1, or in logarithms from ``lowest`` to 1."""

    lowest: float = 0.0

    @classmethod
    def of(cls, bins: pl.DataFrame) -> UnitAxes:
        """The axes of a reliability diagram, from its bins: logarithmic where those are.

        >>> bins = pl.DataFrame({"high": [0.002, 1.0], "mean_score": [0.0007, 0.3]})
        >>> UnitAxes.of(bins), UnitAxes.of(bins.filter(high=1.0))
        (UnitAxes(lowest=0.0001), UnitAxes(lowest=0.0))
        """
        above = bins.filter(pl.col("mean_score") > 0)["mean_score"]
        if not len(above) or not (bins["high"] < NARROW).any():
            return cls()
        return cls(10.0 ** floor(log10(as_float(above.min()))))

    def x(self, field: str, title: str | None, **axis: Any) -> alt.X:
        """Horizontal position."""
        if not self.lowest:
            return chart_layers.rate_x(field, title, **axis)
        return alt.X(f"{field}:Q", title=title, scale=self._scale(), axis=self._axis(**axis))

    def y(self, field: str, title: str | None, **axis: Any) -> alt.Y:
        """Vertical position."""
        if not self.lowest:
            return chart_layers.rate_y(field, title, **axis)
        return alt.Y(f"{field}:Q", title=title, scale=self._scale(), axis=self._axis(**axis))

    def placed(self, value: float | None) -> float | None:
        """A value as it is drawn, at the lower end where it is below that."""
        return None if value is None else round(max(value, self.lowest), self.decimals)

    def part(self, value: float) -> float:
        """Where a value lies, in parts of the axis.

        >>> UnitAxes().part(0.25), UnitAxes(0.0001).part(0.01), UnitAxes(0.0001).part(0)
        (0.25, 0.5, 0.0)
        """
        if not self.lowest:
            return value
        return 1 - log10(max(value, self.lowest)) / log10(self.lowest)

    def at(self, part: float) -> float:
        """The value at a part of the axis.

        >>> UnitAxes().at(0.25), round(UnitAxes(0.0001).at(0.5), 6)
        (0.25, 0.01)
        """
        return float(self.lowest ** (1 - part)) if self.lowest else part

    @property
    def decimals(self) -> int:
        """Decimals that a drawing needs."""
        return 5 - round(log10(self.lowest)) if self.lowest else 5

    def _scale(self) -> alt.Scale:
        return alt.Scale(type="log", domain=[self.lowest, 1], nice=False)

    def _axis(self, **axis: Any) -> alt.Axis:
        return logarithmic_axis(self.lowest, **axis)


def logarithmic_axis(lowest: float, **axis: Any) -> alt.Axis:
    """An axis from ``lowest`` to 1 with a few powers of ten."""
    powers = range(0, ceil(round(log10(lowest), 9)) - 1, -1)
    texts = [f"{10.0**k:g}" if k > -3 else f"10{str(k).translate(SUPERSCRIPTS)}" for k in powers]
    return alt.Axis(
        values=[10.0**power for power in powers[:: ceil(len(powers) / TICKS)]],
        labelExpr=f"{texts}[round(-log(datum.value) / LN10)]",
        **axis,
    )
