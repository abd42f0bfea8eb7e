"""Names of measures in a spec: those of the task, other names of the field, averages."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from reportgen import spec as specs
from reportgen.errors import SpecError
from reportgen.metric_names import ALIASES, AVERAGES, canonical, joined, parted
from reportgen.metrics import REGISTRY
from reportgen.results import evaluate
from reportgen.spec.measures import numbers
from tests.quick import QUICK

MODELS = {
    "binary": {"a": {"score": "p"}},
    "multiclass": {"a": {"scores": {"cat": "p_cat", "dog": "p_dog", "emu": "p_emu"}}},
    "multilabel": {"a": {"scores": {"cat": "p_cat", "dog": "p_dog", "emu": "p_emu"}}},
    "regression": {"a": {"estimate": "p"}},
}
COSTS = {"false_negative": 500, "false_positive": 1}
TRUTHS = {"multilabel": {name: f"is_{name}" for name in ("cat", "dog", "emu")}}


def spec_of(task: str, **given):
    truth = TRUTHS.get(task, "y")
    return specs.from_dict({"data": "d.csv", "truth": truth, "models": MODELS[task], **given})


def frame(task: str) -> pl.DataFrame:
    random = np.random.default_rng(0)
    scores = random.dirichlet([1, 1, 1], 60)
    names = ("cat", "dog", "emu")
    columns = {f"p_{n}": scores[:, k] for k, n in enumerate(names)}
    columns |= {f"is_{n}": random.integers(0, 2, 60) for n in names}
    truths = {
        "binary": random.integers(0, 2, 60),
        "multiclass": np.array(names)[random.integers(0, 3, 60)],
        "regression": random.normal(size=60),
    }
    return pl.DataFrame({**columns, "p": random.random(60), "y": truths.get(task, [0] * 60)})


def of_all_rows(results) -> pl.DataFrame:
    return results.metrics.filter(pl.all_horizontal(pl.col("slice", "class").is_null()))


@pytest.mark.parametrize("task", MODELS)
def test_a_spec_may_name_every_number_of_its_task_and_the_results_hold_it(task):
    over_tests = [f"{m}_of_{u}_" for m in ("macro", "micro") for u in ("folds", "data_sets")]
    absent = ("interval", "winkler_score", "folds_", *over_tests)  # there is one test here
    names = [n for n in numbers(task) if not n.startswith(absent)]
    results = evaluate(spec_of(task, measures=names, **QUICK), frame(task))
    rows = of_all_rows(results)
    held = {joined(m, a) for m, a in rows.select("metric", "average").iter_rows()}

    assert set(names) <= held
    assert held - set(names) <= {"interval_coverage", "interval_width", "winkler_score"}


@pytest.mark.parametrize(
    ("task", "measures", "understood"),
    [
        ("binary", ["Sensitivity", "roc_auc"], ("recall", "auc")),
        ("regression", ["RMSE", "R²", "mae"], ("root_mean_squared_error", "r2", None)),
        ("multiclass", ["f1_macro", "roc_auc_ovo"], ("macro_f1", "macro_of_pairs_auc")),
        ("multilabel", ["Hamming loss", "LRAP"], ("hamming_loss", None)),
    ],
)
def test_other_names_of_the_field_are_understood(task, measures, understood):
    spec = spec_of(task, measures=measures)

    for name, expected in zip(spec.measures, understood, strict=True):
        assert expected is None or name == expected
        assert name in numbers(task)


def test_gates_and_choices_of_a_threshold_understand_them_too():
    spec = spec_of(
        "binary",
        threshold={"maximise": "F1 score", "subject to": {"sensitivity": ">= 0.9"}},
        gates=["a.Sensitivity.low >= 0.1"],
    )

    assert spec.threshold.maximise == "f1"
    assert spec.threshold.subject_to == {"recall": ">= 0.9"}
    assert evaluate(spec, frame("binary")).gates["state"].to_list() == ["pass"]


def test_a_gate_of_an_average_is_judged_on_that_average():
    spec = spec_of("multiclass", gates=["a.macro_f1 > 0", "a.f1_weighted > 0", "a.micro_auc < 1"])
    results = evaluate(spec, frame("multiclass"))
    observed = results.gates["observed"].to_list()

    rows = of_all_rows(results)
    for value, (metric, average) in zip(
        observed, [("f1", "macro"), ("f1", "weighted"), ("auc", "micro")], strict=True
    ):
        assert value == rows.filter(metric=metric, average=average)["value"].item()


@pytest.mark.parametrize(
    ("task", "given", "message", "hint"),
    [
        ("regression", {"measures": ["auc"]}, "'auc' is not a measure of a regression", "--task"),
        ("binary", {"measures": ["rmse"]}, "'root_mean_squared_error' is not a measure", "--task"),
        ("multiclass", {"gates": ["a.f1 > 0"]}, "'f1' is a measure of one class", "macro_f1"),
        (
            "regression",
            {"measures": ["mean_eror"]},
            "there is no metric 'mean_eror'",
            "'mean_error'",
        ),
        ("multilabel", {"gates": ["a.macro_f2x > 0"]}, "'macro_f2x'", "'macro_f2'"),
        (
            "binary",
            {"threshold": {"maximise": "n"}, "measures": ["recall", "tpr"]},
            "twice",
            "remove",
        ),
    ],
)
def test_a_name_that_the_task_does_not_have_is_refused(task, given, message, hint):
    with pytest.raises(SpecError) as caught:
        spec_of(task, **given)

    messages = json.dumps([(p.message, p.hint) for p in caught.value.problems], ensure_ascii=False)
    assert message in messages
    assert hint in messages


@pytest.mark.parametrize(
    ("task", "comparisons", "message"),
    [
        ("binary", {"margin": 1}, "no two models differ by more than 1 in accuracy"),
        ("multiclass", {"margin": 2, "primary": "mcc"}, "no two models differ by more than 2 in"),
        ("binary", {"horizon": 7}, "no column of time is named"),
    ],
)
def test_what_has_no_effect_on_comparisons_is_refused(task, comparisons, message):
    """All models are within a margin that is as wide as the measure."""
    with pytest.raises(SpecError) as caught:
        spec_of(task, comparisons=comparisons)

    [problem] = caught.value.problems
    assert message in problem.message


def test_the_name_that_a_report_prints_is_answered_with_that_of_the_measure():
    for given in ({"gates": ["a.bias <= 0.5"]}, {"comparisons": {"claims": ["a.bias <= 0"]}}):
        with pytest.raises(SpecError) as caught:
            spec_of("regression", **given)

        [problem] = caught.value.problems
        assert problem.hint == "did you mean 'mean_error'?"


def test_a_pinball_loss_without_its_quantile_is_answered_with_how_to_write_it():
    with pytest.raises(SpecError) as caught:
        spec_of("regression", gates=["a.pinball_loss <= 3"])

    [problem] = caught.value.problems
    assert problem.hint == "write it with its quantile: pinball_loss(0.9)"
    assert spec_of("regression", gates=["a.pinball_loss(0.9) <= 3"]).gates


@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("regression", {"comparisons": {"margin": 40}}),
        (
            "binary",
            {"comparisons": {"margin": 40}, "costs": {"false_negative": 500, "false_positive": 1}},
        ),
        ("binary", {"comparisons": {"margin": 1.5, "primary": "log_loss"}}),
        ("binary", {"comparisons": {"horizon": 7}, "columns": {"time": "day"}}),
    ],
)
def test_a_margin_in_the_unit_of_an_unbounded_measure_is_taken(task, given):
    assert spec_of(task, **given).comparisons


@pytest.mark.parametrize(
    ("task", "gate", "message", "hint"),
    [
        ("binary", "a.recall >= 95", "no data can meet it: recall lies between 0 and 1", "0.95"),
        ("binary", "a.auc.low > 1", "no data can meet it: auc", "another limit"),
        ("binary", "a.auc >= 0", "every value meets it", "remove"),
        ("multiclass", "a.macro_f1 <= 1", "every value meets it", "remove"),
        ("binary", "a.mcc - a.recall > 1", "the difference lies between -2 and 1", "another"),
        ("binary", "a.auc >= previous - 1", "the difference lies between -1 and 1", "remove"),
        ("regression", "a.mse < 0", "mean_squared_error is at least 0", "another limit"),
        ("regression", "a.r2 <= 1", "r2 is at most 1", "remove"),
    ],
)
def test_a_gate_that_no_data_can_decide_is_refused(task, gate, message, hint):
    with pytest.raises(SpecError) as caught:
        spec_of(task, gates=[gate])

    [problem] = caught.value.problems
    assert problem.code == "out-of-range"
    assert message in problem.message
    assert hint in problem.hint


@pytest.mark.parametrize(
    "gate", ["a.auc >= 1", "a.error_rate <= 0", "a.mcc > -1", "a.auc - a.recall > 0"]
)
def test_a_gate_that_the_best_or_worst_value_alone_decides_is_read(gate):
    assert spec_of("binary", gates=[gate]).gates == (gate,)


def test_a_limit_of_a_threshold_that_no_threshold_meets_is_refused():
    with pytest.raises(SpecError, match=r"95 % is written 0\.95"):
        spec_of("binary", threshold={"maximise": "f1", "subject to": {"recall": ">= 95"}})


def test_a_measure_of_classes_may_be_listed_for_all_its_averages():
    assert spec_of("multiclass", measures=["precision"]).measures == ("precision",)


def test_no_name_of_a_measure_reads_as_an_average_of_another():
    names = {n for task in MODELS for n in numbers(task)}
    plain = {n for task in MODELS for n in REGISTRY[task]}

    assert all(parted(name) == (name, None) for name in plain)
    assert all(canonical(name) == name for name in names)
    assert not {f"{prefix}_" for prefix in AVERAGES} & set(ALIASES)


@pytest.mark.parametrize(
    ("threshold", "message"),
    [({"maximise": "error_rate"}, "more of error_rate"), ({"minimise": "f1"}, "less of f1")],
)
def test_a_threshold_is_not_chosen_to_make_a_measure_worse(threshold, message):
    with pytest.raises(SpecError, match=f"{message} is worse"):
        spec_of("binary", threshold=threshold)


def test_a_measure_without_a_better_end_may_be_made_as_small_as_a_limit_allows():
    limited = {"minimise": "detection_prevalence", "subject to": {"recall": ">= 0.9"}}

    assert spec_of("binary", threshold=limited).threshold.minimise == "detection_prevalence"
