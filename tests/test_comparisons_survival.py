"""How often curves are related in the same way on resampled rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import dominance_stability
from reportgen.comparisons.dominance import Line, compared, relation
from reportgen.comparisons.dominance_stability import distinct_points, relations
from reportgen.polylines import upper_hull
from reportgen.resampling.replicate_frames import hull_vertices
from reportgen.results import evaluate
from tests.quick import QUICK


def rows(gap: float, number: int = 300) -> pl.DataFrame:
    """Two models, of which the first adds ``gap`` to the second's signal."""
    random = np.random.default_rng(7)
    truth = random.random(number) < 0.5
    second = truth + random.normal(0, 1, number)
    return pl.DataFrame({"truth": truth, "first": second + gap * truth, "second": second})


def test_shares_of_all_relations_add_up_to_one():
    by_curve = dominance_stability(rows(0.3), ("first", "second"))

    assert set(by_curve) == {"roc", "precision_recall", "cost"}
    for shares in by_curve.values():
        assert sum(shares.values()) == pytest.approx(1)
    assert by_curve["roc"] == by_curve["precision_recall"]


def test_a_model_that_ranks_every_positive_higher_contains_the_other_each_time():
    assert dominance_stability(rows(2.0), ("first", "second"))["roc"] == {"contains": 1.0}
    assert dominance_stability(rows(2.0), ("second", "first"))["cost"] == {"is contained": 1.0}


def test_one_model_coincides_with_itself():
    assert dominance_stability(rows(0.0), ("first", "first"))["roc"] == {"coincides": 1.0}


def test_a_hull_contains_another_at_least_as_often_as_the_curve_does():
    random = np.random.default_rng(3)
    noisy = rows(0.25).with_columns(first=pl.col("first") + pl.Series(random.normal(0, 0.3, 300)))
    by_curve = dominance_stability(noisy, ("first", "second"))

    assert 0 < by_curve["cost"]["contains"] < 1
    assert by_curve["cost"]["contains"] >= by_curve["roc"].get("contains", 0.0)


def test_order_of_rows_and_many_rows_do_not_matter():
    table = rows(1.0, 40_000)
    by_curve = dominance_stability(table, ("first", "second"), replicates=20)

    assert by_curve["roc"] == {"contains": 1.0}
    assert by_curve == dominance_stability(table.reverse(), ("first", "second"), replicates=20)


def test_one_class_has_no_curves():
    assert dominance_stability(rows(1.0).filter("truth"), ("first", "second")) == {}


@pytest.mark.parametrize(("more", "drawn"), [({}, True), (QUICK, False)])
def test_a_report_says_how_often_dominance_is_kept(more, drawn):
    spec = {
        "data": "unused.parquet",
        "truth": "truth",
        "models": {"first": {"score": "first"}, "second": {"score": "second"}},
        "threshold": 0.5,
        **more,
    }
    dominance = evaluate(spec, rows(2.0)).dominance

    assert dominance["relation"].to_list() == ["contains"] * 3
    assert dominance["stability"].to_list() == ([1.0] * 3 if drawn else [None] * 3)


def test_copies_of_a_row_that_are_a_group_say_no_more_than_the_row():
    """Of like curves the relation stays as open; copies taken as rows of their own settle it."""
    random = np.random.default_rng(3)
    noise = pl.Series(random.normal(0, 0.3, 300))
    one = rows(0.25).with_columns(first=pl.col("first") + noise, group=pl.int_range(300))
    copies = pl.concat([one] * 8)
    alone, grouped, apart = (
        dominance_stability(table, ("first", "second"), group=group)["cost"].get("crosses", 0.0)
        for table, group in ((one, None), (copies, "group"), (copies, None))
    )

    assert grouped == pytest.approx(alone, abs=0.15)
    assert abs(apart - alone) > 0.15


@pytest.mark.parametrize("cells", [2, 4, 12])
def test_the_relations_of_all_replicates_are_those_of_their_regions(cells):
    random = np.random.default_rng(cells)
    sizes = random.integers(1, 7, (2, 300))  # negatives and positives, the same for both models
    shares = random.dirichlet(np.full(cells, 0.5), (2, 2, 300))
    masses = np.pad(random.multinomial(sizes, shares), [(0, 0)] * 3 + [(1, 0)])
    first, second = masses.cumsum(axis=3).astype(float)

    for points, chosen in ((distinct_points, None), (hull_vertices, upper_hull)):
        related = relations(first, second, points)
        each = []
        for a, b in zip(first.swapaxes(0, 1), second.swapaxes(0, 1), strict=True):
            rates = [one / one[:, -1:] for one in (a, b)]
            lines = [Line(*(one[:, chosen(*one)] if chosen else one)) for one in rates]
            each.append(relation(compared(*lines)))
        assert related == each
        assert set(related) >= {"contains", "is contained", "crosses"}
        assert set(relations(first, first, points)) == {"coincides"}
