"""Write comparisons.json: values of tests that ``cases/`` does not hold, from other programs.

Run in an environment of its own, none of these programs is needed otherwise:

    python tests/reference/make_comparisons.py [folder of STAC's nonparametric_tests.py]

with baycomp, mlxtend, scikit-posthocs, scikit-learn, scipy, statsmodels and polars installed, then
``make_comparisons.R``, whose values are taken in when it has run. STAC (Rodríguez-Fdez et al. 2015,
doi:10.1109/FUZZ-IEEE.2015.7337889) is github.com/citiususc/stac, commit a123815.
"""

from __future__ import annotations

import json
import sys
import types
from importlib.metadata import version
from pathlib import Path
from typing import Any

import baycomp
import numpy as np
import polars as pl
import scikit_posthocs as posthocs
import scipy
from mlxtend.evaluate import BootstrapOutOfBag, bootstrap_point632_score
from scipy import stats
from sklearn import metrics as sk
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.weightstats import ttost_paired

FOLDER = Path(__file__).parent
DATA = FOLDER / "data"
PROGRAMS = ("baycomp", "mlxtend", "scikit-posthocs", "scikit-learn", "scipy", "statsmodels")
TABLE = pl.read_csv(DATA / "garcia_herrera_2008.csv")
MODELS = [name for name in TABLE.columns if name != "dataset"]
DRAWS = 100_000


def stac(folder: Path) -> types.ModuleType:
    """STAC's tests; its scipy of 2016 had NumPy's functions under its own name."""
    for name in ("mean", "sqrt", "sum"):
        value = (lambda it: np.sum(list(it))) if name == "sum" else getattr(np, name)
        scipy.__dict__.setdefault(name, value)
    sys.path.insert(0, str(folder))
    import nonparametric_tests  # it is found only now

    return nonparametric_tests


def aligned(tests: types.ModuleType) -> list[dict[str, Any]]:
    """Friedman's aligned ranks on real numbers without ties."""
    cases = []
    for seed, blocks, models in ((1, 12, 3), (2, 8, 5), (3, 30, 4)):
        values = np.random.default_rng(seed).normal(size=(blocks, models)).cumsum(axis=1).round(6)
        t, p, means, _ = tests.friedman_aligned_ranks_test(*values.T)
        case = {"values": values.tolist(), "statistic": float(t), "p": float(p)}
        cases.append(case | {"mean_ranks": [float(mean) for mean in means]})
    return cases


def bayesian() -> list[dict[str, Any]]:
    """Posterior signed ranks of pairs of learners, with one pseudo-observation of 0."""
    cases = []
    for a, b, rope in (
        ("C4.5", "NaiveBayes", 0.01),
        ("C4.5", "CN2", 0.01),
        ("1NN", "Kernel", 0.05),
    ):
        x, y = TABLE[a].to_numpy(), TABLE[b].to_numpy()
        # baycomp asks who has the higher value of the second argument.
        left, same, right = baycomp.SignedRankTest.probs(
            y, x, rope, prior=1, nsamples=DRAWS, random_state=0
        )
        probabilities = [float(right), float(same), float(left)]
        cases.append({"a": a, "b": b, "rope": rope, "probabilities": probabilities})
    return cases


def tost() -> list[dict[str, Any]]:
    """Two one-sided paired t-tests of pairs of learners."""
    cases = []
    for a, b, margin in (("C4.5", "NaiveBayes", 0.02), ("C4.5", "CN2", 0.05), ("C4.5", "1NN", 0.1)):
        p, above, below = ttost_paired(TABLE[a].to_numpy(), TABLE[b].to_numpy(), -margin, margin)
        sides = {"p_above": float(above[1]), "p_below": float(below[1])}
        cases.append({"a": a, "b": b, "margin": margin, "p": float(p), **sides})
    return cases


def conover() -> dict[str, float]:
    """Conover's t-tests of all pairs of rank sums, uncorrected."""
    p_values = posthocs.posthoc_conover_friedman(TABLE.select(MODELS).to_numpy())
    return {
        f"{a} − {b}": float(p_values.iloc[i, j])
        for i, a in enumerate(MODELS)
        for j, b in enumerate(MODELS)
        if i < j
    }


