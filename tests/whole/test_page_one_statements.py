"""Page one makes no statement that another one beside it contradicts."""

import re

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.sections.tables import valued
from reportgen.sections.verdict import Verdict
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def report(columns, **spec):
    models = {name: {"score": name} for name in columns.columns if name != "y"}
    return reportgen.evaluate({"truth": "y", "models": models, **QUICK, **spec}, columns)


def barely(seed=28, against=-0.05):
    """a is better than chance by its own interval alone; so is its difference from b."""
    random = np.random.default_rng(seed)
    truth = np.arange(400) % 2 == 0
    noise = random.normal(size=400)
    return pl.DataFrame({"y": truth, "a": noise + 0.2 * truth, "b": noise + against * truth})


def chinese(results):
    into = translator("zh", names_of(results.to_dict()))
    for text in [results.decision.headline, *(c.text for c in results.decision.caveats)]:
        into.text(text, "li")
    return into.missing


def test_a_significant_difference_leads_where_its_model_is_better_than_guessing_by_its_interval():
    results = report(barely())
    decision = results.decision
    a = decision.at_chance[0]
    low = results.metrics.filter(pl.col("slice").is_null(), model="a", metric="auc")["low"].item()

    assert decision.relation == "ahead"
    assert decision.headline.startswith("a beats b: AUC ")
    assert (a.model, a.simultaneous, a.low > 0.5) == ("a", True, True)
    assert a.low == low
    (text,) = (c.text for c in decision.caveats if c.code == "at_chance")
    assert re.search(r"a and b are not significantly better than chance \(a: AUC 0\.\d+, ", text)
    assert a.corrected[0] <= 0.5
    assert text.endswith(" after correction).")
    assert not chinese(results)


def test_models_whose_own_intervals_hold_the_value_of_guessing_are_at_chance_whatever_differs():
    frame = barely().with_columns(a=pl.col("a") - 0.15 * pl.col("y"))

    assert report(frame).decision.relation == "at chance"


def test_only_a_model_that_is_better_than_every_other_one_is_in_bold():
    frame = barely().with_columns(a=pl.col("a") + 2 * pl.col("y"))
    copied = frame.with_columns(copy="a")

    def bold(results):
        return [row.emphasis for row in Verdict.from_results(results, []).models.rows]

    assert bold(report(frame)) == [True, False]
    assert bold(report(copied)) == [False, False, False]


def test_a_limit_below_0_keeps_its_sign_beside_numbers_without_one():
    cell = valued(0.0093, -0.0003, 0.0187, digits=3)

    assert (cell.text, cell.low, cell.high) == ("0.009", "−0.0003", "0.019")


@pytest.fixture(scope="module")
def pilot():
    """14 rows: a test of accuracy that cannot reject, and an AUC in which the other is first."""
    truth = np.arange(14) % 2 == 0
    marker, panel = np.where(truth, 0.9, 0.2), np.where(truth, 0.8, 0.3)
    marker[[0, 2, 4]], marker[1] = 0.55, 0.6
    panel[[0, 2]], panel[1] = 0.45, 0.46
    return report(pl.DataFrame({"y": truth, "marker": marker, "panel": panel}))


def test_nothing_is_ruled_out_or_detectable_where_no_difference_can_be_significant(pilot):
    decision = pilot.decision

    assert any(c.code == "least_p" for c in decision.caveats)
    assert decision.ruled_out is None
    assert "ruled out" not in decision.sentence
    assert "detectable" not in decision.sentence


def test_a_measure_that_decides_instead_of_another_says_who_is_first_by_that(pilot):
    (text,) = (c.text for c in pilot.decision.caveats if c.code == "measure")

    assert pilot.decision.leader == "marker"
    limited = r"0\.\d+ \(0\.\d+ to [01]\.\d+\)"
    assert re.search(rf" panel is first by AUC: {limited} against {limited}\.$", text)
    assert not chinese(pilot)


def test_what_is_ruled_out_is_a_size_in_either_direction():
    other = np.random.default_rng(1).normal(size=400) + 2.2 * (np.arange(400) % 2 == 0)
    results = report(barely().with_columns(a=pl.col("a") + 2 * pl.col("y"), b=other))

    ruled_out = r"of more than \S+ .*are ruled out in either direction at α"
    assert re.search(ruled_out, results.decision.sentence)
