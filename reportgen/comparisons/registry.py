"""The registry: everything that is known of a test of significance, in one record per form.

To add a test, write one function with ``@comparison`` and give it reference
values in ``tests/reference``. The report, the catalogue, the reference page and
``results.json`` read its record: names and needs from the decorator, the null
hypothesis, formula, assumptions and sources from the docstring.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeVar

from reportgen.tables.comparisons import Shows, Unit
from reportgen.tasks import PREDICTION

Compute = TypeVar("Compute", bound=Callable[..., Any])

ComparedModels = Literal["claim", "pair", "several"]
"""One model against a claim, two models, or more than two at once."""

Dependence = Literal["groups", "overlap", "repeats", "time"]
"""What a test allows for: groups of rows, overlapping training sets, rows that are tested in
several repeats, autocorrelation."""

Trait = Literal["few unlike rows", "any group sizes", "steady losses", "time points"]
"""What a test knows or wants beside its needs: its p knows how few rows differ; it holds its level
whatever the sizes of groups are; the mean loss must not drift; each time point counts once."""

GivenTable = Literal["decisions", "pairs", "blocks"]
"""What every report makes a test from by itself: the rows that two models predict correctly,
cross-counted; the values of two models by fold or data set; those of several by data set."""

SYMBOLS = {
    "E": "E: differences in the number of errors, summed over all ranks at which both may be cut.",
    "min(n10, n01)": "n10, n01: rows that only the first model, and only the second, predicts "
    "correctly.",
    "min(w, l)": "w, l: wins and losses of the first model.",
    "w": "w: differences on the near side of the margin.",
    "W": "W: the smaller of the two rank sums, of differences for and against the first model.",
    "x": "x: rows counted by the claimed proportion.",
}
"""What a symbol stands for, where it needs saying."""

COUNTED = frozenset({"W", "w", "min(n10, n01)", "min(w, l)", "x"})
"""Statistics that are counts or sums of ranks: their degrees of freedom are not printed."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a test: its name in a sentence and in a cell, and its statistic."""

    name: str
    label: str
    short: str
    symbol: str = ""
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True, slots=True)
class Needs:
    """What data a test needs.

    ``paired`` values are of the same units for all models. ``folds`` and ``repeats`` are
    the numbers that it needs exactly, ``least`` the fewest units at which it
    holds its level, ``least_of_class`` the fewest rows of the rarer class. With ``rare_class``
    reports make it only where one class is rare. With ``given`` every report that has such a
    table makes the test, as ``function(table, question)``.
    """

    paired: bool = True
    folds: int | None = None
    repeats: int | None = None
    least: int = 2
    least_of_class: int = 0
    rare_class: bool = False
    given: GivenTable | None = None


@dataclass(frozen=True, slots=True)
class TestInfo:
    """One form of a test of significance and what it needs, so that choosing one is a lookup.

    ``label`` is its name in a sentence, ``short`` in a cell, ``symbol`` that of its
    statistic, ``traits`` those of the form. ``units`` are what it can be made over, ``tasks`` the
    tasks whose reports have it, ``measures`` those that it compares (none named: all). ``allows``
    is the dependence between units that it allows for, all other dependence makes it
    reject too often. ``corrects`` says that it controls the whole family by itself.
    """

    __test__: ClassVar[bool] = False  # nothing that pytest collects

    name: str
    label: str
    short: str
    symbol: str
    traits: tuple[Trait, ...]
    compute: Callable[..., Any]
    compares: ComparedModels
    units: tuple[Unit, ...]
    tasks: tuple[str, ...]
    measures: tuple[str, ...]
    allows: tuple[Dependence, ...]
    shows: Shows
    needs: Needs
    corrects: bool

    @property
    def decides(self) -> bool:
        """Whether it rejects anything; otherwise it gives probabilities."""
        return self.shows != "probability"

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return " ".join(documentation(self.compute).partition("\n\n")[0].split())

    @property
    def null_hypothesis(self) -> str:
        """What it assumes to refute it, with ``{measure}`` and the like where they belong."""
        return self._field("Null hypothesis")

    @property
    def formula(self) -> str:
        """The statistic and its distribution, as plain text."""
        return self._field("Formula")

    @property
    def assumptions(self) -> str:
        """What must hold for its level."""
        return self._field("Assumes")

    @property
    def undefined(self) -> str:
        """When it has no value."""
        return self._field("Undefined")

    @property
    def reference(self) -> str:
        """The primary sources."""
        return self._field("Reference")

    def _field(self, what: str) -> str:
        return docstring_field(documentation(self.compute), what, self.name)


NEEDS = Needs()
"""What most tests need: paired values of two units."""

