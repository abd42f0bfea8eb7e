"""Situations of tests over folds, and of tests over rows that take the fits of all folds as one.

The learners are honest: two that see features of their own, of which each says as much about the
class, so that neither is better on training sets of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from sklearn.tree import DecisionTreeClassifier

from reportgen.comparisons import (
    Comparison,
    corrected_resampled_t,
    corrected_t_of_repeats,
    delong,
    five_by_two_f,
    five_by_two_t,
    mcnemar,
    paired_costs,
    paired_counts,
    paired_t_folds,
    sign,
    signed_rank,
)
from reportgen.metrics import METRICS
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.sweeping import sweep
from tests.simulations.situations import Generator, asked, situation

Floats = np.ndarray
Learner = Callable[[Floats, Floats, Floats], Floats]
Splits = list[tuple[int, np.ndarray, np.ndarray]]

FEATURES = 3


def centroids(features: Floats, truth: Floats, new: Floats) -> Floats:
    """Scores along the line between the means of the classes; above 0 is positive."""
    means = [features[truth == k].mean(axis=0) for k in (False, True)]
    return (new - (means[0] + means[1]) / 2) @ (means[1] - means[0])


def tree(features: Floats, truth: Floats, new: Floats) -> Floats:
    """The share of positives in a leaf of a tree with leaves of five rows or more, less a half."""
    fitted = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(features, truth)
    shares = fitted.predict_proba(new)
    return shares[:, -1] - 0.5 if shares.shape[1] == 2 else np.full(len(new), 0.5)


def ridge(penalty: float) -> Learner:
    """Linear scores with the mean of the truth as intercept, which is not penalised."""

    def learn(features: Floats, truth: Floats, new: Floats) -> Floats:
        middle = features.mean(axis=0)
        centred = features - middle
        inner = centred.T @ centred + penalty * np.eye(features.shape[1])
        slopes = np.linalg.solve(inner, centred.T @ (truth - truth.mean()))
        return truth.mean() + (new - middle) @ slopes - 0.5

    return learn


@dataclass(frozen=True)
class Tested:
    """Every test part: repeat, truth, and the scores of both models."""

    repeats: list[int]
    train: list[int]
    parts: list[pl.DataFrame]

    def pairs(self, metric: Callable[[pl.DataFrame, str], float | None]) -> pl.DataFrame:
        """A measure of both models in each part."""
        return pl.DataFrame(
            {
                "repeat": [str(r) for r in self.repeats],
                "fold": [str(k) for k in range(len(self.parts))],
                "first": [metric(part, "a") for part in self.parts],
                "second": [metric(part, "b") for part in self.parts],
                "train_rows": [float(n) for n in self.train],
                "test_rows": [float(part.height) for part in self.parts],
            }
        )


def neighbours(features: Floats, truth: Floats, new: Floats) -> Floats:
    """The share of positives among the seven nearest rows, less a half."""
    apart = ((new[:, None, :] - features) ** 2).sum(axis=2)
    return truth[np.argpartition(apart, 7, axis=1)[:, :7]].mean(axis=1) - 0.5


def tested(
    random: Generator,
    rows: int,
    splits: Splits,
    signal: float,
    effect: float,
    learn: Learner,
    prevalence: float | None,
) -> Tested:
    """Both learners on every split of one data set; the second has an ``effect`` less to see."""
    truth = np.arange(rows) % 2 == 0
    if prevalence is not None:
        truth = np.arange(rows) < round(rows * prevalence)
    strength = np.repeat([signal, signal * (1 - effect)], FEATURES)
    data = truth[:, None] * strength + random.standard_normal((rows, 2 * FEATURES))
    order = random.permutation(rows)
    truth, data = truth[order], data[order]
    parts = []
    for _, train, test in splits:
        scores = [
            learn(data[train][:, s], truth[train], data[test][:, s])
            for s in (slice(0, FEATURES), slice(FEATURES, None))
        ]
        parts.append(pl.DataFrame({"truth": truth[test], "a": scores[0], "b": scores[1]}))
    return Tested([r for r, _, _ in splits], [len(t) for _, t, _ in splits], parts)


def evaluation_of(rows: int, folds: int, repeats: int) -> Evaluation:
    """What a report knows of k-fold cross-validation, once or repeated."""
    return Evaluation(
        "repeated_k_fold" if repeats > 1 else "k_fold",
        folds * repeats,
        repeats,
        folds,
        rows,
        rows / folds,
        test_rows=rows * repeats,
        test_examples=rows,
    )


def k_fold(random: Generator, rows: int, folds: int, repeats: int = 1) -> Splits:
    """Every row is tested once in each repeat."""
    splits = []
    for repeat in range(repeats):
        parts = np.array_split(random.permutation(rows), folds)
        for k, test in enumerate(parts):
            train = np.concatenate([part for j, part in enumerate(parts) if j != k])
            splits.append((repeat, train, test))
    return splits


def hold_out(random: Generator, rows: int, repeats: int) -> Splits:
    """Random fifths are tested."""
    orders = [random.permutation(rows) for _ in range(repeats)]
    return [(r, order[rows // 5 :], order[: rows // 5]) for r, order in enumerate(orders)]


def bootstrap(random: Generator, rows: int, repeats: int) -> Splits:
    """Rows drawn with replacement train, those that were not drawn are tested."""
    splits = []
    for repeat in range(repeats):
        train = random.integers(0, rows, rows)
        splits.append((repeat, train, np.setdiff1d(np.arange(rows), train)))
    return splits


def accuracy(part: pl.DataFrame, model: str) -> float:
    """Share of the rows that are predicted correctly at a score of 0."""
    return float(part.select(((pl.col(model) > 0) == pl.col("truth")).mean()).item())


def auc(part: pl.DataFrame, model: str) -> float | None:
    """Area under the ROC curve of one part."""
    value = sweep(part, score=model).select(METRICS["auc"].build()).item()
    return None if value is None else float(value)


def _over_folds(experiment: Tested, metrics: tuple[str, ...]) -> Iterator[Comparison]:
    for metric in metrics:
        pairs = experiment.pairs({"accuracy": accuracy, "auc": auc}[metric])
        question = asked(metric)
        yield corrected_resampled_t(pairs, question)
        if len(set(experiment.repeats)) > 1:
            yield corrected_t_of_repeats(pairs, question)
        yield paired_t_folds(pairs, question)
        yield signed_rank(pairs, question, name="wilcoxon_folds")
        yield sign(pairs, question, name="sign_folds")


def _pooled(experiment: Tested) -> Iterator[Comparison]:
    """The tests over rows, as if all scores were one model's."""
    rows = pl.concat(experiment.parts)
    yield from mcnemar(
        paired_counts(rows.with_columns(pl.col("a", "b") > 0), "a", "b"), asked("accuracy")
    )
    wrong = [((rows[m] > 0) != rows["truth"]).cast(pl.Float64) for m in ("a", "b")]
    price = rows["truth"].cast(pl.Float64) * 4 + 1
    losses = pl.DataFrame({"first": wrong[0] * price, "second": wrong[1] * price})
    yield paired_costs(losses, asked("mean_cost"))
    yield delong(rows, asked("auc"))


