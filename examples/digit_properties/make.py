"""Write predictions.parquet: ``python examples/digit_properties/make.py`` (needs scikit-learn).

Three properties of a digit are learnt from its image: even, prime, and drawn with a closed loop.
"""

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
PROPERTIES = {"even": {0, 2, 4, 6, 8}, "prime": {2, 3, 5, 7}, "loop": {0, 6, 8, 9}}
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000)),
    "forest": RandomForestClassifier(50, min_samples_leaf=5, random_state=0),
}

if __name__ == "__main__":
    images, digits = load_digits(return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    columns: dict[str, object] = {"image": np.arange(len(digits))}
    for name, members in PROPERTIES.items():
        columns[name] = np.isin(digits, list(members))
    for model, estimator in MODELS.items():
        for name in PROPERTIES:
            cuts, truth = folds.split(images, digits), columns[name]
            found = cross_val_predict(estimator, images, truth, cv=cuts, method="predict_proba")
            columns[f"{model}_{name}"] = found[:, 1].round(5)
    pl.DataFrame(columns).write_parquet(HERE / "predictions.parquet")
