"""Columns whose names alone could mislead init: reported, read right, or refused."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen.errors import DataError
from reportgen.initial_spec import init_spec
from reportgen.spec import Spec, read

ROWS = 60
TRUTH = [i % 3 == 0 for i in range(ROWS)]
SCORE = [0.55 + i % 40 / 100 if t else 0.05 + i % 60 / 100 for i, t in enumerate(TRUTH)]
HEIGHT = [150 + (37 * i % 41) + i / 7 for i in range(ROWS)]


def drafted(folder, **columns) -> tuple[Spec, list[str]]:
    path, messages = folder / "data.csv", list[str]()
    pl.DataFrame(columns).write_csv(path)
    spec = folder / "report.yaml"
    spec.write_text(init_spec(path, on_guess=messages.append), encoding="utf-8")
    read_spec = read(spec)
    assert isinstance(read_spec, Spec)
    return read_spec, messages


def words(flags: list[bool], yes: str = "yes", no: str = "no") -> list[str]:
    return [yes if flag else no for flag in flags]


@pytest.mark.parametrize("name", ["lasso_0.{}0", "lasso_{}0%", "lasso {}0 %", "lasso_{}0"])
def test_numbers_behind_a_model_that_are_in_order_in_each_row_are_its_quantiles(tmp_path, name):
    estimates = {
        name.format(level): [h + (level - 5) * 2.5 + i % 3 for i, h in enumerate(HEIGHT)]
        for level in (1, 5, 9)
    }

    spec, messages = drafted(tmp_path, y_true=HEIGHT, **estimates)

    quantiles = {model.estimate: model.quantile for model in spec.models.values()}
    assert quantiles == dict(zip(estimates, (0.1, 0.5, 0.9), strict=True))
    assert any("are quantiles" in line for line in messages)


TAILS = {
    "per cent with a decimal": ("knn_2.5%", "knn_97.5%"),
    "per cent alone": ("2.5%", "97.5%"),
    "shares of three decimals": ("knn_0.025", "knn_0.975"),
    "named": ("q0.025", "q0.975"),
    "of brms": ("Q2.5", "Q97.5"),
    "three digits": ("knn_q025", "knn_q975"),
}


@pytest.mark.parametrize("names", TAILS.values(), ids=TAILS)
def test_quantiles_with_parts_of_a_per_cent_are_found_in_names(tmp_path, names):
    """Else they would be rival estimates of the mean."""
    low, high = names
    tails = {low: [h - 5 + i % 3 for i, h in enumerate(HEIGHT)]}
    tails[high] = [value + 8 for value in tails[low]]

    spec, _ = drafted(tmp_path, y_true=HEIGHT, **tails)

    quantiles = {model.estimate: model.quantile for model in spec.models.values()}
    assert quantiles == {low: 0.025, high: 0.975}


def test_settings_of_a_model_that_cross_each_other_are_no_quantiles(tmp_path):
    estimates = {
        f"lasso_0.{k}": [h + (k if i % 2 else -k) for i, h in enumerate(HEIGHT)] for k in (1, 5, 9)
    }

    spec, _ = drafted(tmp_path, y_true=HEIGHT, **estimates)

    assert {model.quantile for model in spec.models.values()} == {None}


def test_a_quantile_may_stand_before_its_model(tmp_path):
    estimates = {f"q0.{k}0_knn": [h + (k - 5) * 2.5 for h in HEIGHT] for k in (1, 5, 9)}

    spec, _ = drafted(tmp_path, y_true=HEIGHT, **estimates)

    assert [model.quantile for model in spec.models.values()] == [0.1, 0.5, 0.9]


@pytest.mark.parametrize("name", ["{}_true", "y_{}", "is_{}"])
def test_several_labels_in_words_are_refused_rather_than_one_of_them_taken(tmp_path, name):
    labels = {"even": TRUTH, "prime": TRUTH[1:] + TRUTH[:1], "square": TRUTH[2:] + TRUTH[:2]}
    truths = {name.format(label): words(flags) for label, flags in labels.items()}

    with pytest.raises(DataError, match="are several labels, in words: 'no', 'yes'"):
        drafted(tmp_path, **truths, **{f"p_{label}": SCORE for label in labels})


@pytest.mark.parametrize("other", ["y", "status", "class"])
def test_labels_that_a_reader_may_have_given_are_a_guess_of_the_truth(tmp_path, other):
    reader = [not t if i % 10 == 0 else t for i, t in enumerate(TRUTH)]

    _, messages = drafted(
        tmp_path, **{other: words(TRUTH)}, human_label=words(reader), p_forest=SCORE
    )

    assert any(f"it may be {other!r}" in line for line in messages)


def test_a_class_in_the_middle_of_names_of_scores_is_found(tmp_path):
    classes = [("cat", "dog", "hen")[i % 3] for i in range(ROWS)]
    scores = {
        f"prob_{name}_forest": [0.6 if name == c else 0.2 for c in classes]
        for name in ("cat", "dog", "hen")
    }

    spec, _ = drafted(tmp_path, animal=classes, **scores, site=["X", "Y"] * (ROWS // 2))

    assert (spec.truth, list(spec.models)) == ("animal", ["forest"])


def test_a_truth_that_scores_do_not_separate_is_a_guess_beside_one_that_is_named(tmp_path):
    stage = [("I", "II", "III")[i % 3] for i in range(ROWS)]

    _, messages = drafted(
        tmp_path, stage_true=stage, p_forest=[i % 7 / 7 for i in range(ROWS)], site=["X", "Y"] * 30
    )

    assert any("it may be 'stage_true'" in line for line in messages)


def test_a_feature_is_no_score_where_scores_have_percent_signs(tmp_path):
    with pytest.raises(DataError, match="percent signs"):
        drafted(
            tmp_path,
            fraud=words(TRUTH, "fraud", "ok"),
            p_forest=[f"{100 * s:.1f} %" for s in SCORE],
            humidity=[i % 17 / 17 for i in range(ROWS)],
        )


@pytest.mark.parametrize("ending", ["_{}", "_p{}", ".q{:02}"])
def test_models_whose_names_end_in_the_same_per_cent_have_quantiles(tmp_path, ending):
    """Also one of constants, and one whose outer quantiles are no nearer than a constant."""
    shifts = {5: -9, 50: 0, 95: 9}
    near = {
        f"a{ending.format(k)}": [h + s + i % 3 for i, h in enumerate(HEIGHT)]
        for k, s in shifts.items()
    }
    far = {f"b{ending.format(k)}": [h + 4 * s for h in HEIGHT] for k, s in shifts.items()}
    same = {f"c{ending.format(k)}": [170.5 + s] * ROWS for k, s in shifts.items()}

    spec, _ = drafted(tmp_path, y_true=HEIGHT, **near, **far, **same)

    quantiles = {model.estimate: model.quantile for model in spec.models.values()}
    assert quantiles == {
        name: level
        for of in (near, far, same)
        for name, level in zip(of, (0.05, 0.5, 0.95), strict=True)
    }


@pytest.mark.parametrize("levels", [(1, 2, 3), (5, 50)])
def test_versions_and_pairs_of_numbers_are_no_shared_quantiles(tmp_path, levels):
    estimates = {
        f"{name}_v_{k}": [h + k / 100 + i % 3 for i, h in enumerate(HEIGHT)]
        for name in "ab"
        for k in levels
    }

    spec, _ = drafted(tmp_path, y_true=HEIGHT, **estimates)

    assert {model.quantile for model in spec.models.values()} == {None}


def test_labels_of_the_truth_are_not_said_to_be_scores(tmp_path):
    kinds = [f"kind {i % 30}" for i in range(ROWS)]
    said = {
        name: [kinds[i - (i % k == 0)] for i in range(ROWS)] for name, k in (("knn", 4), ("x", 5))
    }

    _, messages = drafted(tmp_path, y=kinds, **said)

    assert (
        "'x' is taken for a prediction by its values alone; if wrong, correct models: in the spec"
        in messages
    )


def test_an_exposure_that_is_left_out_is_said_to_be_a_weight(tmp_path):
    exposure = [0.3 + i % 7 / 10 for i in range(ROWS)]

    _, messages = drafted(
        tmp_path, y_true=HEIGHT, y_pred=[h + 1.5 for h in HEIGHT], exposure=exposure
    )

    assert any(
        "'exposure' (a weight, if truth and estimates are rates" in line for line in messages
    )
