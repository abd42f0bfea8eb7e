"""What pages on counted rows say of what counts cannot see."""

import polars as pl
import pytest

from reportgen import evaluate
from tests.engine_data import rows, spec, written
from tests.page_text import without_chinese


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Evaluate a frame by an engine."""
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))

    def of(frame, engine="streaming", **more):
        data = written(frame, tmp_path / "p.parquet")
        return evaluate(spec(data, engine, **more))

    return of


SCORES = {"models": {name: {"score": name} for name in "ab"}}


def test_a_winner_by_counted_rows_comes_with_what_was_not_looked_for(build):
    """The same rows three times over: of rows that are held this leaves no conclusion."""
    frame = rows(300).select("y", "a", b=pl.col("b").reverse())
    frame = pl.concat([frame] * 3)
    exact, counted = (build(frame, engine, **SCORES) for engine in ("exact", "streaming"))

    assert exact.decision.relation == "no conclusion"
    assert "rows_counted" not in [c.code for c in exact.decision.caveats]
    assert counted.decision.relation == "ahead"
    [text] = [c.text for c in counted.decision.caveats if c.code == "rows_counted"]
    assert "Repeated rows" in text
    assert text.endswith("engine: exact detects them.")
    assert not without_chinese(counted, [text])


COSTS = {**SCORES, "costs": {"false_negative": 5, "false_positive": 1}}


def test_a_threshold_is_not_changed_on_counts_of_rows_in_groups(build):
    """Groups are not divided from each other: what seems to be saved has no limits."""
    of = build(
        rows(2000).select("y", "a", "b", g=pl.int_range(2000) // 10),
        **COSTS,
        columns={"group": "g"},
    )

    action = of.decision.action
    assert action.saving > 0.05
    assert not action.worthwhile
    assert action.low is None
    text = action.text.split(". ")[0].removesuffix(".")
    assert text.endswith("per row; counts give no limits of this for rows in groups")
    assert not without_chinese(of, [text])


@pytest.mark.parametrize("threshold", [{"minimise": "cost"}, 0.5])
def test_validation_rows_choose_the_proposed_threshold_in_both_engines(build, threshold):
    frame = rows(2000, digits=2).select("y", "a", "b", "role")
    both = (
        build(frame, engine, **COSTS, threshold=threshold, columns={"role": "role"})
        for engine in ("exact", "streaming")
    )

    exact, counted = (one.decision.action for one in both)
    assert counted.estimated == "threshold chosen on the validation rows"
    assert counted.text == exact.text


def test_another_share_of_positives_in_validation_rows_is_seen_in_counts(build):
    frame = rows(2000).select("y", "a", "b", "role")
    frame = pl.concat([frame.filter(role="validation", y="ill"), frame])
    threshold = {**SCORES, "threshold": {"maximise": "f1"}, "columns": {"role": "role"}}
    exact, counted = (build(frame, engine, **threshold) for engine in ("exact", "streaming"))

    assert exact.data["shares_of_positives"]["validation"] > 0.4
    assert counted.data["shares_of_positives"] == exact.data["shares_of_positives"]
    assert "shares_of_positives" not in build(rows(500), **threshold).data


def test_limits_decide_claims_of_weighted_counts(build):
    """Without the weight of each row no test is made, but the limits allow for the weights."""
    claims = {"claims": ["a.accuracy >= 0.9", "b.error_rate <= 0.5"]}
    weighted = {**SCORES, "columns": {"weight": "w"}, "comparisons": claims}
    frame = rows(500).select("y", "a", "b", "w").with_columns(w=pl.col("w") + 0.5)
    exact, counted = (build(frame, engine, **weighted) for engine in ("exact", "streaming"))

    [of_tests], [of_limits] = (
        [c.text for c in one.decision.caveats if c.code == "claims"] for one in (exact, counted)
    )
    assert of_tests.startswith("1 of the 2 claims is refuted.")
    assert of_limits.startswith("1 of the 2 claims is refuted (by their limits).")
    assert "far below the claimed minimum 0.9: its limits refute the claim." in of_limits
    assert not without_chinese(counted, of_limits.split(". "))


def test_counted_models_of_several_quantiles_are_left_open_at_all_of_them(build):
    columns = {f"{name}{level}": pl.col("a") + level / 10 for name in "pq" for level in (5, 9)}
    frame = rows(400).select(y=pl.col("b") * 3, **columns)
    frame = frame.with_columns(q5=pl.col("q5") * 0.7, q9=pl.col("q9") * 0.7)
    models = {name: {"estimate": name, "quantile": int(name[1]) / 10} for name in columns}
    of = build(frame, models=models, positive=None)

    lost = "tests of pinball loss need single rows, and these are counted (engine: exact)"
    headline = f"No conclusion on which model is better at any quantile: {lost}"
    assert of.decision.headline == headline
    [text] = [c.text for c in of.decision.caveats if c.code == "no_valid_test"]
    assert text == "No test of pinball loss is recommended on these data."
    assert not without_chinese(of, [headline, text])
