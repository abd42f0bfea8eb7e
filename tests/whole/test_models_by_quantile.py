"""Models of several quantiles: those of each are compared alone, all in one family of tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

from reportgen.charts import figures
from reportgen.comparisons import holm
from reportgen.initial_spec import init_spec
from reportgen.records.model import Results
from reportgen.results import evaluate
from reportgen.sections import key_numbers, metric_table, models_by_rank
from tests.page_text import without_chinese

LEVELS = {"p10": 0.1, "p50": 0.5, "p90": 0.9}


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """A truth, its quantiles, and those of a vendor who is too sure and too low."""
    random = np.random.default_rng(11)
    mean = random.normal(40, 5, 400)
    sure = {f"zeta_{k}": mean - 2 + 1.5 * norm.ppf(q) for k, q in LEVELS.items()}
    true = {f"acme_{k}": mean + 4 * norm.ppf(q) for k, q in LEVELS.items()}
    return pl.DataFrame({"y": random.normal(mean, 4), **true, **sure})


def of(frame: pl.DataFrame, names: list[str], **spec: object) -> Results:
    """The results of models whose names end in their quantiles."""
    models = {n: {"estimate": n, "quantile": LEVELS[n[-3:]]} for n in names}
    sampled = {"bootstrap": {"replicates": 200}}
    return evaluate({"truth": "y", "models": models, **sampled, **spec}, frame)


@pytest.fixture(scope="module")
def results(frame) -> Results:
    return of(frame, frame.columns[1:])


def test_the_headline_says_by_quantile_who_is_better(results):
    decision = results.decision
    parts = decision.headline.split("; ")

    assert (decision.relation, decision.state, decision.leader) == ("by quantile", "no gates", None)
    assert [part.split(",")[0] for part in parts] == [
        "0.1 quantile: acme_p10 beats zeta_p10",
        "median: acme_p50 beats zeta_p50",
        "0.9 quantile: acme_p90 beats zeta_p90",
    ]
    for level, part in zip(LEVELS.values(), parts, strict=True):
        losses = [m.value for m in decision.models if m.model.endswith(f"{100 * level:.0f}")]
        assert f"pinball loss {losses[1] - losses[0]:.3f} lower (" in part


def test_tests_are_within_a_quantile_and_corrected_together(results):
    tests = results.comparisons.filter(pl.col("recommendation") == "recommended")

    assert all(a[-3:] == b[-3:] for a, b in results.comparisons["models"])
    assert tests["metric"].to_list() == ["pinball_low", "pinball_median", "pinball_high"]
    assert tests["family_size"].to_list() == [3, 3, 3]
    assert tests["p_adjusted"].to_list() == pytest.approx(holm(tests["p_value"].to_list()))
    assert tests["p_report"].null_count() == 0


def test_page_one_has_the_loss_and_the_coverage_of_each_model_and_no_errors_of_means(results):
    table = models_by_rank.models_table(results)
    lines = [row.cells for row in table.rows]

    assert [column.label for column in table.columns][1:4] == [
        "Quantile",
        "Pinball loss (95\u00a0% CI)",
        "At or below (95\u00a0% CI)",
    ]
    assert [line["quantile"] for line in lines] == ["0.1", "0.1", "0.5", "0.5", "0.9", "0.9"]
    assert [name for name, _ in key_numbers.chosen(results)] == [
        "quantile_coverage",
        "pinball_low",
        "pinball_median",
        "pinball_high",
    ]
    own = metric_table.MetricTable.of(results).numbers
    assert (("pinball_low", None), "acme_p10") in own
    assert (("pinball_low", None), "acme_p90") not in own


def test_models_alike_at_a_quantile_are_said_to_be(frame):
    names = ["acme_p10", "zeta_p10", "acme_p50", "zeta_p50"]
    alike = of(frame.with_columns(zeta_p50="acme_p50"), names).decision

    assert alike.headline.split("; ")[1].startswith(
        "median: acme_p50 and zeta_p50 have the same pinball loss, "
    )
    assert "no_valid_test" not in [caveat.code for caveat in alike.caveats]


def test_no_figure_ranks_quantiles_by_errors_of_means(results):
    titles = [figure.title for figure in figures(results)]

    assert {"Estimates of quantiles", "Residuals of quantiles"} <= set(titles)
    assert not [title for title in titles if "R²" in title or "bias" in title]


def test_without_a_test_at_any_quantile_nothing_is_concluded(frame):
    names = frame.columns[1:]
    decision = of(frame, names, bootstrap={"replicates": 0}).decision

    assert decision.state == "inconclusive"
    assert decision.headline.startswith("No conclusion on which model is better at any quantile: ")
    assert [caveat.code for caveat in decision.severe] == ["no_valid_test"]


def test_one_model_a_quantile_has_nothing_to_be_compared_with(frame):
    decision = of(frame, ["acme_p10", "acme_p50", "acme_p90"]).decision

    assert decision.headline == "No models are compared: each estimates a different quantile"
    assert decision.state == "no gates"


def test_names_that_end_in_a_percentile_are_quantiles(frame, tmp_path):
    path = Path(tmp_path, "vendors.csv")
    frame.rename({"zeta_p90": "zeta_q90"}).write_csv(path)

    text = init_spec(path)

    for name in frame.columns[1:]:
        written = name.replace("zeta_p90", "zeta_q90")
        assert f"{written}: {{estimate: {written}, quantile: {LEVELS[name[-3:]]}}}" in text


def test_beside_estimates_of_the_mean_quantiles_have_their_coverage_and_no_squared_errors(frame):
    """The 0.9 quantiles of zeta are too low, which errors of means say nothing of."""
    both = frame.with_columns(near=pl.col("acme_p50"), far=pl.col("acme_p50") + 3)
    quantiles = {n: {"estimate": n, "quantile": 0.9} for n in ("acme_p90", "zeta_p90")}
    models = quantiles | {n: {"estimate": n} for n in ("near", "far")}
    spec = {"truth": "y", "models": models, "bootstrap": {"replicates": 200}}
    results = evaluate(spec, both)
    decision = results.decision
    coverage = [c.text for c in decision.caveats if c.code == "nominal_coverage"]

    assert decision.relation == "no conclusion"
    assert decision.sentence.startswith("Of the estimates of the mean near has the lowest MSE, ")
    assert "near − far in MSE: −" in decision.sentence
    assert "_p90" not in decision.sentence
    assert [text.startswith("The 0.9 quantiles of zeta_p90 are too low") for text in coverage] == [
        True
    ]
    assert not without_chinese(results, [decision.sentence, *(c.text for c in decision.caveats)])
