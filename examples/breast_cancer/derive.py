"""Make predictions.parquet: python derive.py CROSS_VALIDATED_SCORES.

The input is a Parquet table of out-of-fold scores (`lr_score`, `rf_score`,
`gnb_score`: probability of class 1, benign) with `row`, `fold` and `y_true`, in
the row order of scikit-learn's `load_breast_cancer`. The output names the
classes, turns the scores round so that they speak of malignancy, and adds the
texture of the nuclei as a subgroup. Needs scikit-learn, which brings the data.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
from sklearn.datasets import load_breast_cancer

MODELS = {"lr": "logistic", "rf": "forest", "gnb": "bayes"}


def derive(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one row per case: who it is, what it was, and what each model said."""
    source = load_breast_cancer()
    if scores["y_true"].to_list() != source.target.tolist():
        raise SystemExit("the rows are not in the order of load_breast_cancer")
    texture = pl.Series(source.data[:, list(source.feature_names).index("mean texture")])
    malignant = pl.col("y_true") == 0
    return scores.select(
        case_id=pl.col("row") + 1,
        fold=pl.col("fold") + 1,
        texture=pl.when(texture < texture.median())
        .then(pl.lit("fine"))
        .otherwise(pl.lit("coarse")),
        diagnosis=pl.when(malignant).then(pl.lit("malignant")).otherwise(pl.lit("benign")),
        **{f"p_{name}": 1 - pl.col(f"{short}_score") for short, name in MODELS.items()},
    )


if __name__ == "__main__":
    target = Path(__file__).with_name("predictions.parquet")
    derive(pl.read_parquet(sys.argv[1])).write_parquet(target, compression="zstd")