def _scheme(  # one row of the table
    name: str,
    rows: int,
    splits: Callable[[Generator, int], Splits],
    learn: Learner,
    signal: float,
    *,
    pooled: bool = False,
    metrics: tuple[str, ...] = ("accuracy",),
    share: float = 0.25,
) -> None:
    of = f"{learn.__name__}s" if learn is tree else learn.__name__
    what = "no signal" if not signal else of

    @situation(f"{name}, {rows} rows, {what}", power=0.5 if signal else None, share=share)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        experiment = tested(random, rows, splits(random, rows), signal, effect, learn, None)
        yield from _over_folds(experiment, metrics)
        if pooled:
            yield from _pooled(experiment)
        if name == "5 × 2 folds":
            pairs = experiment.pairs(accuracy)
            yield from five_by_two_t(pairs, asked("accuracy"))
            yield five_by_two_f(pairs, asked("accuracy"))


SCHEMES: dict[str, Callable[[Generator, int], Splits]] = {
    "10 folds": lambda random, rows: k_fold(random, rows, 10),
    "5 × 2 folds": lambda random, rows: k_fold(random, rows, 2, 5),
    "10 × 10 folds": lambda random, rows: k_fold(random, rows, 10, 10),
    "15 splits": lambda random, rows: hold_out(random, rows, 15),
    "15 bootstrap samples": lambda random, rows: bootstrap(random, rows, 15),
}

