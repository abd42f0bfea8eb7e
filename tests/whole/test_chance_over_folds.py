"""Whether a mean AUC over folds is above that of guessing: by ranks within the folds."""

import numpy as np
import polars as pl
from scipy.stats import rankdata

from reportgen import evaluate
from reportgen.concluding.guessed_measure import above_chance_by_ranks
from reportgen.records.decision import AtChance
from tests.breadth import sample_size
from tests.quick import QUICK


def crossed(random, rows, folds, signal, features=4):
    """Truths, folds, and scores of linear discriminants that are fitted on the other folds."""
    truth = np.arange(rows) % 2
    features = random.normal(size=(rows, features)) + signal * truth[:, None]
    fold = random.permutation(np.arange(rows) // 2 % folds)
    fold = np.repeat(fold[::2], 2)[:rows]
    scores = np.empty(rows)
    for part in range(folds):
        fit, tested = fold != part, fold == part
        means = [features[fit & (truth == k)].mean(0) for k in (0, 1)]
        spread = np.cov(features[fit].T)
        scores[tested] = features[tested] @ np.linalg.solve(spread, means[1] - means[0])
    return truth, fold, scores


def mean_area(truth, fold, scores):
    areas = []
    for part in np.unique(fold):
        own = fold == part
        ranks, hits = rankdata(scores[own]), truth[own] == 1
        pairs = hits.sum() * (~hits).sum()
        areas.append((ranks[hits].sum() - hits.sum() * (hits.sum() + 1) / 2) / pairs)
    return float(np.mean(areas))


def decided(truth, fold, scores):
    frame = pl.DataFrame({"y": truth, "fold": fold, "m": 1 / (1 + np.exp(-scores))})
    spec = {"truth": "y", "models": {"m": {"score": "m"}}, "columns": {"fold": "fold"}}
    return evaluate({**spec, **QUICK}, frame)


def test_two_folds_of_a_clear_signal_are_not_said_to_be_at_chance():
    drawn = crossed(np.random.default_rng(6), 300, 2, 0.4)
    results = decided(*drawn)

    [row] = results.folds.filter(metric="auc", role="test").group_by("model").len().rows()
    assert row == ("m", 2)
    assert mean_area(*drawn) > 0.7
    assert not results.decision.at_chance


def test_learners_without_signal_are_seldom_above_chance_by_ranks():
    random = np.random.default_rng(8)
    for rows, folds in ((100, 5), (120, 2), (100, 10)):
        data = decided(*crossed(random, rows, folds, 0.0)).data
        data.pop("undeclared_groups", None)
        number, above = sample_size(300, 4000), 0
        for _ in range(number):
            value = mean_area(*crossed(random, rows, folds, 0.0))
            above += above_chance_by_ranks(AtChance("m", "auc", value, None, None, 0.5), data, 0.05)
        assert above <= 0.04 * number
