"""What is measured: each a function of a Parquet file with columns ``y``, ``y8``, ``a`` and ``b``.

``y`` are the labels in 64 bits, as NumPy and pandas write them, ``y8`` the same in 8.

Run as ``python contenders.py NAME FILE SMALL``, so that each has a process of
its own: it goes through the small file first, which imports what is needed,
then prints CPU seconds, wall seconds and peak memory in MB of the other.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import polars as pl

MODELS = ("a", "b")


def limit(path: str) -> None:
    """Read the columns, and sort each score."""
    frame = pl.read_parquet(path, columns=["y", *MODELS])
    for model in MODELS:
        frame[model].sort()


def reportgen(path: str) -> None:
    """Every binary measure, with curves and calibration, of each model, exactly.

    A model's scores are not kept once they are ranked.
    """
    from reportgen.measuring.binary_model import evaluate_metrics, evaluate_model
    from reportgen.measuring.curve_tables import CurveOptions, curves
    from reportgen.measuring.thresholds import Threshold
    from reportgen.metrics.settings import ErrorCosts
    from reportgen.predictions import ModelColumns
    from reportgen.spec import Spec

    def rows(model: str) -> pl.DataFrame:
        return pl.scan_parquet(path).select(model, truth=pl.col("y").cast(pl.Boolean)).collect()

    spec = Spec.model_validate(
        {"data": path, "truth": "y", "models": {m: {"score": m} for m in MODELS}}
    )
    costs = ErrorCosts(false_negative=1.0, false_positive=1.0)
    half = Threshold(0.5, "fixed")
    models = [evaluate_model(rows(m), ModelColumns(m, score=m), half) for m in MODELS]
    assert evaluate_metrics(models, spec, costs)
    assert curves(models, CurveOptions(("1", "0"), 0.95, costs, weighted=False))


def reportgen_evaluate(path: str, engine: str = "exact") -> None:
    """The whole evaluation: validation, measures, curves, intervals, tests."""
    import reportgen as rg

    rg.evaluate(
        {"data": path, "truth": "y", "models": {m: {"score": m} for m in MODELS}}
        | {"engine": engine}
    )


def reportgen_streaming(path: str) -> None:
    """The same from cells, in bounded memory."""
    reportgen_evaluate(path, "streaming")


def scikit_learn(path: str, labels: str = "y") -> None:
    """The calls that a user would write for the same set."""
    from sklearn import calibration, metrics

    frame = pl.read_parquet(path, columns=[labels, *MODELS])
    truth = frame[labels].to_numpy()
    for model in MODELS:
        score = frame[model].to_numpy()
        predicted = score >= 0.5
        metrics.roc_curve(truth, score)
        metrics.roc_auc_score(truth, score)
        metrics.precision_recall_curve(truth, score)
        metrics.average_precision_score(truth, score)
        metrics.brier_score_loss(truth, score)
        metrics.log_loss(truth, score)
        calibration.calibration_curve(truth, score, n_bins=10)
        metrics.det_curve(truth, score)
        metrics.confusion_matrix(truth, predicted)
        metrics.classification_report(truth, predicted)
        metrics.matthews_corrcoef(truth, predicted)
        metrics.cohen_kappa_score(truth, predicted)
        metrics.balanced_accuracy_score(truth, predicted)


def scikit_learn_8_bits(path: str) -> None:
    """The same where the labels are kept in 8 bits, which its calls take better."""
    scikit_learn(path, "y8")


def numbers_of_scikit_learn(path: str) -> None:
    """The calls for the measures of a regression that scikit-learn and SciPy have, no intervals."""
    from scipy import stats
    from sklearn import metrics

    frame = pl.read_parquet(path, columns=["y", *MODELS])
    truth = frame["y"].to_numpy()
    for model in MODELS:
        estimate = frame[model].to_numpy()
        metrics.mean_squared_error(truth, estimate)
        metrics.root_mean_squared_error(truth, estimate)
        metrics.mean_absolute_error(truth, estimate)
        metrics.median_absolute_error(truth, estimate)
        metrics.max_error(truth, estimate)
        metrics.mean_absolute_percentage_error(truth, estimate)
        metrics.mean_squared_log_error(truth, estimate)
        metrics.root_mean_squared_log_error(truth, estimate)
        metrics.r2_score(truth, estimate)
        metrics.explained_variance_score(truth, estimate)
        metrics.d2_absolute_error_score(truth, estimate)
        metrics.mean_poisson_deviance(truth, estimate)
        metrics.mean_gamma_deviance(truth, estimate)
        metrics.mean_tweedie_deviance(truth, estimate, power=1.5)
        for alpha in (0.1, 0.5, 0.9):
            metrics.mean_pinball_loss(truth, estimate, alpha=alpha)
        for alpha in (0.1, 0.9):
            metrics.d2_pinball_score(truth, estimate, alpha=alpha)
        for power in (1, 1.5, 2):
            metrics.d2_tweedie_score(truth, estimate, power=power)
        stats.pearsonr(truth, estimate)
        stats.spearmanr(truth, estimate)
        stats.kendalltau(truth, estimate)


def polars_ds(path: str) -> None:
    """Its smaller set: binary metrics and AUC, log loss."""
    import polars_ds as pds

    frame = pl.read_parquet(path, columns=["y", *MODELS])
    for model in MODELS:
        frame.select(
            pds.query_binary_metrics(pl.col("y").cast(pl.UInt32), pl.col(model)).alias("all"),
            pds.query_log_loss(pl.col("y").cast(pl.Float64), pl.col(model)).alias("loss"),
        )


def rapidstats(path: str) -> None:
    """Its confusion matrix, AUC, average precision, Brier score and calibration, no bootstrap."""
    import rapidstats as rs

    library = rs.metrics if hasattr(rs, "metrics") else rs
    frame = pl.read_parquet(path, columns=["y", *MODELS])
    truth = frame["y"].cast(pl.Boolean)
    for model in MODELS:
        library.confusion_matrix(truth, frame[model] >= 0.5)
        for name in ("roc_auc", "average_precision", "brier_loss", "max_ks"):
            getattr(library, name)(truth, frame[model])


def pycm(path: str) -> None:
    """Its confusion matrix with every measure of counts."""
    import pycm as pc

    frame = pl.read_parquet(path, columns=["y", *MODELS])
    truth = frame["y"].cast(pl.Int64).to_list()
    for model in MODELS:
        predicted = (frame[model] >= 0.5).cast(pl.Int64).to_list()
        str(pc.ConfusionMatrix(truth, predicted))


def evidently(path: str) -> None:
    """Its classification preset, one report per model."""
    from evidently import BinaryClassification, DataDefinition, Dataset, Report
    from evidently.presets import ClassificationPreset

    frame = pl.read_parquet(path, columns=["y", *MODELS]).to_pandas()
    for model in MODELS:
        roles = BinaryClassification(target="y", prediction_probas=model)
        definition = DataDefinition(classification=[roles])
        data = Dataset.from_pandas(frame[["y", model]], data_definition=definition)
        Report([ClassificationPreset()]).run(data).dict()


def skore(path: str) -> None:
    """Its report of an estimator: the summary, ROC, P-R and the confusion matrix."""
    import numpy as np
    from sklearn.base import BaseEstimator, ClassifierMixin
    from skore import EstimatorReport

    class Given(ClassifierMixin, BaseEstimator):
        """An estimator that says what its only feature says."""

        def fit(self, X: np.ndarray, y: np.ndarray) -> Given:  # noqa: ARG002, N803  # by scikit-learn
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X: np.ndarray) -> np.ndarray:  # noqa: N803  # by scikit-learn
            score = np.asarray(X)[:, 0]
            return np.column_stack([1 - score, score])

        def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803  # by scikit-learn
            return (np.asarray(X)[:, 0] >= 0.5).astype(np.int8)

    frame = pl.read_parquet(path, columns=["y", *MODELS])
    for model in MODELS:
        rows = frame[model].to_numpy()[:, None]
        fitted = Given().fit(rows[:2], np.array([0, 1], dtype=np.int8))
        report = EstimatorReport(fitted, X_test=rows, y_test=frame["y"].to_numpy(), pos_label=1)
        report.metrics.summarize().frame()
        report.metrics.roc()
        report.metrics.precision_recall()
        report.metrics.confusion_matrix()


CONTENDERS = {
    f.__name__: f
    for f in (
        limit,
        reportgen,
        reportgen_evaluate,
        reportgen_streaming,
        scikit_learn,
        scikit_learn_8_bits,
        polars_ds,
        rapidstats,
        pycm,
        evidently,
        skore,
    )
}

if __name__ == "__main__":
    sys.path = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
    contender = CONTENDERS[sys.argv[1]]
    contender(sys.argv[3])
    cpu, wall = time.process_time(), time.perf_counter()
    contender(sys.argv[2])
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(cpu, wall, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
