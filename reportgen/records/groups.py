"""The groups of the evaluated rows: what they do to measures, and the AUCs within them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class GroupMeasure(TypedDict):
    """What dependence within groups does to a measure of a model."""

    model: str
    metric: str
    design_effect: float | None
    intraclass_correlation: float | None
    effective_rows: float | None
    degrees_of_freedom: float | None


class AreaWithinGroups(TypedDict):
    """The share of ``pairs`` of a positive and a negative of one group that scores put in order.

    ``groups`` is how many groups have both classes.
    """

    model: str
    value: float
    low: float
    high: float
    groups: int
    pairs: int


class DifferenceWithinGroups(TypedDict):
    """How far the AUC of pairs of one group of a model is above another's; its limits alone."""

    first: str
    second: str
    value: float
    low: float
    high: float


class GroupsRecord(TypedDict):
    """The groups of the evaluated rows; ``effective``: how many of one size they are worth.

    ``too_unequal``: why limits and tests by group do not hold their level; null where they do.
    ``in_time``: how many times as wide limits of mean losses are which also allow for what groups
    share at a time point; null without an order of time.
    ``with_positives`` and ``with_negatives`` are how many have a row of that class, where there
    are two classes and their rows were read. ``identical`` rows repeat another one of their group,
    beyond chance, ``crossed`` ones have an id that other groups have, too; ``matched`` are the
    positives and negatives that each group has where all have as many, ``within`` the AUCs of
    pairs of rows of one group and ``differences_within`` how far two of these lie apart.
    ``nested_in`` are the columns of slices of which each group has one value.
    """

    number: int
    largest: int
    mean_rows: float | None
    effective: float | None
    few: bool
    too_unequal: str | None
    in_time: NotRequired[float | None]
    with_positives: NotRequired[int]
    with_negatives: NotRequired[int]
    nested_in: NotRequired[Sequence[str]]
    identical: NotRequired[int]
    crossed: NotRequired[int]
    matched: NotRequired[tuple[int, int] | None]
    within: NotRequired[Sequence[AreaWithinGroups]]
    differences_within: NotRequired[Sequence[DifferenceWithinGroups]]
    measures: Sequence[GroupMeasure]
