"""The registry: what each comparison is called, what makes it, and what it needs of the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Make = TypeVar("Make", bound=Callable[..., Any])

Unit = Literal["rows", "folds", "repeats", "data sets", "samples"]
"""What is counted as one observation; ``samples`` are two sets of rows of their own."""

Compared = Literal["claim", "pair", "several"]
"""One model against a claim, two models, or more than two at once."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of comparison and what it needs, so that choosing one is a lookup.

    ``units`` are what it can be made over. ``separate_training`` says that it
    takes the units as independent, which those whose training sets overlap are
    not: over such folds it rejects too often. ``folds`` and ``repeats`` are the
    numbers that it needs exactly, ``least`` the fewest units. ``decides`` is
    False where it gives probabilities instead of rejecting anything.
    """

    name: str
    label: str
    make: Callable[..., Any]
    compares: Compared
    units: tuple[Unit, ...]
    symbol: str
    paired: bool = True
    separate_training: bool = True
    folds: int | None = None
    repeats: int | None = None
    least: int = 2
    decides: bool = True


KINDS: dict[str, Kind] = {}
"""Every kind of comparison by its name."""


def comparison(  # noqa: PLR0913  # one keyword per need
    forms: Mapping[str, str],
    compares: Compared,
    *units: Unit,
    symbol: str,
    paired: bool = True,
    separate_training: bool = True,
    folds: int | None = None,
    repeats: int | None = None,
    least: int = 2,
    decides: bool = True,
) -> Callable[[Make], Make]:
    """Record the decorated function under each of its ``forms`` and return it unchanged.

    ``forms`` gives the name in a sentence by the name in the results.
    """

    def record(make: Make) -> Make:
        for name, label in forms.items():
            if name in KINDS:
                raise ValueError(f"comparison {name!r} is defined twice")
            KINDS[name] = Kind(
                name,
                label,
                make,
                compares,
                units,
                symbol,
                paired,
                separate_training,
                folds,
                repeats,
                least,
                decides,
            )
        return make

    return record
