"""``results.json`` has every number that a page prints."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

import pytest

from reportgen.charts import figures
from reportgen.render.templating import environment
from reportgen.results import Results
from reportgen.sections import sections
from tests import charts_results, charts_tasks
from tests.report_consistency import values
from tests.test_conclusions import of_a_number, of_ranks, several_claims
from tests.whole.test_results_recommendation import evaluated as over_folds

NOT_NUMBERS = ("methods", "provenance", "text")
"""Sections whose figures are those of formulas, sources, versions and the spec."""

# A bound such as "< 0.001" is of the printing.
DECIMAL = re.compile(
    r"(?<![\w.:/])(?<![<>] )(?<![<>]\u00a0)(\d{1,3}(?:,\d{3})+|\d+)\.(\d+)(?![\w/])"
    r"(?:\s×\s10([⁻⁰¹²³⁴-⁹]+))?"
)
POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def printed(results: Results) -> Iterator[tuple[float, int, str]]:
    """Every decimal number of the sections: its size, its decimals, and the text around it."""
    templates, every_figure = environment(), figures(results)
    for part in sections(results, every_figure):
        if part.id in NOT_NUMBERS:
            continue
        page = templates.get_template(part.template).render(section=part, figures={})
        text = html.unescape(re.sub(r"<[^>]+>", " ", page))
        for match in DECIMAL.finditer(text):
            power = int((match[3] or "0").translate(POWERS))
            number = float(f"{match[1].replace(',', '')}.{match[2]}e{power}")
            around = " ".join(text[max(0, match.start() - 60) : match.end() + 20].split())
            yield number, len(match[2]) - power, f"{part.id}: {around}"


def by_fold() -> Results:
    return over_folds("repeated_k_fold", folds=5, repeats=2, comparisons={"margin": 0.05})


CASES: dict[str, Any] = {
    "two classes": charts_results.rich,
    "classes": charts_tasks.classes,
    "labels": charts_tasks.labelled,
    "a number": of_a_number,
    "folds": by_fold,
    "data sets": of_ranks,
    "claims and slices": several_claims,
}


@pytest.mark.parametrize("name", CASES)
def test_every_printed_number_is_in_the_results(name):
    """As it is, without its sign, or as a percentage, rounded to the decimals that are printed."""
    results = CASES[name]()
    result_numbers = sorted(
        abs(v) * scale for v in set(values(results.to_dict())) for scale in (1, 100)
    )
    unknown = []
    for number, decimals, around in printed(results):
        half = 0.500001 * 10.0**-decimals
        place = bisect_left(result_numbers, number - half)
        if place == len(result_numbers) or result_numbers[place] > number + half:
            unknown.append(around)

    assert not unknown, unknown
