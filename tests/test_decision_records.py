"""The state of a build, who is compared with the leader, and what small numbers leave unsaid."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from reportgen.concluding.conclusion import _compared_with, _ruled_out, _state
from reportgen.concluding.few_units import few_units
from reportgen.concluding.leading import _of_best
from reportgen.concluding.model_values import ModelValue
from reportgen.concluding.overconfidence import _is_off
from reportgen.concluding.threshold_advice import advised
from reportgen.records.decision import Caveat, GateCounts, ThresholdChange
from reportgen.records.model import typed
from reportgen.tables import Metrics
from tests.test_contests import contest, row

LEAK = Caveat("leakage", "severe", "Every test row was also trained on.")
PASSED = GateCounts(passed=2)


@pytest.mark.parametrize(
    ("counts", "relation", "listed", "state"),
    [
        (PASSED, "ahead", [], "pass"),
        (PASSED, "ahead", [LEAK], "inconclusive"),
        (PASSED, "at chance", [], "inconclusive"),
        (PASSED, "no conclusion", [], "inconclusive"),
        (GateCounts(passed=1, inconclusive=1), "ahead", [], "inconclusive"),
        (GateCounts(passed=1, failed=1), "ahead", [LEAK], "fail"),
        (GateCounts(), "ahead", [], "no gates"),
        (GateCounts(), "ahead", [LEAK], "inconclusive"),
    ],
)
def test_a_build_passes_only_where_nothing_severe_speaks_against_it(
    counts: GateCounts, relation: Any, listed: list[Caveat], state: str
) -> None:
    assert _state(counts, relation, listed) == state


def test_page_one_names_the_best_model_that_is_level_with_the_leader_before_one_that_is_behind():
    """Who is level is the question that is open, though another model has the better value."""
    of = contest(
        {"a": 0.9, "b": 0.88, "c": 0.87},
        row("a", "b", better="a"),
        row("a", "c"),
        row("b", "c"),
    )

    assert of.leader == "a"
    assert _compared_with(of, "a", None) == "c"
    assert _compared_with(of, "a", "b") == "b"


def test_ruled_out_is_what_the_limits_of_no_rival_allow():
    """The widest limits count: smaller differences from another rival may be larger from this."""
    wide = row("a", "c", simultaneous_low=-0.08, simultaneous_high=0.12)
    of = contest({"a": 0.9, "b": 0.89, "c": 0.88}, row("a", "b"), wide)

    assert _ruled_out(of, "a", None) == pytest.approx(0.12)


@pytest.mark.parametrize(("measure", "best"), [("auc", "a"), ("brier_score", "c")])
def test_a_measure_decides_only_if_a_test_compares_the_best_model_in_it(measure, best):
    values = {name: ModelValue(value) for name, value in {"a": 0.9, "b": 0.8, "c": 0.7}.items()}
    others = {frozenset(values) - {best}: row(*sorted(values.keys() - {best}))}
    with_best = {frozenset((best, "b")): row(best, "b")}

    assert not _of_best(measure, values, others, None)
    assert _of_best(measure, values, with_best, None)


@pytest.mark.parametrize(("expected", "off"), [(0.11, False), (0.14, True), (0.07, True)])
def test_a_model_is_too_sure_where_its_errors_are_a_quarter_more_than_it_expects(expected, off):
    """Many rows make a tenth significant, which is not worth a word."""
    declared = SimpleNamespace(comparisons=SimpleNamespace(alpha=0.05))
    results: Any = SimpleNamespace(confidence=0.95, declared=declared)
    assert _is_off(results, ModelValue(0.1, 0.097, 0.103), expected, 1) is off


@pytest.mark.parametrize(("rows", "said"), [(29, 1), (30, 0)])
def test_thirty_rows_of_a_class_are_not_few(rows, said):
    classes = [{"class": "a", "rows": rows}, {"class": "b", "rows": 300}]
    data: Any = {"task": "multiclass", "classes": classes, "rows_evaluated": 300 + rows}

    assert len(list(few_units(data))) == said


def change(model: str, now: float, then: float) -> ThresholdChange:
    saving = now - then
    ends = saving - 0.05, saving + 0.05
    return ThresholdChange(
        model, 0.5, 0.2, now, then, saving, *ends, 0.95, -3, 5, "cross-fitted", saving > 0.05
    )


def test_the_advice_is_for_the_model_that_costs_least_at_its_best_threshold() -> None:
    """Of the leader and those level with it; a cheaper one that is not is named beside it."""
    changes = [change("a", 0.8, 0.6), change("b", 0.9, 0.5), change("c", 1.0, 0.3)]
    advice = advised(typed(Metrics, []), ["a", "b"], changes, pooled=False)

    assert advice is not None
    assert (advice.model, advice.cost_then, advice.leader_cost) == ("b", 0.5, 0.6)
    assert (advice.cheaper, advice.cheaper_cost) == ("c", 0.3)
    assert "b" in advice.text
