"""Units whose whole numbers have a name that says nothing, as of firms under ``fi``."""

import numpy as np
import polars as pl

import reportgen

MODELS = {name: {"estimate": name} for name in "ab"}


def firms(seed=3, number=60, each=20):
    """Estimates whose errors are of a firm's size, beside a feature that one model overfits."""
    random = np.random.default_rng(seed)
    code = np.repeat(random.permutation(number), each)
    of_firm = random.normal(size=(3, number))
    age = random.integers(20, 60, len(code))
    of_age = random.normal(size=60)
    truth = 2 * of_firm[0][code] + random.normal(size=len(code))
    columns = {"y": truth, "fi": 101 + code, "age": age}
    for at, name in enumerate(MODELS, 1):
        columns[name] = truth + of_firm[at][code] + random.normal(size=len(code))
    columns["b"] += 3 * of_age[age]
    return pl.DataFrame(columns).sample(fraction=1, shuffle=True, seed=1)


def seen(frame=None, **data):
    spec = {"truth": "y", "task": "regression", "models": MODELS, "bootstrap": {"replicates": 0}}
    results = reportgen.evaluate(spec | data, frame)
    return [one["column"] for one in results.data.get("undeclared_groups", ())]


def test_codes_are_named_and_a_feature_that_a_model_overfits_is_not():
    frame = firms()

    assert seen(frame) == ["fi"]
    assert seen(frame.drop("fi")) == []


def test_codes_of_a_file_of_text_are_named_too(tmp_path):
    frame = firms()
    parts = frame.head(500), frame.tail(-500)
    for at, part in enumerate(parts):
        part.write_csv(tmp_path / f"{at}.csv")
    whole = tmp_path / "whole.csv"
    frame.write_csv(whole)

    several = [str(tmp_path / f"{at}.csv") for at in (0, 1)]
    assert seen(data=str(whole)) == seen(data=several) == ["fi"]


def test_codes_are_left_out_where_groups_are_declared():
    frame = firms().with_columns(branch=pl.int_range(1200) % 100)
    spec = {"truth": "y", "task": "regression", "models": MODELS, "columns": {"group": "branch"}}

    results = reportgen.evaluate(spec | {"bootstrap": {"replicates": 0}}, frame)
    assert "undeclared_groups" not in results.data


def test_labels_with_codes_and_dependent_errors_are_evaluated():
    random = np.random.default_rng(2)
    shop = np.repeat(np.arange(30), 20)
    rate = np.where(random.random(30) < 0.5, 0.05, 0.6)[shop]
    columns = {"shop_id": shop}
    for label in ("t1", "t2"):
        columns[label] = (random.random(600) < 0.5).astype(int)
        columns[f"p_{label}"] = np.where(
            random.random(600) < rate, 1 - columns[label], columns[label]
        )
    scores = {label: f"p_{label}" for label in ("t1", "t2")}
    truth = {label: label for label in scores}
    spec = {"task": "multilabel", "truth": truth, "models": {"m": {"scores": scores}}}

    results = reportgen.evaluate(spec | {"bootstrap": {"replicates": 0}}, pl.DataFrame(columns))
    assert [one["column"] for one in results.data["undeclared_groups"]] == ["shop_id"]
