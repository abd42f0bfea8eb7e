"""Many models on few folds: what a report of them says of pairs that it does not show."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

import reportgen
from reportgen.charts import figures
from reportgen.records.shown_models import featured
from reportgen.results import Results
from reportgen.sections.comparisons import ComparisonsSection
from tests.quick import QUICK

MODELS = "abcdefg"
PAIRS = 21
FOLDS = 5


@cache
def of_seven() -> Results:
    """The first ranks best, by far in some folds alone; of two all folds are nearly the same."""
    random = np.random.default_rng(11)
    truth = np.tile(np.arange(30) % 2, FOLDS)
    fold = np.repeat(np.arange(FOLDS), 30)
    scores = {m: random.normal(size=150) for m in MODELS}
    scores["a"] = scores["a"] + truth * np.where(fold == 0, 0.2, 4.0)
    for model, signal in (("b", 1.2), ("c", 0.3)):
        of_fold = random.normal(size=30) + signal * (np.arange(30) % 2)
        scores[model] = np.tile(of_fold, FOLDS) + 0.06 * random.normal(size=150)
    frame = pl.DataFrame({"y": truth, "fold": fold, **scores})
    spec = {"truth": "y", "models": {m: {"score": m} for m in MODELS}, "columns": {"fold": "fold"}}
    return reportgen.evaluate(spec | {"threshold": 0.5, **QUICK}, frame)


def test_what_rules_nothing_out_is_not_printed_but_what_could_be_detected():
    """No difference from a useful model is as large as the limits allow: none is ruled out."""
    decision = of_seven().decision

    assert decision.relation == "level"
    assert decision.ruled_out is None
    assert "ruled out" not in decision.sentence
    nothing = "no difference between a and the others would be detected with probability 0.8."
    assert f"With 5 folds and {PAIRS} comparisons {nothing}" in decision.sentence
    assert "With a declared baseline only 6 comparisons remain." in decision.sentence


def test_a_model_at_chance_has_the_basis_of_its_value():
    """Key measures have the AUC of pooled rows, the caveat its mean over folds."""
    texts = [caveat.text for caveat in of_seven().decision.caveats if caveat.code == "at_chance"]

    assert len(texts) == 1
    assert "mean AUC over folds 0." in texts[0]


def test_pairs_that_differ_without_the_leader_stand_on_page_one():
    better = {
        (row["better"], *row["models"])
        for row in of_seven().comparisons.iter_rows(named=True)
        if row["metric"] == "auc" and row["recommendation"] == "recommended" and row["better"]
    }
    behind = {next(m for m in models if m != best) for best, *models in better}

    assert better
    assert all(f"{model} " in of_seven().decision.sentence for model in behind)


def test_the_tests_of_the_report_are_counted_with_those_of_models_not_shown():
    results = of_seven()
    shown = featured(results)
    table = ComparisonsSection.from_results(shown, []).ledger
    notes = " ".join(map(str, table.notes))
    count = results.comparisons["p_report"].count()

    assert len(shown.data["models"]) < len(MODELS)
    assert f"Holm over the {count} tests that decide." in notes
    assert f"among the models shown, of {PAIRS}; results.json has all." in notes


def test_a_figure_of_some_pairs_does_not_say_that_no_others_differ():
    figure = next(one for one in figures(of_seven()) if one.id == "differences")
    leader = of_seven().decision.leader

    assert f"between {leader} and others" in figure.title
    assert "results.json has all." in figure.subtitle