for _learn, _signal in ((centroids, 0.5), (centroids, 0.0), (tree, 0.8)):
    for _rows in (60, 200, 400):
        _scheme("10 folds", _rows, SCHEMES["10 folds"], _learn, _signal, pooled=True)
        _scheme("5 × 2 folds", _rows, SCHEMES["5 × 2 folds"], _learn, _signal)
    for _name in ("15 splits", "15 bootstrap samples"):
        _scheme(_name, 200, SCHEMES[_name], _learn, _signal)
_scheme("10 × 10 folds", 200, SCHEMES["10 × 10 folds"], centroids, 0.5, share=0.1)
_scheme("10 × 10 folds", 200, SCHEMES["10 × 10 folds"], tree, 0.8, share=0.05)


@situation("10 folds, 200 rows, AUC in each fold", power=0.5, share=0.25)
def _areas(random: Generator, effect: float) -> Iterator[Comparison]:
    splits = k_fold(random, 200, 10)
    experiment = tested(random, 200, splits, 0.5, effect, centroids, None)
    yield from _over_folds(experiment, ("auc",))


@situation("10 folds, 200 rows, scores of two scales", share=0.25)
def _scales(random: Generator, effect: float) -> Iterator[Comparison]:
    """A tree and centroids of the same features: no difference in what is learned alone."""
    experiment = tested(random, 200, k_fold(random, 200, 10), 0.0, 0.0, centroids, None)
    moved = [
        part.with_columns(pl.col("b") + float(random.standard_normal()))
        for part in experiment.parts
    ]
    rows = pl.concat(moved)
    yield delong(rows, asked("auc"))


def _leave_one_out_with_signal(rows: int) -> None:
    @situation(f"leave-one-out, {rows} rows, centroids", power=0.5, share=0.25)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        yield from _pooled(
            tested(random, rows, k_fold(random, rows, rows), 0.5, effect, centroids, None)
        )


_leave_one_out_with_signal(60)
_leave_one_out_with_signal(200)


def _leave_one_out(rows: int, strong: bool) -> None:
    """One fit per row, without signal: a learner with little and one with strong shrinkage."""
    name = "no signal, two penalties" if strong else "no signal, features of their own"

    @situation(f"leave-one-out, {rows} rows, {name}", share=0.25)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        truth = np.arange(rows) % 2 == 0
        data = random.standard_normal((rows, 4))
        scores = np.empty((rows, 2))
        for i in range(rows):
            keep = np.arange(rows) != i
            for m, learn in enumerate((ridge(1.0), ridge(1e4 if strong else 1.0))):
                features = slice(0, 4) if strong else slice(2 * m, 2 * m + 2)
                scores[i, m] = learn(data[keep, features], truth[keep], data[i : i + 1, features])[
                    0
                ]
        rows_of = pl.DataFrame({"truth": truth, "a": scores[:, 0], "b": scores[:, 1]})
        yield from _pooled(Tested([0], [rows - 1], [rows_of]))


_leave_one_out(60, True)
_leave_one_out(60, False)
