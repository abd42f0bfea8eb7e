"""Evaluation schemes by name, and the options that each one takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from reportgen.errors import Problem, SpecError
from reportgen.scheme_names import SchemeName
from reportgen.spec.nearest import suggestion

OPTIONS: Mapping[str, Mapping[str, float]] = {
    "hold_out": {"test": 0.25, "validation": 0.0},
    "repeated_hold_out": {"repeats": 10, "test": 0.25, "validation": 0.0},
    "k_fold": {"folds": 10},
    "repeated_k_fold": {"repeats": 10, "folds": 10},
    "leave_one_out": {},
    "bootstrap": {"repeats": 200},
    "five_by_two": {},
    "time_ordered": {"folds": 5},
}
"""The options of each scheme with their defaults; ``seed`` goes with all."""

FIXED: Mapping[str, Mapping[str, float]] = {"five_by_two": {"repeats": 5, "folds": 2}}
"""What a scheme's name says."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """How rows are divided into training and test parts.

    Options that are left out have the default of their scheme (``OPTIONS``);
    those that a scheme does not have are refused. ``test`` and ``validation``
    are shares of all rows.

    >>> Scheme("repeated_k_fold", folds=5).repeats
    10
    """

    kind: SchemeName
    folds: int = 0
    repeats: int = 0
    test: float = 0.0
    validation: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Fill in the defaults and refuse what makes no division."""
        if self.kind not in get_args(SchemeName):
            hint = suggestion(str(self.kind), get_args(SchemeName))
            raise SpecError(
                Problem("unknown-scheme", f"there is no scheme {self.kind!r}", "", hint)
            )
        defaults = OPTIONS[self.kind]
        for name in ("folds", "repeats", "test", "validation"):
            given = getattr(self, name)
            if given and name not in defaults:
                raise _unfit(f"{self.kind} takes no {name}", _options(self.kind))
            filled = given or FIXED.get(self.kind, defaults).get(
                name, 1 if name == "repeats" else 0
            )
            object.__setattr__(self, name, filled)
        _check(self)


def scheme_of(scheme: Scheme | str, options: Mapping[str, Any]) -> Scheme:
    """A scheme from its name and options, or as it is."""
    if isinstance(scheme, Scheme):
        if options:
            raise _unfit(f"options beside a scheme: {', '.join(options)}", "put them into Scheme()")
        return scheme
    option_names = ("folds", "repeats", "test", "validation", "seed")
    for name in options:
        if name not in option_names:
            raise _unfit(f"there is no option {name!r}", suggestion(name, option_names))
    return Scheme(cast("SchemeName", scheme), **options)  # which refuses all others


def _check(scheme: Scheme) -> None:
    whole = {"folds": scheme.folds, "repeats": scheme.repeats, "seed": scheme.seed}
    for name, value in whole.items():
        if not isinstance(value, int) or value < 0:
            raise _unfit(f"{name} is {value!r}", "give a whole number that is not negative")
    if scheme.folds == 1:
        raise _unfit("folds is 1", "give at least 2")
    for name, share in (("test", scheme.test), ("validation", scheme.validation)):
        if not 0 <= share < 1:
            raise _unfit(f"{name} is {share!r}", "give a share of the rows between 0 and 1")
    if scheme.test + scheme.validation >= 1:
        raise _unfit(
            f"test and validation take {scheme.test + scheme.validation:g} of the rows",
            "leave some for training",
        )


def _options(kind: str) -> str:
    taken = ", ".join((*OPTIONS[kind], "seed"))
    return f"its options are: {taken}"


def _unfit(message: str, hint: str) -> SpecError:
    return SpecError(Problem("scheme", message, hint=hint))
