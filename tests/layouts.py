"""Predictions and tables of values as the tools of the field write them.

Each layout is written from its tool's documentation; the numbers are drawn. ``truth`` of
``EXPECTED`` is what ``init`` has to understand.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

ROWS = 60
_RNG = np.random.default_rng(7)
TRUTH = _RNG.random(ROWS) < 0.4
SCORE = np.clip(0.35 * TRUTH + 0.65 * _RNG.random(ROWS), 0.001, 0.999).round(4)
OTHER = np.clip(0.25 * TRUTH + 0.75 * _RNG.random(ROWS), 0.001, 0.999).round(4)
CLASS = _RNG.integers(0, 3, ROWS)
THREE = _RNG.dirichlet(np.ones(3), ROWS)
THREE[np.arange(ROWS), CLASS] += 0.6
THREE = (THREE / THREE.sum(axis=1, keepdims=True)).round(6)
NUMBER = _RNG.normal(50, 12, ROWS).round(3)
ESTIMATE = (NUMBER + _RNG.normal(0, 5, ROWS)).round(3)
FOLD = [f"Fold{k % 5 + 1:02}" for k in range(ROWS)]


def named(positive: str, negative: str, flags: Any = TRUTH) -> list[str]:
    """Two labels for flags."""
    return [positive if flag else negative for flag in flags]


def caret() -> pl.DataFrame:
    """``train(…, trControl = trainControl(savePredictions = "final", classProbs = TRUE))$pred``."""
    return pl.DataFrame(
        {
            "pred": named("Good", "Bad", SCORE > 0.5),
            "obs": named("Good", "Bad"),
            "Good": SCORE,
            "Bad": 1 - SCORE,
            "rowIndex": range(1, ROWS + 1),
            "mtry": [2] * ROWS,
            "Resample": FOLD,
        }
    )


def caret_repeated() -> pl.DataFrame:
    """The same of ``repeatedcv``: ``Resample`` names fold and repeat."""
    repeats = [caret().with_columns(Resample=pl.col("Resample") + f".Rep{r}") for r in (1, 2)]
    return pl.concat(repeats)


def caret_regression() -> pl.DataFrame:
    """The same of a number."""
    return pl.DataFrame(
        {"pred": ESTIMATE, "obs": NUMBER, "rowIndex": range(1, ROWS + 1), "Resample": FOLD}
    )


def yardstick() -> pl.DataFrame:
    """``yardstick::two_class_example``."""
    return pl.DataFrame(
        {
            "truth": named("Class1", "Class2"),
            "Class1": SCORE,
            "Class2": 1 - SCORE,
            "predicted": named("Class1", "Class2", SCORE > 0.5),
        }
    )


def hpc() -> pl.DataFrame:
    """``yardstick::hpc_cv``, of three of its classes."""
    names = ["VF", "F", "M"]
    return pl.DataFrame(
        {
            "obs": [names[k] for k in CLASS],
            "pred": [names[k] for k in THREE.argmax(axis=1)],
            **{name: THREE[:, k] for k, name in enumerate(names)},
            "Resample": FOLD,
        }
    )


def tune() -> pl.DataFrame:
    """``tune::collect_predictions`` of repeated cross-validation."""
    return pl.DataFrame(
        {
            ".pred_class": named("yes", "no", SCORE > 0.5) * 2,
            ".pred_yes": [*SCORE, *SCORE],
            ".pred_no": [*(1 - SCORE), *(1 - SCORE)],
            "id": ["Repeat1"] * ROWS + ["Repeat2"] * ROWS,
            "id2": FOLD * 2,
            ".row": [*range(1, ROWS + 1)] * 2,
            "diabetes": named("yes", "no") * 2,
            ".config": ["Preprocessor1_Model1"] * 2 * ROWS,
        }
    )


def mlr3() -> pl.DataFrame:
    """``as.data.table(prediction)`` of mlr3."""
    return pl.DataFrame(
        {
            "row_ids": range(1, ROWS + 1),
            "truth": named("pos", "neg"),
            "response": named("pos", "neg", SCORE > 0.5),
            "prob.pos": SCORE,
            "prob.neg": 1 - SCORE,
        }
    )


def scikit_learn() -> pl.DataFrame:
    """Both columns of ``predict_proba`` beside ``y_true``."""
    flags = TRUTH.astype(int)
    return pl.DataFrame({"y_true": flags, "proba_0": 1 - SCORE, "proba_1": SCORE})


def h2o() -> pl.DataFrame:
    """``h2o.predict`` bound to the response."""
    return pl.DataFrame(
        {
            "actual": named("1", "0"),
            "predict": named("1", "0", SCORE > 0.4),
            "p0": 1 - SCORE,
            "p1": SCORE,
        }
    )


def weka() -> pl.DataFrame:
    """``-classifications weka.classifiers.evaluation.output.prediction.CSV``."""
    label = SCORE > 0.5
    return pl.DataFrame(
        {
            "inst#": range(1, ROWS + 1),
            "actual": named("2:tested_positive", "1:tested_negative"),
            "predicted": named("2:tested_positive", "1:tested_negative", label),
            "error": ["+" if t != p else "" for t, p in zip(TRUTH, label, strict=True)],
            "prediction": np.maximum(SCORE, 1 - SCORE).round(3),
        }
    )


def rapidminer() -> pl.DataFrame:
    """The example set of Apply Model."""
    return pl.DataFrame(
        {
            "label": named("true", "false"),
            "prediction(label)": named("true", "false", SCORE > 0.5),
            "confidence(false)": 1 - SCORE,
            "confidence(true)": SCORE,
        }
    )


def knime() -> pl.DataFrame:
    """A predictor node with class probabilities appended."""
    return pl.DataFrame(
        {
            "Income": named(">50K", "<=50K"),
            "P (Income=<=50K)": 1 - SCORE,
            "P (Income=>50K)": SCORE,
            "Prediction (Income)": named(">50K", "<=50K", SCORE > 0.5),
        }
    )


def orange() -> pl.DataFrame:
    """Predictions of Test and Score, two learners side by side."""
    return pl.DataFrame(
        {
            "diameter narrowing": named("1", "0"),
            "Logistic Regression": named("1", "0", SCORE > 0.5),
            "Logistic Regression (0)": 1 - SCORE,
            "Logistic Regression (1)": SCORE,
            "Random Forest": named("1", "0", OTHER > 0.5),
            "Random Forest (0)": 1 - OTHER,
            "Random Forest (1)": OTHER,
            "Fold": [k % 5 + 1 for k in range(ROWS)],
        }
    )


def autogluon() -> pl.DataFrame:
    """``predict_proba`` with the label: columns are named for the classes."""
    return pl.DataFrame({"0": 1 - SCORE, "1": SCORE, "class": TRUTH.astype(int)})


def pycaret() -> pl.DataFrame:
    """``predict_model``: the score is that of whatever label is predicted."""
    return pl.DataFrame(
        {
            "age": _RNG.integers(20, 80, ROWS),
            "Purchase": named("CH", "MM"),
            "prediction_label": named("CH", "MM", SCORE > 0.5),
            "prediction_score": np.maximum(SCORE, 1 - SCORE).round(4),
        }
    )


def hugging_face() -> pl.DataFrame:
    """Outputs of a text-classification pipeline beside the reference."""
    return pl.DataFrame(
        {
            "text": [f"review {k}" for k in range(ROWS)],
            "reference": named("POSITIVE", "NEGATIVE"),
            "predicted_label": named("POSITIVE", "NEGATIVE", SCORE > 0.5),
            "score": np.maximum(SCORE, 1 - SCORE),
        }
    )


def inspect() -> pl.DataFrame:
    """Samples of multiple-choice tasks, two models one after the other."""
    letters, places = "ABC", THREE.argmax(axis=1)
    answers = [letters[k] for k in [*places, *CLASS[::-1]]]
    return pl.DataFrame(
        {
            "sample_id": [f"q{k}" for k in range(ROWS)] * 2,
            "epoch": [1] * 2 * ROWS,
            "model": ["openai/a"] * ROWS + ["anthropic/b"] * ROWS,
            "target": [letters[k] for k in CLASS] * 2,
            "answer": answers,
        }
    )


def german() -> pl.DataFrame:
    """A table as a German Excel saves it: semicolons and decimal commas."""
    comma = [str(s).replace(".", ",") for s in SCORE]
    return pl.DataFrame({"Diagnose": named("krank", "gesund"), "Wahrscheinlichkeit": comma})


def workbook() -> pl.DataFrame:
    """A sheet of a workbook."""
    return pl.DataFrame({"outcome": named("sick", "well"), "p_model": SCORE})


def demsar() -> pl.DataFrame:
    """A table of values as papers print it: one row per data set, one column per learner."""
    names = ["adult", "breast cancer", "bupa", "cmc", "ionosphere", "iris", "lung", "lymph"]
    base = _RNG.uniform(0.6, 0.9, len(names))
    learners = {"C4.5": 0.0, "C4.5+m": 0.02, "C4.5+cf": 0.01, "C4.5+m+cf": 0.03}
    values = {m: (base + d + _RNG.normal(0, 0.01, 8)).round(3) for m, d in learners.items()}
    return pl.DataFrame({"Data set": names, **values})


def folds() -> pl.DataFrame:
    """Values of one data set by fold, one column per learner."""
    base = _RNG.uniform(0.7, 0.8, 10)
    columns = {"forest": base + _RNG.normal(0.05, 0.01, 10), "logistic": base, "knn": base * 0.96}
    return pl.DataFrame({"fold": range(1, 11), **{m: v.round(3) for m, v in columns.items()}})


def sales() -> pl.DataFrame:
    """Forecasts of a number, one row per day."""
    days = pl.date_range(pl.date(2026, 1, 1), pl.date(2026, 3, 1), eager=True)
    return pl.DataFrame({"Date": days, "Sales": NUMBER, "Sales_pred": ESTIMATE})


def summary_frame() -> pl.DataFrame:
    """What statsmodels predicts: means with their limits, and those of new observations."""
    ends = {
        f"{kind}_ci_{end}": ESTIMATE + s * w
        for kind, w in (("mean", 1), ("obs", 9))
        for end, s in (("lower", -1), ("upper", 1))
    }
    return pl.DataFrame({"medv": NUMBER, "mean": ESTIMATE, "mean_se": ESTIMATE / 99 + 1, **ends})


def r_intervals() -> pl.DataFrame:
    """What R predicts of a linear model, with names of rows."""
    limits = {"lwr": ESTIMATE - 9, "upr": ESTIMATE + 9}
    return pl.DataFrame({"": range(len(NUMBER)), "medv": NUMBER, "fit": ESTIMATE, **limits})


def survey() -> pl.DataFrame:
    """Log-odds of a survey's respondents, with weights and primary sampling units."""
    return pl.DataFrame(
        {
            "respondent": [f"R{k:03}" for k in range(ROWS)],
            "voted": named("Y", "N"),
            "logit_model": np.log(SCORE / (1 - SCORE)),
            "pweight": 1 + SCORE,
            "psu": [k % 20 for k in range(ROWS)],
        }
    )


