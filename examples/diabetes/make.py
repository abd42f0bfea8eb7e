"""Write predictions.csv from the reference predictions: ``python examples/diabetes/make.py``."""

from pathlib import Path

import polars as pl

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "tests/reference/data/diabetes_cv.parquet"

if __name__ == "__main__":
    rows = pl.read_parquet(SOURCE).select(
        pl.col("row").alias("patient"),
        "fold",
        pl.col("y_true").alias("progression"),
        pl.col("ridge_pred").round(3).alias("ridge"),
        pl.col("rf_pred").round(3).alias("forest"),
        pl.col("q50_pred").round(3).alias("median"),
        pl.min_horizontal("q10_pred", "q90_pred").round(3).alias("low"),
        pl.max_horizontal("q10_pred", "q90_pred").round(3).alias("high"),
    )
    rows.write_csv(HERE / "predictions.csv")
