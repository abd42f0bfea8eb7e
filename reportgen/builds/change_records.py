"""What changed between two builds, as the comparison of builds has it."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Way = Literal["right_to_wrong", "wrong_to_right"]
"""How a row turned."""


class ComparedBuild(TypedDict):
    """One of the two builds."""

    name: str
    id: str
    date: str
    title: str
    state: str


class Change(TypedDict):
    """A key whose value differs, by its dotted name."""

    key: str
    first: Any
    second: Any


class RowChanges(TypedDict):
    """Rows of two builds by count; null where they cannot be matched."""

    common: int | None
    added: int | None
    removed: int | None
    relabelled: int | None


class DataChanges(RowChanges):
    """What changed in the data: the rows of each build, matched rows, files by hash."""

    rows: list[int | None]
    files: list[Change]


class MeasureChange(TypedDict):
    """A measure of a model in both builds, with the difference, its limits and its test."""

    metric: str
    label: str
    model: str
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    state: str


class FlipCounts(TypedDict):
    """Rows, and how many flipped each way."""

    rows: int
    right_to_wrong: int
    wrong_to_right: int


class _FlipsOf(FlipCounts):
    model: str
    slice: str | None


class HashedFlip(_FlipsOf):
    """The flips of a model in all rows or a slice, with the hashes of the rows' ids."""

    ids: dict[Way, list[bytes]] | None


class Flip(_FlipsOf):
    """The same with ids as text."""

    ids: dict[Way, list[str]] | None