TESTS: dict[str, TestInfo] = {}
"""Every form of every test of significance by its name."""


def comparison(
    compares: ComparedModels,
    *units: Unit,
    forms: tuple[Form, ...],
    tasks: tuple[str, ...] = PREDICTION,
    measures: tuple[str, ...] = (),
    allows: tuple[Dependence, ...] = (),
    shows: Shows = "difference",
    needs: Needs = NEEDS,
    corrects: bool = False,
) -> Callable[[Compute], Compute]:
    """Record the decorated function under the name of each of its ``forms``.

    Returns it unchanged. The docstring carries ``Null hypothesis:``,
    ``Formula:``, ``Assumes:``, ``Undefined:`` and ``Reference:``, each a paragraph
    or lines up to the next; what holds for one form alone stands under
    ``Formula of <name>:`` and the like.
    """

    def record(compute: Compute) -> Compute:
        for form in forms:
            if form.name in TESTS:
                raise ValueError(f"test {form.name!r} is defined twice")
            TESTS[form.name] = TestInfo(
                form.name,
                form.label,
                form.short,
                form.symbol,
                form.traits,
                compute,
                compares,
                units,
                tasks,
                measures,
                allows,
                shows,
                needs,
                corrects,
            )
        return compute

    return record


MODULES = (
    "claims",
    "delong",
    "balanced_decisions",
    "folds",
    "mcnemar",
    "equivalence",
    "signed_ranks",
    "paired_losses",
    "paired_permutation",
    "delta_method",
    "expected_costs",
    "five_by_two",
    "grouped",
    "weighted",
    "declared_costs",
    "probability_losses",
    "grouped_claims",
    "grouped_samples",
    "omnibus",
    "diebold_mariano",
    "areas_in_time",
    "groups_in_time",
    "permutation",
    "bayesian",
    "rank_flips",
    "rank_pairs",
    "unpaired",
    "venkatraman",
)
"""The modules of tests, in the order in which the catalogue has them; others follow."""


def registered_for(given: GivenTable, unit: Unit) -> list[Callable[..., Any]]:
    """The tests that reports make by themselves of what is given, over these units.

    >>> import reportgen.comparisons
    >>> [test.__name__ for test in registered_for("blocks", "data sets")]
    ['iman_davenport', 'friedman', 'quade', 'aligned_ranks', 'friedman_sign_flip']
    """
    tests = (test for test in TESTS.values() if test.needs.given == given and unit in test.units)
    return list(dict.fromkeys(test.compute for test in tests))


def forms_of(compute: Callable[..., Any]) -> list[str]:
    """The names of the forms that a function computes.

    >>> from reportgen.comparisons import diebold_mariano
    >>> forms_of(diebold_mariano)
    ['diebold_mariano', 'diebold_mariano_lags']
    """
    return [test.name for test in TESTS.values() if test.compute is compute]


def arrange() -> None:
    """Order the tests by module, and by line in a module, whatever was imported first."""
    ordered = sorted(TESTS.items(), key=lambda item: _place(item[1].compute))
    TESTS.clear()
    TESTS.update(ordered)


def _place(compute: Callable[..., Any]) -> tuple[int, int]:
    module = compute.__module__.rpartition(".")[2]
    place = MODULES.index(module) if module in MODULES else len(MODULES)
    return place, compute.__code__.co_firstlineno


@lru_cache(maxsize=256)
def documentation(compute: Callable[..., Any]) -> str:
    """The docstring without its indentation."""
    return inspect.getdoc(compute) or ""


FIELDS = ("Null hypothesis", "Formula", "Assumes", "Undefined", "Reference")
_FIELD = rf"(?:{'|'.join(FIELDS)})(?: of \w+)?"
_STATED = re.compile(rf"^({_FIELD}): (.+?)(?=\n\n|\n{_FIELD}: |\Z)", re.DOTALL | re.MULTILINE)


def docstring_field(text: str, what: str, name: str) -> str:
    r"""What a docstring says under a field, of the form ``name`` where it has a line of its own.

    >>> text = "One.\n\nFormula: t = 1,\n2 df\nFormula of exact: none\nReference: A (1908)"
    >>> [docstring_field(text, "Formula", name) for name in ("t", "exact")]
    ['t = 1, 2 df', 'none']
    >>> docstring_field(text, "Assumes", "t")
    ''
    """
    fields = _fields(text)
    return fields.get(f"{what} of {name}", fields.get(what, ""))


@lru_cache(maxsize=256)
def _fields(docstring: str) -> dict[str, str]:
    """What a docstring says by field: the first where one recurs."""
    stated = {field: " ".join(text.split()) for field, text in reversed(_STATED.findall(docstring))}
    return {field: text.rstrip(".") for field, text in stated.items()}
