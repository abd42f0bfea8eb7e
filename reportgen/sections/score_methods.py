"""How a comparison over data sets is made: tests, conventions, sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.sections.printed_names import full_label
from reportgen.sections.references import BOOK, how, references, short
from reportgen.sections.registry import SCORES, section
from reportgen.sections.tables import Cell, Table, columns, rows

CONVENTIONS = (
    ("Ties", "Values within 1e-12 of the largest are tied and share their mean rank."),
    ("Nemenyi", "q is the studentised range divided by √2, with infinitely many df."),
    (
        "Pairs",
        "Wilcoxon's test is recommended where its adjusted p can be below α, else sign flips of "
        "mean ranks, which depend on which other models are included.",
    ),
    ("Not rejected", "No significant difference at α; never reported as equal."),
    ("p-values", "Never exactly 0: (b + 1)/(B + 1) for B random permutations."),
    (
        "Data sets",
        "One value per model and data set; data sets without a value of every model are left out.",
    ),
)
"""What holds where sources disagree."""


@section(110, SCORES)
@dataclass(frozen=True)
class ScoreMethods:
    """Tests, conventions and sources."""

    template: ClassVar[str] = "sections/score_methods.html.j2"
    id: ClassVar[str] = "methods"
    title: ClassVar[str] = "Methods"

    tests: Table
    conventions: Table
    references: tuple[str, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> ScoreMethods:  # noqa: ARG003
        """Fill the section; it always applies."""
        used = list(dict.fromkeys(results.comparisons["comparison"]))
        tests = [test for name in used if (test := results.definitions.test(name))]
        heads = columns("Test", ("How", "left"), ("Source", "left"))
        lines: list[list[Cell | str]] = [
            [full_label(test.label), how(test.formula), short(test.reference)] for test in tests
        ]
        matters = columns("Matter", ("Here", "left"))
        return cls(
            Table("test_methods", "Tests of significance", heads, rows(heads, lines)),
            Table("conventions", "Conventions", matters, rows(matters, CONVENTIONS)),
            references([BOOK, *(test.reference for test in tests)]),
        )
