"""The name of an interval method in the results: the method, and what its limits allow for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Allowance = Literal["groups", "blocks of time", "effective size", "squared weights"]
"""Groups of dependent rows, or their order in time; weights by Kish's size, or squared."""


@dataclass(frozen=True, slots=True)
class MethodName:
    """A method of intervals, and what it allows for beside independent rows that count once.

    >>> str(MethodName("wilson", "groups")), str(MethodName("wilson"))
    ('wilson (groups)', 'wilson')
    >>> MethodName.read("wilson (groups)")
    MethodName(method='wilson', allows='groups')
    """

    method: str
    allows: Allowance | None = None

    def __str__(self) -> str:
        return self.method if self.allows is None else f"{self.method} ({self.allows})"

    @classmethod
    def read(cls, written: str) -> MethodName:
        """The name that is written so in the results."""
        for allows in get_args(Allowance):
            if written.endswith(f" ({allows})"):
                return cls(written.removesuffix(f" ({allows})"), allows)
        return cls(written)
