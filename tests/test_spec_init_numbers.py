"""Specs of numbers that `init` writes for tables as people have them: truths, estimates, units."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import yaml

from reportgen.initial_spec import init_spec
from tests.initial_specs import message_of, spec_of

RANDOM = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def same_numbers():
    """Each test draws the same, whatever ran before it."""
    RANDOM.bit_generator.state = np.random.default_rng(7).bit_generator.state


def test_counts_are_a_truth_by_their_name_though_they_are_few(tmp_path):
    """Without a word such as predicted in the names of the estimates."""
    exposure = RANDOM.random(3000).round(3)
    mean = 0.15 * exposure * np.exp(RANDOM.normal(0, 0.8, 3000))
    claims = RANDOM.poisson(mean)
    frame = pl.DataFrame({"exposure": exposure, "claims": claims, "glm": mean.round(5)})

    spec = spec_of(tmp_path, frame)

    assert (spec["task"], spec["truth"]) == ("regression", "claims")
    assert spec["models"] == {"glm": {"estimate": "glm"}}


def test_estimates_in_another_unit_are_a_model_and_the_spec_says_so(tmp_path):
    minutes = np.exp(RANDOM.normal(4, 0.6, 400))
    old, new = (minutes * np.exp(RANDOM.normal(0, 0.2, 400)) for _ in range(2))
    frame = pl.DataFrame({"duration": minutes, "old": old, "new": new / 60})

    spec = spec_of(tmp_path, frame)

    assert (spec["truth"], list(spec["models"])) == ("duration", ["old", "new"])
    comment = (tmp_path / "s.yaml").read_text()
    assert "# like the truth divided by 60: another unit?" in comment


def test_limits_that_are_numbered_with_their_level_go_with_their_estimate(tmp_path):
    dose = RANDOM.normal(50, 10, 200).round(1)
    columns: dict[str, np.ndarray] = {"dose_mg": dose}
    for end, half in (("", 5), ("2", 8)):
        estimate = (dose + RANDOM.normal(0, 4, 200)).round(1)
        behind = f"_{end}" if end else ""
        columns[f"est{end}"] = estimate
        columns[f"lo90{behind}"], columns[f"hi90{behind}"] = estimate - half, estimate + half

    spec = spec_of(tmp_path, pl.DataFrame(columns))

    assert spec["models"] == {
        "est": {"estimate": "est", "level": 0.9, "low": "lo90", "high": "hi90"},
        "est2": {"estimate": "est2", "level": 0.9, "low": "lo90_2", "high": "hi90_2"},
    }


def demand(models: tuple[str, str]) -> pl.DataFrame:
    """Counts that are mostly 0 and two decimals near their mean, after them."""
    mean = np.repeat(np.exp(RANDOM.normal(-1, 0.8, 100)), 20)
    near = mean * np.exp(RANDOM.normal(0, 0.3, 2000))
    columns = {"sales": RANDOM.poisson(mean), models[0]: mean.round(3), models[1]: near.round(3)}
    return pl.DataFrame(columns)


@pytest.mark.parametrize("models", [("croston", "lgbm"), ("a", "b")])
def test_counts_go_before_smooth_decimals_as_the_truth(tmp_path, models):
    spec = spec_of(tmp_path, demand(models))

    assert (spec["task"], spec["truth"]) == ("regression", "sales")
    assert list(spec["models"]) == list(models)


def test_counts_that_only_models_are_close_to_are_the_truth_under_any_name(tmp_path):
    assert spec_of(tmp_path, demand(("croston", "lgbm")).rename({"sales": "zz"}))["truth"] == "zz"


def test_an_estimate_that_repeats_a_name_names_the_truth(tmp_path):
    """Beside a number of the row, and an estimate of the logarithm, which is on no scale of it."""
    log = RANDOM.normal(11, 0.6, 200)
    price = np.exp(log + RANDOM.normal(0, 0.3, 200)).round()
    table = {"house": np.arange(200), "price": price, "pred_log": log, "pred_price": np.exp(log)}
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert (spec["truth"], list(spec["models"])) == ("price", ["log", "price"])


def test_a_biased_model_beside_a_close_one_is_no_obstacle_and_no_rival(tmp_path):
    """It is further from the truth than a constant, but its name is that of a model."""
    score = RANDOM.normal(50, 8, 300)
    table = {"score": score, "lmm": 44 + (score - 50) * 0.2, "forest": score - 1}
    pl.DataFrame(table).write_csv(tmp_path / "data.csv")
    guesses: list[str] = []
    text = init_spec(tmp_path / "data.csv", on_guess=guesses.append)

    assert (yaml.safe_load(text)["truth"], guesses) == ("score", [])
    assert list(yaml.safe_load(text)["models"]) == ["lmm", "forest"]


def test_the_observed_goes_before_other_decimals(tmp_path):
    price = RANDOM.normal(50, 8, 300)
    table = {"a": price + RANDOM.normal(0, 1, 300), "b": price + 0.5, "price": price}

    assert spec_of(tmp_path, pl.DataFrame(table))["truth"] == "price"


@pytest.mark.parametrize("marks", [",.", ".,"])
@pytest.mark.parametrize("truth", [None, "Umsatz"])
def test_marks_between_thousands_are_named(tmp_path, marks, truth):
    """With numbers that have none among them."""
    numbers = [1174.73, *RANDOM.lognormal(7, 1, 60)]
    swapped = str.maketrans(",.", marks)
    texts = [f"{number:,.2f}".translate(swapped) for number in numbers]
    frame = pl.DataFrame({"Umsatz": texts, "Prognose": texts[::-1]})

    message = message_of(tmp_path, frame, truth)
    assert f"'Umsatz' has texts such as {texts[0]!r}, which are not numbers" in message
    assert "write them without marks between thousands" in message


def test_percentiles_are_quantiles_of_the_truth(tmp_path):
    mean = RANDOM.normal(40, 9, 80)
    columns = {"y": mean + 5 * RANDOM.normal(size=80)}
    columns |= {f"p{q}": mean + 5 * z for q, z in ((10, -1.28), (50, 0.0), (90, 1.28))}
    models = spec_of(tmp_path, pl.DataFrame(columns))["models"]

    assert sorted(one["quantile"] for one in models.values()) == [0.1, 0.5, 0.9]


def test_whole_prices_with_the_estimates_of_named_models_are_a_regression(tmp_path):
    price = RANDOM.lognormal(12, 0.5, 80).round()
    models = {m: (price * RANDOM.normal(1, 0.1, 80)).round() for m in ("linear", "forest")}
    spec = spec_of(tmp_path, pl.DataFrame({"rooms": [3, 4] * 40, "price": price, **models}))

    assert (spec["truth"], list(spec["models"])) == ("price", ["linear", "forest"])


def test_quantiles_of_two_models_are_declared_as_such(tmp_path):
    truth = RANDOM.normal(40, 9, 90).round(2)
    columns = {
        f"{model}_p{share}": (truth + RANDOM.normal(off, 3, 90)).round(2)
        for model in ("acme", "zeta")
        for share, off in ((10, -6), (90, 6))
    }
    spec = spec_of(tmp_path, pl.DataFrame({"actual": truth, **columns}))

    assert spec["models"]["zeta_p90"] == {"estimate": "zeta_p90", "quantile": 0.9}
    assert [model["quantile"] for model in spec["models"].values()] == [0.1, 0.9] * 2


def test_a_weight_is_the_truth_where_no_other_numbers_are(tmp_path):
    weight = RANDOM.normal(170, 20, 60).round(1)
    frame = pl.DataFrame({"weight_lb": weight, "pred_ridge": RANDOM.normal(170, 20, 60)})

    assert spec_of(tmp_path, frame)["truth"] == "weight_lb"


def test_estimates_that_are_all_named_for_a_quantile_are_compared_by_its_loss(tmp_path):
    load = RANDOM.normal(50, 9, 80)
    frame = {"load": load, "acme_p90": load + 9, "zeta_p90": load + RANDOM.normal(9, 5, 80)}
    models = spec_of(tmp_path, pl.DataFrame(frame), truth="load")["models"]

    assert [model.get("quantile") for model in models.values()] == [0.9, 0.9]
