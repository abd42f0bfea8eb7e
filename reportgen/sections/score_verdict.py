"""Page one of a comparison over data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from reportgen.sections import reading
from reportgen.sections.cells import Cell, Table
from reportgen.sections.named import full_label
from reportgen.sections.registry import SCORES, section
from reportgen.sections.score_data import unit
from reportgen.sections.verdict import KINDS, Card
from reportgen.text import numbers

if TYPE_CHECKING:
    from reportgen.charts import Figure
    from reportgen.results import Results


@section(10, SCORES)
@dataclass(frozen=True)
class ScoreVerdict:
    """What a reviewer reads first."""

    template: ClassVar[str] = "sections/verdict.html.j2"
    id: ClassVar[str] = "verdict"
    title: ClassVar[str] = "Verdict"

    kind: str
    headline: str
    sentence: str
    cards: tuple[Card, ...]
    caveats: tuple[str, ...]
    gates_line: str
    gates: Table | None

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> ScoreVerdict:  # noqa: ARG003
        """Fill the section; it always applies."""
        verdict = results.verdict
        return cls(
            KINDS.get(verdict["decision"], "note"),
            reading.clean(verdict["headline"], 400),
            reading.clean(verdict["sentence"], 1000),
            tuple(cards(results)),
            tuple(reading.sentence(caveat) for caveat in verdict["caveats"]),
            "",
            None,
        )


def cards(results: Results) -> list[Card]:
    """Best mean rank, the test that decides, and how many data sets it rests on."""
    best = results.metrics.filter(metric="mean_rank").sort("value", maintain_order=True)
    models = best.height
    printed = reading.printed(results)
    rank = numbers.fixed(best["value"][0], 2)
    found = [Card("Best mean rank", Cell(rank), f"{printed[best['model'][0]]}, of {models} models")]
    verdict = results.verdict
    if verdict["comparison"]:
        alpha = results.comparisons.filter(pl.col("slice").is_null())["alpha"][0]
        note = f"{full_label(verdict['comparison'])}; α = {alpha:g}"
        found.append(Card("p-value", Cell(numbers.p_number(verdict["p_value"], alpha)), note))
    count = results.data["datasets"]
    left = len(results.data["left_out"])
    note = f"{numbers.plural(left, 'other')} without a value of every model" if left else ""
    return [*found, Card(f"{unit(results.data).capitalize()}s", Cell(numbers.count(count)), note)]
