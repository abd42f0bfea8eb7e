"""An interval method: its name in the results with what its limits allow for, and its text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

Allowance = Literal["groups", "blocks of time", "effective size", "squared weights"]
"""Groups of dependent rows, or their order in time; weights by Kish's size, or squared."""

_EVERY_THRESHOLD = ", every threshold"


@dataclass(frozen=True, slots=True)
class MethodName:
    """A method of intervals, and what it allows for beside independent rows that count once.

    >>> str(MethodName("wilson", "groups")), str(MethodName("wilson"))
    ('wilson (groups)', 'wilson')
    >>> MethodName.read("wilson (groups)")
    MethodName(method='wilson', allows='groups', every_threshold=False)

    ``every_threshold``: the limits hold whatever threshold the rows chose.
    """

    method: str
    allows: Allowance | None = None
    every_threshold: bool = False

    def __str__(self) -> str:
        name = self.method if self.allows is None else f"{self.method} ({self.allows})"
        return name + _EVERY_THRESHOLD if self.every_threshold else name

    def over_thresholds(self) -> str:
        """The name where the limits hold whatever threshold the rows chose.

        >>> MethodName("wilson", "groups").over_thresholds()
        'wilson (groups), every threshold'
        >>> str(MethodName.read("wilson (groups), every threshold").fixed())
        'wilson (groups)'
        """
        return str(replace(self, every_threshold=True))

    def fixed(self) -> MethodName:
        """The same for a threshold that is fixed in advance."""
        return replace(self, every_threshold=False)

    @classmethod
    def read(cls, written: str) -> MethodName:
        """The name that is written so in the results."""
        every = written.endswith(_EVERY_THRESHOLD)
        name = written.removesuffix(_EVERY_THRESHOLD)
        for allows in get_args(Allowance):
            if name.endswith(f" ({allows})"):
                return cls(name.removesuffix(f" ({allows})"), allows, every)
        return cls(name, None, every)


@dataclass(frozen=True, slots=True)
class IntervalText:
    """A method of intervals: its name, how it is computed, its source.

    ``unit`` is the unit of dependent rows that it allows for, where its name leaves that open.
    """

    name: str
    how: str
    source: str
    unit: Literal["group", "block"] | None = None

    @property
    def label(self) -> str:
        """The printed name."""
        return self.name if self.unit is None else f"{self.name}, by {self.unit}"