Layout = tuple[Callable[[], pl.DataFrame], str, dict[str, Any]]

SCORED = {"task": "binary", "rows": ROWS}
LAYOUTS: dict[str, Layout] = {
    "caret": (caret, "csv", {**SCORED, "positive": "Good", "score": "Good", "folds": 5}),
    "caret repeated": (
        caret_repeated,
        "csv",
        {**SCORED, "rows": 2 * ROWS, "positive": "Good", "repeats": 2, "folds": 5},
    ),
    "caret regression": (caret_regression, "csv", {"task": "regression", "folds": 5}),
    "yardstick": (yardstick, "csv", {**SCORED, "positive": "Class1", "score": "Class1"}),
    "yardstick classes": (hpc, "csv", {"task": "multiclass", "folds": 5}),
    "tune": (
        tune,
        "csv",
        {**SCORED, "rows": 2 * ROWS, "score": ".pred_yes", "repeats": 2, "folds": 5},
    ),
    "mlr3": (mlr3, "csv", {**SCORED, "positive": "pos", "score": "prob.pos"}),
    "scikit-learn": (scikit_learn, "parquet", {**SCORED, "score": "proba_1"}),
    "h2o": (h2o, "csv", {**SCORED, "positive": "1", "score": "p1"}),
    "weka": (weka, "csv", {**SCORED, "label": "predicted"}),
    "rapidminer": (rapidminer, "csv", {**SCORED, "score": "confidence(true)"}),
    "knime": (knime, "csv", {**SCORED, "positive": ">50K", "score": "P (Income=>50K)"}),
    "orange": (orange, "csv", {**SCORED, "models": 2, "folds": 5}),
    "autogluon": (autogluon, "csv", {**SCORED, "score": "1"}),
    "pycaret": (pycaret, "csv", {**SCORED, "label": "prediction_label"}),
    "hugging face": (hugging_face, "jsonl", {**SCORED, "label": "predicted_label"}),
    "inspect": (inspect, "jsonl", {"task": "multiclass", "models": 2}),
    "german": (german, "csv", {**SCORED, "score": "Wahrscheinlichkeit"}),
    "workbook": (workbook, "xlsx", {**SCORED, "score": "p_model"}),
    "demsar": (demsar, "csv", {"task": "comparison", "models": 4}),
    "folds": (folds, "csv", {"task": "comparison", "models": 3}),
    "sales": (sales, "csv", {"task": "regression"}),
    "statsmodels": (summary_frame, "csv", {"task": "regression", "low": "obs_ci_lower"}),
    "lm": (r_intervals, "csv", {"task": "regression", "low": "lwr"}),
    "survey": (survey, "csv", {**SCORED, "score": "logit_model"}),
}
"""By tool: what it writes, in which format, and what ``init`` has to understand."""


def write(frame: pl.DataFrame, path: Path, *, name: str) -> None:
    """Write a layout in its format."""
    if path.suffix == ".csv":
        frame.write_csv(path, separator=";" if name == "german" else ",")
    elif path.suffix == ".xlsx":
        frame.write_excel(path)
    else:
        {".parquet": frame.write_parquet, ".jsonl": frame.write_ndjson}[path.suffix](path)
