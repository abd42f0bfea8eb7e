"""The sections by name: every module of this folder that holds one is discovered."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar, Protocol, Self, TypeVar

from reportgen.charts import Figure
from reportgen.records.model import Results


class Section(Protocol):
    """What every section has beside the fields that its template reads."""

    template: ClassVar[str]

    @property
    def id(self) -> str:
        """Anchor in the page, and the name in the spec."""
        ...

    @property
    def title(self) -> str:
        """Heading in the page and in the contents."""
        ...


class Declared(Section, Protocol):
    """A section that is filled from the results alone."""

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> Self | None:
        """Fill the section, or give None where it does not apply."""
        ...


Class = TypeVar("Class", bound=type[Any])

PREDICTIONS, SCORES = "predictions", "scores"
"""What a report is about: predictions of models, or a table of scores over data sets."""

_SECTIONS: dict[tuple[str, str], tuple[int, type[Declared]]] = {}
_FURTHER: set[str] = set()


def section(position: int, *about: str, further: bool = False) -> Callable[[Class], Class]:
    """Record the decorated dataclass under its ``id``; ``position`` orders the default report.

    ``about`` says in which reports it stands; in those of predictions unless stated otherwise.
    A ``further`` one is left out unless a spec asks for it. Its template is ``<id>.html.j2`` unless
    it names another.
    """

    def record(cls: Class) -> Class:
        if "template" not in vars(cls):
            cls.template = f"sections/{cls.id}.html.j2"
        for subject in about or (PREDICTIONS,):
            if (subject, cls.id) in _SECTIONS:
                raise ValueError(f"section {cls.id!r} is defined twice")
            _SECTIONS[subject, cls.id] = (position, cls)
            if further:
                _FURTHER.add(cls.id)
        return cls

    return record


def declared(about: str = PREDICTIONS) -> dict[str, type[Declared]]:
    """Every section by name, in the order of the default report.

    >>> list(declared())[:3]
    ['verdict', 'key_numbers', 'data']
    >>> list(declared(SCORES))
    ['verdict', 'data', 'comparisons', 'methods', 'provenance']
    """
    package = import_module("reportgen.sections")
    for module in iter_modules(package.__path__):
        import_module(f"reportgen.sections.{module.name}")
    ordered = sorted(_SECTIONS.items(), key=lambda item: item[1][0])
    return {name: cls for (subject, name), (_, cls) in ordered if subject == about}


def published() -> str:
    """Return the names of all sections as the text of the file that specs are read with."""
    names = list(declared())
    further = [name for name in names if name in _FURTHER]
    return json.dumps({"sections": names, "further": further}, indent=1) + "\n"
