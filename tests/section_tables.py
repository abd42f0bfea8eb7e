"""Cells of the tables of a section, and a page of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reportgen.concluding.conclusion import decide
from reportgen.render import environment
from reportgen.results import Results, typed
from reportgen.sections import sections
from reportgen.sections.tables import Cell, Table
from reportgen.tables import Gates
from tests import sections_results

EVERY = [
    sections_results.better,
    sections_results.worse,
    sections_results.single,
    sections_results.twins,
    sections_results.close,
    sections_results.rich,
]


def text(cell: Cell | str) -> str:
    return cell if isinstance(cell, str) else cell.text


def column(table: Table, key: str) -> list[str]:
    return [text(row.cells[key]) for row in table.rows]


def row(table: Table, measure: str) -> dict[str, Any]:
    return next(r.cells for r in table.rows if text(r.cells["measure"]) == measure)


def rendered(results: Results) -> str:
    """The sections as on a page, with their references."""
    templates, parts = environment(), sections(results)
    texts = (templates.get_template(p.template).render(section=p, figures={}) for p in parts)
    return templates.globals["page"].linked("\n".join(texts))


def with_gates(*states: str) -> Results:
    rows = [
        {"gate": f"a.auc > 0.{i}", "observed": 0.5, "low": None, "high": None, "limit": 0.4}
        | {"state": state, "margin": 0.1, "basis": "pooled rows"}
        for i, state in enumerate(states)
    ]
    results = replace(sections_results.better(), gates=typed(Gates, rows))
    return replace(results, decision=decide(results, sections_results.BETTER, ()))