def exchanged() -> list[dict[str, Any]]:
    """All 2¹¹ exchanges of the outputs of two models, of measures of every task."""
    random = np.random.default_rng(7)
    n = 11
    classes = random.integers(0, 3, n)
    predictions = [
        np.where(random.random(n) < p, classes, random.integers(0, 3, n)) for p in (0.9, 0.3)
    ]
    number = random.normal(size=n)
    estimates = [number + s * random.normal(size=n) for s in (0.5, 1.5)]
    sick = (classes == 0).astype(int)
    scores = [
        np.clip(0.5 + 0.4 * (sick - 0.5) * s + 0.2 * random.normal(size=n), 0, 1) for s in (2, 0.5)
    ]

    cases: list[tuple[str, str, Any, list[Any], Any]] = [
        ("multiclass", "accuracy", classes, predictions, sk.accuracy_score),
        ("multiclass", "cohen_kappa", classes, predictions, sk.cohen_kappa_score),
        ("regression", "r2", number, estimates, sk.r2_score),
        ("regression", "median_absolute_error", number, estimates, sk.median_absolute_error),
        ("binary", "brier_score", sick, scores, sk.brier_score_loss),
    ]
    results = []
    for task, metric, truth, (a, b), score in cases:

        def gap(x: Any, y: Any, score: Any = score, truth: Any = truth) -> float:
            return float(score(truth, x) - score(truth, y))

        tested = stats.permutation_test(
            (a, b), gap, permutation_type="samples", n_resamples=np.inf, vectorized=False
        )
        results.append(
            {
                "task": task,
                "metric": metric,
                "truth": np.asarray(truth).tolist(),
                "a": np.asarray(a).tolist(),
                "b": np.asarray(b).tolist(),
                "estimate": float(tested.statistic),
                "p": float(tested.pvalue),
            }
        )
    return results


def one_split() -> dict[str, Any]:
    """The .632 and .632+ of one fit, whose error on all rows stands for the empirical one."""
    leaves, y = load_iris(return_X_y=True)
    leaves = leaves[:, :2]
    tree = DecisionTreeClassifier(random_state=0)
    in_bag, out = next(iter(BootstrapOutOfBag(n_splits=1, random_seed=3).split(leaves)))
    predicted = tree.fit(leaves[in_bag], y[in_bag]).predict(leaves)
    estimates = {
        name: 1 - float(bootstrap_point632_score(tree, leaves, y, 1, method, random_seed=3)[0])
        for name, method in (("point632", ".632"), ("point632_plus", ".632+"), ("out", "oob"))
    }
    return {"truth": y.tolist(), "said": predicted.tolist(), "out_rows": out.tolist(), **estimates}


def ranks() -> None:
    """Ordinal ranks of three models, for R."""
    rows = pl.read_parquet(DATA / "breast_cancer_cv.parquet").sort("row")
    ranked = [pl.col(f"{m}_score").rank("ordinal").alias(m) for m in ("lr", "rf", "gnb")]
    rows.select(pl.col("y_true").alias("truth"), *ranked).write_csv(DATA / "bc_ranks.csv")


def main() -> None:
    """Write the values and the ranks that R reads."""
    ranks()
    previous = json.loads((FOLDER / "comparisons.json").read_text())
    if len(sys.argv) > 1:
        previous["aligned_ranks"] = aligned(stac(Path(sys.argv[1])))
    document = {
        "programs": {name: version(name) for name in PROGRAMS},
        "aligned_ranks": previous["aligned_ranks"],
        "bayesian_signed_rank": bayesian(),
        "tost": tost(),
        "conover": conover(),
        "exchanged": exchanged(),
        "one_split": one_split(),
    }
    of_r = DATA / "comparisons_r.json"  # taken in, then not kept
    names = ("venkatraman", "bootstrap_632")
    document |= json.loads(of_r.read_text()) if of_r.exists() else {n: previous[n] for n in names}
    lines = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in document.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (FOLDER / "comparisons.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
