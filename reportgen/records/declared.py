"""What the spec of results declares, as far as reports read it: a misspelt name fails the check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from reportgen.records.plain_values import field_hints
from reportgen.spec.section_choice import SectionChoice, shown_sections

DeclaredPart = TypeVar("DeclaredPart")


@dataclass(frozen=True, slots=True)
class DeclaredColumns:
    """The columns that rows are identified and ordered by."""

    id: str | None = None
    time: str | None = None


@dataclass(frozen=True, slots=True)
class DeclaredComparisons:
    """How models are compared: see ``reportgen.spec``."""

    alpha: float = 0.05
    margin: float | None = None
    measures: tuple[str, ...] = ()
    primary: str | None = None
    test: str | None = None


@dataclass(frozen=True, slots=True)
class DeclaredBootstrap:
    """How often rows are resampled, and outputs permuted: 0 for not at all."""

    replicates: int | None = None


@dataclass(frozen=True, slots=True)
class DeclaredHistory:
    """How gates against earlier builds share their alarms."""

    alarms_per_year: float = 0.0


@dataclass(frozen=True, slots=True)
class DeclaredOutput:
    """How the pages are set."""

    interactive: bool = True
    paper: Literal["A4", "letter"] = "A4"


@dataclass(frozen=True, slots=True)
class DeclaredPrivacy:
    """What of single rows is shown, and the smallest count."""

    ids: str = "hidden"
    show: tuple[str, ...] = ()
    small_cells: int | None = None


@dataclass(frozen=True, slots=True)
class DeclaredTheme:
    """The look of the report."""

    accent: str | None = None
    fonts: Mapping[str, str | None] = field(default_factory=dict)
    logo: str | None = None
    palette: tuple[str, ...] = ()
    template: str | None = None


@dataclass(frozen=True, slots=True)
class DeclaredSpec:
    """The options of a spec; what it leaves out has its default.

    ``costs`` are by kind of error of two classes, by class of several; ``models`` the options of
    each by its name. ``notes`` are the texts and pictures that travel with the results.
    """

    baseline: str | None = None
    bootstrap: DeclaredBootstrap = DeclaredBootstrap()
    classes: tuple[str, ...] = ()
    columns: DeclaredColumns = DeclaredColumns()
    comparisons: DeclaredComparisons = DeclaredComparisons()
    confidence: float = 0.95
    costs: Mapping[str, Any] = field(default_factory=dict)
    every: str = ""
    fail_on: tuple[str, ...] = ("fail",)
    graded: bool = False
    history: DeclaredHistory = DeclaredHistory()
    language: str = "en"
    measures: str | tuple[Any, ...] = "core"
    models: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = False
    output: DeclaredOutput = DeclaredOutput()
    prevalence: float | None = None
    privacy: DeclaredPrivacy = DeclaredPrivacy()
    sections: SectionChoice = "default"
    text: str = ""
    theme: DeclaredTheme = DeclaredTheme()
    unit: tuple[str, ...] = ()

    @property
    def all_measures(self) -> bool:
        """Whether the report prints every measure of every model, with its formula."""
        return self.measures == "all"

    @property
    def shown_sections(self) -> list[Any]:
        """Names of sections, and mappings of own texts, in the order of the report."""
        return shown_sections(self.sections, all_measures=self.all_measures)


def declared(record: type[DeclaredPart], values: Mapping[str, object]) -> DeclaredPart:
    """The fields of a record that plain values of a spec give; null and other keys are left out.

    >>> declared(DeclaredComparisons, {"primary": "auc", "margin": None, "correction": "holm"})
    DeclaredComparisons(alpha=0.05, margin=None, measures=(), primary='auc', test=None)
    """
    hints = field_hints(cast("type", record))
    given = {name: values[name] for name in hints if values.get(name) is not None}
    return record(**{name: _value(hints[name], value) for name, value in given.items()})


def _value(hint: Any, value: Any) -> Any:
    if isinstance(hint, type) and is_dataclass(hint):
        return declared(hint, value)
    of_many = any(get_origin(one) is tuple for one in (hint, *get_args(hint)))
    return tuple(value) if of_many and isinstance(value, list) else value
