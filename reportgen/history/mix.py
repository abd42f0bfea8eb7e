"""A change of a mean, split into what other shares of slices explain and what other values do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

EXACT = 1e-9
"""How far shares times values may be from the mean, which is rounding."""


@dataclass(frozen=True, slots=True)
class Part:
    """One slice: its share and value then and now, and its two parts of the change."""

    share_then: float
    share_now: float
    value_then: float | None
    value_now: float | None
    mix: float
    within: float


Sides = Mapping[str, tuple[float, float]]
"""Share of the rows, and value, by slice."""


def is_mean(slices: Sides, value: float) -> bool:
    """Whether a value is the mean of those of its slices, by their shares.

    So is accuracy, and no area under a curve. It is not where a row is in no slice.

    >>> is_mean({"a": (0.5, 0.8), "b": (0.5, 0.6)}, 0.7), is_mean({"a": (0.5, 0.8)}, 0.7)
    (True, False)
    """
    total = sum(share for share, _ in slices.values())
    mean = sum(share * inner for share, inner in slices.values())
    return abs(total - 1) < EXACT and abs(mean - value) < EXACT * max(1.0, abs(value))


def split(then: Sides, now: Sides) -> dict[str, Part]:
    """The parts of the change Σ w·v of now − Σ w·v of then, by slice.

    Δ = Σ Δw·(v̄ − c) + Σ w̄·Δv over the slices with shares w and values v, where bars are means of
    the two and c is the mean of v̄ by w̄: shares add up to 1, so that Σ Δw·c = 0, and a slice that
    gains rows adds what it is better or worse than the others. A slice that one side
    lacks has the other's value there. Kitagawa (1955), doi:10.1080/01621459.1955.10501299.

    >>> parts = split({"a": (0.5, 0.9), "b": (0.5, 0.7)}, {"a": (0.2, 0.9), "b": (0.8, 0.7)})
    >>> round(sum(part.mix for part in parts.values()), 12)
    -0.06
    >>> {part.within for part in parts.values()}
    {0.0}
    """
    names = list(dict.fromkeys([*then, *now]))
    sides = {}
    for name in names:
        w0, v0 = then.get(name, (0.0, None))
        w1, v1 = now.get(name, (0.0, None))
        defined = [v for v in (v0, v1) if v is not None]
        sides[name] = (w0, w1, v0, v1, (w0 + w1) / 2, sum(defined) / len(defined))
    centre = sum(share * value for *_, share, value in sides.values())
    return {
        name: Part(
            w0,
            w1,
            v0,
            v1,
            mix=(w1 - w0) * (value - centre),
            within=share * (v1 - v0) if v0 is not None and v1 is not None else 0.0,
        )
        for name, (w0, w1, v0, v1, share, value) in sides.items()
    }
