"""Write predictions.parquet from the reference predictions: ``python examples/digits/make.py``."""

from pathlib import Path

import polars as pl

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "tests/reference/data/digits_cv.parquet"
MODELS = {"lr": "logistic", "rf": "forest", "knn": "neighbours"}

if __name__ == "__main__":
    rows = pl.read_parquet(SOURCE)
    scores = [
        pl.col(f"{short}_p{k}").round(8).alias(f"{name}_{k}")
        for short, name in MODELS.items()
        for k in range(10)
    ]
    rows.select(image="row", fold="fold", digit="y_true").hstack(rows.select(scores)).write_parquet(
        HERE / "predictions.parquet", compression="zstd", compression_level=19
    )
