"""Numbers of one unit have one number of decimals in every table of a page, limits too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.resources import EXAMPLES
from reportgen.sections.tables import Column, Row, Table, effect, effect_of_test, valued
from reportgen.tables.comparisons import RANKS, ComparisonRow
from tests.breadth import breadth
from tests.example_results import example_results
from tests.page_text import page_text

NUMBER = re.compile(r"(?<![\w.<>(])(?<![<>] )[+−]?\d[\d,]*(?:\.(\d+))?(?![\w.]|\s*[%×])")

OWN_RULE = re.compile(
    r"\bp\b|Adjusted|[Tt]hreshold|[Ss]core\b|Statistic|From|To|FN : FP|region|Here|Slices"
)
"""Heads of p-values, of thresholds and scores as they are given, of statistics and of texts."""

OF_ROWS = re.compile(r"^(Measure|Test)$")
"""First heads of tables with a measure of its own in each row: its numbers are of one unit."""


class Tables(HTMLParser):
    """The tables of a page: heads, and the cells of each row by group."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[tuple[list[str], list[tuple[str, list[str]]]]] = []
        self._row: list[str] | None = None
        self._skipped = False
        self._kind, self._group, self._text = "", "", ""

    def handle_starttag(self, tag, attrs):
        if tag == "table":  # a plain one has the data of a figure with all their digits
            self._skipped = "class" in dict(attrs)
            self.tables.append(([], []))
        if tag == "tr":
            self._row, self._kind = [], dict(attrs).get("class") or ""
        if tag in ("td", "th"):
            self._text = ""
        if tag == "sup":
            self._text += "\0"

    def handle_data(self, data):
        self._text += data

    def handle_endtag(self, tag):
        if tag == "sup":
            self._text = self._text.partition("\0")[0]
        if tag in ("td", "th") and self._row is not None:
            self._row.append(" ".join(self._text.split()))
        if tag == "thead":
            self._group = ""
        if tag == "tr" and self._row is not None and not self._skipped:
            heads, lines = self.tables[-1]
            if "group" in self._kind.split():
                self._group = self._row[0]
            elif not lines and not self._in_body(heads):
                heads[:] = self._row if "spanners" not in self._kind else heads
            else:
                lines.append((self._group, self._row))
            self._row = None

    def _in_body(self, heads: list[str]) -> bool:
        return bool(heads)


def mixed(page: str) -> Iterator[tuple[str, list[str]]]:
    """Heads, and the cells of one unit that have more than one number of decimals."""
    parser = Tables()
    parser.feed(page)
    for heads, lines in parser.tables:
        if not heads:
            continue
        units: dict[tuple[str, str], list[str]] = {}
        for group, cells in lines:
            for place, (head, cell) in enumerate(zip(heads, cells, strict=False)):
                if place and not OWN_RULE.search(head):
                    by = cells[0] if OF_ROWS.match(heads[0]) else f"{head} ({place})"
                    units.setdefault((group, by), []).append(cell)
        for (_, name), cells in units.items():
            if len({len(m[1] or "") for cell in cells for m in NUMBER.finditer(cell)}) > 1:
                yield f"{heads[0]} … {name}", cells


@breadth(
    "name", sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()), ["breast_cancer"]
)
def test_the_numbers_of_a_column_have_one_number_of_decimals(name):
    assert list(mixed(page_text(example_results(name)))) == []


def test_the_quantities_of_a_column_are_written_alike():
    values = [valued(0.024, -0.035, 0.082), valued(0.007, -0.0276, 0.0417)]
    effects = [effect(-1.2143, -2.3824, -0.0461), effect(0.5, -0.5123, 1.5123)]
    lines = tuple(Row({"x": v, "y": e}) for v, e in zip(values, effects, strict=True))
    table = Table("t", "", (Column("x", "X"), Column("y", "Y")), lines)

    assert values[1].text == "0.0070"
    assert [(r.cells["x"].text, r.cells["x"].high) for r in table.rows] == [
        ("0.024", "0.082"),
        ("0.007", "0.042"),
    ]
    assert [r.cells["y"].text for r in table.rows] == ["−1.21", "+0.50"]


def test_what_is_smaller_than_a_thousandth_throughout_has_powers_of_ten():
    values = [valued(7.19e-5, 6.04e-5, 9.2e-5), valued(8.1e-5, 6.57e-5, 1.12e-4)]
    lines = tuple(Row({"x": value}) for value in values)
    table = Table("t", "", (Column("x", "X"),), lines)

    assert [r.cells["x"].text for r in table.rows] == ["7.19 × 10⁻⁵", "8.10 × 10⁻⁵"]
    assert table.rows[1].cells["x"].high == "1.12 × 10⁻⁴"


def test_a_huge_value_of_one_model_leaves_the_numbers_of_the_others_as_they_are_alone():
    """A mean beside one of thousands, with limits that support no decimals, and one of billions."""
    lines = [valued(0.849, 0.794, 0.914), valued(2500.407, 34.565, 23_695.79), valued(2.5e9)]
    table = Table("t", "", (Column("x", "X"),), tuple(Row({"x": value}) for value in lines))
    written = [(row.cells["x"].text, row.cells["x"].high) for row in table.rows]

    assert written == [("0.849", "0.914"), ("2,500", "23,696"), ("2.50 × 10⁹", None)]


def test_a_headline_has_the_r2_of_a_model_as_its_table_beside_an_outlier_of_another_model():
    random = np.random.default_rng(91)
    truth = random.normal(size=300)
    outputs = {"a": truth + random.normal(size=300), "b": np.append(1e6, truth[1:])}
    models = {name: {"estimate": name} for name in outputs}
    spec = {"truth": "y", "models": models, "bootstrap": {"replicates": 100}}
    decision = evaluate(spec, pl.DataFrame({"y": truth, **outputs})).decision

    assert re.search(r"a −?0\.\d{3} \(−0\.\d{3} to 0\.\d{3}\) and b −\d", decision.headline)


def test_a_difference_that_would_print_as_zero_has_powers_of_ten_beside_larger_ones():
    """Sentences on the same two models write it so, too."""
    alone = effect(8e-7, -4e-6, 6e-6)
    lines = [Row({"b": effect(0.021, 0.012, 0.03)}), Row({"b": alone})]
    beside = Table("t", "", (Column("b", "b"),), tuple(lines)).rows[1].cells["b"]

    assert (beside.text, beside.low) == (alone.text, alone.low) == ("+8.00 × 10⁻⁷", "−4.00 × 10⁻⁶")


def test_effects_in_another_unit_do_not_take_the_decimals_of_those_in_that_of_the_measure():
    """A difference of 0.048 in accuracy stands beside one of −1.7 mean ranks, ±2 in limits."""
    ends = {"simultaneous_low": None, "simultaneous_high": None, "reject": False, "models": "ab"}
    mean = {"effect": "difference", "estimate": 0.048, "low": None, "high": None, **ends}
    ranks = {"effect": RANKS, "estimate": -1.7, "low": -3.0, "high": 0.3, **ends}
    lines = [ComparisonRow(**row, family_size=1.0) for row in (mean, ranks)]
    rows = tuple(Row({"effect": effect_of_test(line)}) for line in lines)
    table = Table("pairs", "Pairs", (Column("effect", "Effect"),), rows)

    assert [row.cells["effect"].text for row in table.rows] == ["+0.048", "−1.7"]
