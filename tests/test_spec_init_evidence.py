"""The truth that predictions show among the features of the models, which are no models."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.cli import main
from reportgen.initial_spec import init_spec
from tests.initial_specs import message_of, spec_of

RANDOM = np.random.default_rng(3)
ROWS = 600


@pytest.fixture(autouse=True)
def same_numbers():
    """Each test draws the same, whatever ran before it."""
    RANDOM.bit_generator.state = np.random.default_rng(3).bit_generator.state


def loans(labels: tuple[object, object] = (0, 1)) -> dict[str, object]:
    """A strong feature, which the score separates better than the target, and weak ones."""
    bad_record = RANDOM.random(ROWS) < 0.1
    income = RANDOM.normal(0, 1, ROWS)
    score = 1 / (1 + np.exp(2.2 - 2.5 * bad_record + 0.5 * income))
    target = RANDOM.random(ROWS) < score
    flags = {"record": bad_record, "owner": RANDOM.random(ROWS) < 0.4, "refused": target}
    table: dict[str, object] = {name: np.where(f, *labels[::-1]) for name, f in flags.items()}
    return {"income": income.round(3), "dependants": RANDOM.integers(0, 4, ROWS), **table} | {
        "score": score.round(4)
    }


def guesses_of(folder, table) -> list[str]:
    pl.DataFrame(table).write_csv(folder / "data.csv")
    guesses: list[str] = []
    init_spec(folder / "data.csv", on_guess=guesses.append)
    return guesses


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes")])
def test_a_target_that_agrees_in_mean_goes_before_a_feature_that_is_separated_better(
    tmp_path, labels
):
    """No name says which of three is the truth; the score has an AUC of 0.9 for a feature."""
    spec = spec_of(tmp_path, pl.DataFrame(loans(labels)))

    assert (spec["truth"], spec["models"]) == ("refused", {"model": {"score": "score"}})
    text = (tmp_path / "s.yaml").read_text()
    assert "a guess: the predictions agree with it (mean of 'score' 0." in text


def test_where_the_predictions_follow_two_columns_alike_init_asks_for_the_truth(tmp_path, capsys):
    frame = pl.DataFrame(loans())
    late = (pl.Series(RANDOM.random(ROWS)) < frame["score"]).cast(pl.Int8)
    columns = ["income", "dependants", "late", "owner", "refused", "score"]
    frame = frame.with_columns(late=late).select(columns)

    message = message_of(tmp_path, frame)

    assert "the truth may be 'refused' or 'late': predictions follow each" in message
    assert "--truth refused or --truth late" in message
    with pytest.raises(SystemExit) as left:
        main(["init", str(tmp_path / "data.csv")])
    assert left.value.code == 3
    assert "--truth" in capsys.readouterr().err
    assert spec_of(tmp_path, frame, "late")["models"] == {"model": {"score": "score"}}


def test_features_are_no_models_beside_columns_that_are_named_as_predictions(tmp_path):
    """As the size of a party beside two predictions of the tip."""
    size = RANDOM.integers(1, 7, ROWS)
    tip = 1 + 0.6 * size + RANDOM.normal(0, 1, ROWS)
    table = {
        "total_bill": (20 + 3 * size + RANDOM.normal(0, 6, ROWS)).round(2),
        "tip": tip.round(2),
        "time": np.where(RANDOM.random(ROWS) < 0.7, "Dinner", "Lunch"),
        "size": size,
        "prediction_ols": (1 + 0.6 * size + RANDOM.normal(0, 0.1, ROWS)).round(3),
        "lm": (1.1 + 0.55 * size + RANDOM.normal(0, 0.1, ROWS)).round(3),
    }
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert spec["truth"] == "tip"
    assert [model["estimate"] for model in spec["models"].values()] == ["prediction_ols", "lm"]


def test_a_label_column_of_a_feature_is_no_model_beside_a_stated_truth(tmp_path):
    frame = pl.DataFrame(loans()).with_columns(pred=(pl.col("score") > 0.3).cast(pl.Int8))
    spec = spec_of(tmp_path, frame, "refused")

    assert spec["models"] == {"model": {"score": "score", "label": "pred"}}


def test_numbers_that_estimates_with_limits_follow_go_before_a_yes_or_no(tmp_path):
    price = RANDOM.normal(2200, 500, ROWS).round()
    table: dict[str, object] = {
        "price": price.astype(int),
        "premium": np.where(price + RANDOM.normal(0, 900, ROWS) > 1600, "yes", "no"),
    }
    for name, error in (("ols", 240.0), ("acme", 180.0)):
        estimate = price + RANDOM.normal(0, error, ROWS)
        table |= {name: estimate, f"{name}_lo": estimate - 400, f"{name}_hi": estimate + 400}
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert (spec["task"], spec["truth"]) == ("regression", "price")
    assert spec["models"] == {
        name: {"estimate": name, "low": f"{name}_lo", "high": f"{name}_hi"}
        for name in ("ols", "acme")
    }


def test_a_model_that_never_predicts_a_rare_class_is_no_truth_of_the_others(tmp_path):
    truth = RANDOM.choice(["none", "full", "part"], ROWS, p=[0.6, 0.3, 0.1]).astype(object)
    multinom = np.where(RANDOM.random(ROWS) < 0.3, "none", np.where(truth == "part", "none", truth))
    forest = np.where(RANDOM.random(ROWS) < 0.4, RANDOM.permutation(truth), truth)
    table = {"partic": truth, "multinom": multinom, "forest": forest, "dummy": ["none"] * ROWS}
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert (spec["task"], spec["truth"]) == ("multiclass", "partic")
    labels = [model["label"] for model in spec["models"].values()]
    assert labels == ["multinom", "forest", "dummy"]
    unnamed = pl.DataFrame(table).drop("forest").rename({"multinom": "acme", "dummy": "none"})
    assert spec_of(tmp_path, unnamed)["truth"] == "partic"


def test_a_column_of_labels_named_logit_keeps_its_name(tmp_path):
    truth = RANDOM.choice(["a", "b", "c"], 90)
    frame = pl.DataFrame({"kind": truth, "logit": truth, "forest": np.roll(truth, 1)})

    assert list(spec_of(tmp_path, frame)["models"]) == ["logit", "forest"]


@pytest.mark.parametrize("name", ["Weight", "weight"])
def test_a_column_named_weight_that_estimates_follow_is_the_truth(tmp_path, name):
    weight = RANDOM.normal(50, 12, ROWS)
    estimates = {m: weight + RANDOM.normal(0, 4, ROWS) for m in ("ols", "forest", "gbm")}
    near = {"repwt": weight + RANDOM.normal(0, 0.5, ROWS), "age": RANDOM.integers(20, 60, ROWS)}
    table = {"week": RANDOM.integers(1, 9, ROWS), **near, name: weight, **estimates}
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert (spec["truth"], list(spec["models"])) == (name, ["ols", "forest", "gbm"])
    assert "weight" not in spec.get("columns", {})


def test_numbers_that_are_named_for_the_truth_yield_to_those_that_estimates_follow(tmp_path):
    """As x, y and z of a diamond, beside its price."""
    y = RANDOM.normal(6, 1, ROWS)
    price = 1000 * y + RANDOM.normal(0, 400, ROWS)
    table = {"x": y + 0.1, "y": y, "z": y / 2, "price": price, "forest": price * 0.98 + 120}
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert (spec["truth"], list(spec["models"])) == ("price", ["forest"])


def test_a_column_named_for_the_truth_stays_it_beside_a_feature_of_two_labels(tmp_path):
    frame = pl.DataFrame(loans()).rename({"refused": "target", "score": "xgb"})

    assert spec_of(tmp_path, frame)["truth"] == "target"


def test_a_column_of_data_sets_is_declared_as_such(tmp_path):
    truth = RANDOM.integers(0, 2, ROWS)
    score = ((truth + RANDOM.random(ROWS)) / 2).round(4)
    frame = pl.DataFrame({"y": truth, "logit": score, "forest": score[::-1]})
    names = np.repeat(["pima", "wine", "fgl"], ROWS // 3)

    assert spec_of(tmp_path, frame.with_columns(dataset=names))["columns"] == {"dataset": "dataset"}
    cases = np.tile(np.arange(ROWS // 3), 3)
    columns = spec_of(tmp_path, frame.with_columns(dataset=names, case=cases))["columns"]
    assert columns == {"id": "case", "dataset": "dataset"}
    parts = np.repeat(["train", "test", "test"], ROWS // 3)
    assert spec_of(tmp_path, frame.with_columns(dataset=parts))["columns"] == {"role": "dataset"}


@pytest.mark.parametrize("run", ["seed", "run", "rep"])
def test_persons_that_stand_in_some_runs_of_the_long_form_are_the_id(tmp_path, run):
    outcome = RANDOM.integers(0, 2, 200)
    rows = [
        {"person": p, run: k, "model": m, "arrest": outcome[p], "score": round(RANDOM.random(), 4)}
        for k in range(5)
        for p in RANDOM.permutation(200)[:60]
        for m in ("logit", "forest")
    ]
    spec = spec_of(tmp_path, pl.DataFrame(rows))

    assert spec["columns"] == {"id": "person", "repeat": run}
    if run == "seed":
        guesses = guesses_of(tmp_path, pl.DataFrame(rows).drop("person"))
        assert any("columns: {id: EXAMPLE, repeat: seed}" in guess for guess in guesses)


def test_weights_among_features_are_not_declared_and_that_is_said(tmp_path):
    """As wt, the weight of a car."""
    wt = RANDOM.normal(3, 0.8, ROWS).clip(1)
    mpg = 40 - 6 * wt + RANDOM.normal(0, 2, ROWS)
    table = {"mpg": mpg, "hp": 40 * wt, "wt": wt, "gear": RANDOM.integers(3, 6, ROWS)}
    frame = pl.DataFrame({**table, "fit": 40 - 6 * wt})

    assert "columns" not in spec_of(tmp_path, frame)
    guesses = guesses_of(tmp_path, frame)
    assert any("'wt' stands among features and is not declared" in guess for guess in guesses)


def test_probabilities_under_any_name_right_before_others_are_a_model(tmp_path):
    frame = pl.DataFrame(loans()).rename({"refused": "outcome", "score": "rf"})
    near = (pl.col("rf") + pl.Series(RANDOM.normal(0, 0.01, ROWS))).clip(0.001, 0.999)
    frame = frame.with_columns(acme=near).select(pl.exclude("rf"), "rf")

    assert list(spec_of(tmp_path, frame)["models"]) == ["acme", "rf"]
    assert "agrees with the truth as the predictions beside it do: a guess" in (
        tmp_path / "s.yaml"
    ).read_text(encoding="utf-8")


def test_an_outcome_that_could_be_graded_answers_is_the_truth_beside_probabilities(tmp_path):
    frame = pl.DataFrame(loans()).rename({"refused": "GRADE", "score": "logit"}).drop("record")
    spec = spec_of(tmp_path, frame)

    assert (spec["truth"], spec["models"]) == ("GRADE", {"logit": {"score": "logit"}})


def test_labels_of_one_class_under_the_name_logit_are_no_scores(tmp_path):
    frame = pl.DataFrame({"relapse": (RANDOM.random(ROWS) < 0.1).astype(int)})
    frame = frame.with_columns(logit=0, weighted=pl.col("relapse"), gbm=pl.col("relapse"))

    models = spec_of(tmp_path, frame)["models"]

    assert models == {name: {"label": name} for name in ("logit", "weighted", "gbm")}


def test_a_class_that_no_row_has_keeps_its_scores(tmp_path):
    """Without them the scores of a row would not add up to 1."""
    scores = RANDOM.dirichlet([2, 1, 1, 0.3], ROWS).round(4)
    scores[:, 0] += 1 - scores.sum(axis=1)
    kinds = ["fog", "rain", "sun", "snow"]
    truth = [kinds[RANDOM.choice(3, p=row[:3] / row[:3].sum())] for row in scores]
    table = {"weather": truth} | {f"gbm_{k}": scores[:, n] for n, k in enumerate(kinds)}
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert spec["models"]["gbm"]["scores"].keys() == {*kinds}
    assert spec["classes"] == ["fog", "rain", "sun", "snow"]


def test_dates_that_some_rows_lack_are_named_with_the_reason(tmp_path):
    days = [None if k == 3 else f"2026-01-{1 + k % 28:02}" for k in range(ROWS)]
    frame = pl.DataFrame(loans()).with_columns(date=pl.Series(days))

    assert any("'date' has no date in 1 row" in guess for guess in guesses_of(tmp_path, frame))


def test_a_column_named_label_that_numbered_models_estimate_is_the_truth(tmp_path):
    """Not y, a coordinate, though its name says truth; label may be a prediction elsewhere."""
    y = RANDOM.normal(6, 1, ROWS)
    price = 1000 * y + RANDOM.normal(0, 400, ROWS)
    table = {"x": y + 0.1, "y": y, "label": price, "model1": price + 90, "model2": 0.9 * price}
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert spec["truth"] == "label"
    assert [model["estimate"] for model in spec["models"].values()] == ["model1", "model2"]


def test_a_target_of_the_predicted_labels_goes_before_a_feature_with_more(tmp_path):
    target = RANDOM.integers(0, 2, ROWS)
    pred = np.where(RANDOM.random(ROWS) < 0.2, 1 - target, target)
    count = np.where(RANDOM.random(ROWS) < 0.8, pred, RANDOM.integers(0, 4, ROWS))
    table = {
        "children": count,
        "hours": RANDOM.normal(0, 1, ROWS),
        "age": RANDOM.integers(20, 60, ROWS),
        "low": target,
        "pred": pred,
    }
    spec = spec_of(tmp_path, pl.DataFrame(table))

    assert (spec["truth"], spec["models"]) == ("low", {"model": {"label": "pred"}})


def test_model_names_of_features_apart_from_the_predictions_are_no_models(tmp_path):
    """As the baseline of a patient, and scores from the left to the right, LR, in a survey."""
    frame = pl.DataFrame(loans()).with_columns(baseline=pl.col("record"))
    frame = frame.select("baseline", "income", "owner", "dependants", "refused", "score")
    assert spec_of(tmp_path, frame)["models"] == {"model": {"score": "score"}}

    party = RANDOM.integers(1, 5, ROWS)
    scales = {name: RANDOM.integers(1, 8, ROWS) for name in ("selfLR", "ClinLR", "DoleLR")}
    guess = np.where(RANDOM.random(ROWS) < 0.5, party, RANDOM.integers(1, 5, ROWS))
    table = {**scales, "vote": (party + RANDOM.integers(0, 3, ROWS) > 3).astype(int)}
    table |= {"age": RANDOM.integers(20, 80, ROWS), "party": party, "mnlogit": guess}
    spec = spec_of(tmp_path, pl.DataFrame({**table, "rf": np.where(party < 3, party, guess)}))
    assert (spec["truth"], list(spec["models"])) == ("party", ["mnlogit", "rf"])


def test_what_is_known_of_a_person_is_rather_a_feature(tmp_path):
    """Else either of two columns that the score agrees with could be the truth."""
    frame = pl.DataFrame(loans())
    smoker = (pl.Series(RANDOM.random(ROWS)) < frame["score"]).cast(pl.Int8)
    frame = frame.with_columns(smoker=smoker).select(
        "income", "owner", "smoker", "refused", "score"
    )

    assert spec_of(tmp_path, frame)["truth"] == "refused"
    assert "it may be 'smoker'" in (tmp_path / "s.yaml").read_text(encoding="utf-8")


def test_estimates_that_are_near_no_column_are_not_reported_on_a_feature(tmp_path):
    sales = RANDOM.normal(20, 5, ROWS)
    table = {
        "sales": sales,
        "profits": sales / 90,
        "staff": RANDOM.integers(1, 9, ROWS),
        "assets": sales + 3 + RANDOM.normal(0, 2, ROWS),
    }
    frame = pl.DataFrame({**table, "pred": sales + RANDOM.normal(0, 1, ROWS)})

    assert "the nearest is 'assets'" in message_of(tmp_path, frame.drop("sales"))
    assert spec_of(tmp_path, frame, "sales")["models"] == {"model": {"estimate": "pred"}}


def test_labels_of_an_estimate_are_a_prediction_though_their_name_has_the_word_class(tmp_path):
    frame = pl.DataFrame(loans()).with_columns(est_class=(pl.col("score") > 0.4).cast(pl.Int8))
    frame = frame.rename({"score": "est_prob"})

    assert spec_of(tmp_path, frame.select("refused", "est_class"))["truth"] == "refused"
    assert spec_of(tmp_path, frame)["models"] == {
        "est": {"score": "est_prob", "label": "est_class"}
    }


def test_two_numbered_probabilities_are_the_models_beside_features_from_0_to_1(tmp_path):
    frame = pl.DataFrame(loans()).rename({"score": "p1", "refused": "target"})
    frame = frame.with_columns(p2=pl.col("p1") * 0.9, share=pl.Series(RANDOM.random(ROWS)))
    frame = frame.select("income", "share", "owner", "target", "p1", "p2")

    assert [model["score"] for model in spec_of(tmp_path, frame)["models"].values()] == ["p1", "p2"]


def test_a_prediction_of_some_labels_is_no_truth_of_a_column_with_more(tmp_path):
    truth = RANDOM.choice(["gas", "oil", "wood"], ROWS, p=[0.6, 0.3, 0.1])
    predicted = RANDOM.choice(["gas", "oil"], ROWS)
    income = RANDOM.integers(2, 6, ROWS) + 3 * (predicted == "gas")
    frame = pl.DataFrame({"income": income, "kind": truth, "y_pred": predicted})

    spec = spec_of(tmp_path, frame)

    assert (spec["task"], spec["truth"]) == ("multiclass", "kind")


def test_a_row_with_its_columns_exchanged_does_not_hide_what_estimates_follow(tmp_path):
    """As a height of 57 cm beside a weight of 166 kg."""
    height = RANDOM.normal(170, 9, ROWS)
    weight = 0.8 * height - 72 + RANDOM.normal(0, 6, ROWS)
    table = {"sex": np.where(height > 170, "M", "F"), "height": height, "weight": weight}
    frame = pl.DataFrame({**table, "pred": 0.8 * height - 72}).with_row_index("row")
    far = pl.when(pl.col("row") == 7).then(-2000).otherwise(pl.col("pred"))

    assert spec_of(tmp_path, frame.with_columns(pred=far).drop("row"))["truth"] == "weight"


def test_an_outcome_by_its_name_goes_before_a_label_that_scores_say_nothing_of(tmp_path):
    """Scores that are no probabilities agree with neither in mean."""
    fraud = RANDOM.random(ROWS) < 0.03
    score = 0.5 + 0.3 * fraud + RANDOM.random(ROWS) / 5
    country = np.where(np.argsort(np.argsort(score)) % 2, "DE", "FR")
    frame = {"is_fraud": fraud.astype(int), "score": score, "amount": 90 * RANDOM.random(ROWS)}
    frame |= {"country": country}

    assert spec_of(tmp_path, pl.DataFrame(frame))["truth"] == "is_fraud"


def test_models_under_any_name_right_before_those_that_are_named_stay_models(tmp_path):
    rating = RANDOM.normal(6, 1.5, ROWS)
    table = {f"acme{k}": rating + RANDOM.normal(0, k / 2, ROWS) for k in (1, 2)}
    noisy = {m: rating + RANDOM.normal(0, 1, ROWS) for m in ("naive", "seasonal")}
    spec = spec_of(tmp_path, pl.DataFrame({"rating": rating, **table, **noisy}))

    assert spec["truth"] == "rating"
    assert "acme1" in spec["models"]
    assert "naive" in spec["models"]
