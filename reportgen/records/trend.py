"""How numbers of a spec went from build to build: part of the results, so that pages show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A number of one build with its interval; ``build`` is null for the build of these results.

    ``limit`` is the prediction limit that history gave it, ``state`` that of its build.
    ``changed`` names what is not as in the build before: spec, versions, test rows.
    ``accepted`` is the reason of a level that was accepted by hand.
    """

    build: str | None
    date: str
    value: float
    low: float | None
    high: float | None
    limit: float | None
    state: str | None
    changed: tuple[str, ...]
    accepted: str | None


@dataclass(frozen=True, slots=True)
class Trend:
    """A number over the builds of a spec, in order of their dates, this build last."""

    number: str
    model: str
    metric: str
    average: str | None
    better: str | None
    points: tuple[TrendPoint, ...]


@dataclass(frozen=True, slots=True)
class SlicePart:
    """What one slice adds to a change: by its share of the rows, and by its value.

    A share is of 0 to 1; a value is null where the build has no row of the slice.
    """

    slice: str
    share_then: float
    share_now: float
    value_then: float | None
    value_now: float | None
    mix: float
    within: float


@dataclass(frozen=True, slots=True)
class ChangeSplit:
    """A change since an earlier build, split over the slices of one slicing.

    ``mix`` is what other shares of the slices explain, ``within`` what other values in the slices
    do; together they are the change.
    """

    against: str
    date: str
    model: str
    metric: str
    slicing: str
    value_then: float
    value_now: float
    mix: float
    within: float
    slices: tuple[SlicePart, ...]


@dataclass(frozen=True, slots=True)
class Trends:
    """Numbers over the builds of a spec; ``left_out`` counts the builds before the first one."""

    numbers: tuple[Trend, ...]
    changes: tuple[ChangeSplit, ...]
    left_out: int
