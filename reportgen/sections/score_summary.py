"""What the Markdown summary says of a comparison over data sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reportgen.sections import claims as of_claims
from reportgen.sections import lookup, score_data, score_tests
from reportgen.sections.tables import Table
from reportgen.text import numbers

if TYPE_CHECKING:
    from reportgen.results import Results


def facts(results: Results) -> str:
    """Models, data sets and measure in a sentence."""
    data = results.data
    models = numbers.plural(len(data["models"]), "model")
    sets = numbers.plural(data["datasets"], score_data.unit(data))
    what = lookup.clean(lookup.phrase(data["measure"]))
    level = numbers.level(results.confidence)
    where = f"{'in' if score_data.unit(data) == 'fold' else 'on'} {sets}"
    return f"{models} {where}, {what} ({data['better']} is better); {level} intervals in brackets."


def folded(results: Results) -> Iterable[tuple[str, Table]]:
    """What opens on a click: title and table."""
    records = lookup.compared(results)
    overall = score_tests.overall(results, records)
    if overall is not None:
        yield "All models at once", overall
    claims = [row for row in records if len(row["models"]) == 1]
    if claims:
        yield "Claims", of_claims.table(results, claims)
    if len(claims) < len(records):
        yield "Pairs", score_tests.pairs(results, records)
    matrix = score_tests.matrix(results, records)
    if matrix is not None:
        yield "Every pair", matrix
