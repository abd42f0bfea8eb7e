"""Rows in groups: the intervals of one model, and what the results say of the dependence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import (
    Effect,
    Groups,
    degrees_of_freedom,
    effect_of_sums,
    mean_effect,
    t_quantile,
)
from reportgen.intervals import MeanOfRows
from reportgen.measuring.cell_effects import CellTable, effects_of_cells
from reportgen.measuring.grouped import GroupedRows, area_effect
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import SPREAD
from reportgen.measuring.row_means import MeasuredRows, limited_rows, rows_in_groups
from reportgen.measuring.row_shares import share_effect
from reportgen.metrics import METRICS, REGISTRY
from reportgen.results import evaluate
from reportgen.sections import data, dependence
from tests.breadth import breadth

MODELS = {"m": {"score": "score"}}


def patients(groups: int = 40, rows: int = 15, seed: int = 3) -> pl.DataFrame:
    """Scores and truths of rows that share a part with the others of their group."""
    random = np.random.default_rng(seed)
    code = np.repeat(np.arange(groups), rows)
    shared, individual = (
        random.normal(size=(2, groups))[:, code],
        random.normal(size=(2, groups * rows)),
    )
    latent, noise = 0.6**0.5 * shared + 0.4**0.5 * individual
    return pl.DataFrame(
        {
            "truth": (latent > 0).astype(int),
            "score": 1 / (1 + np.exp(-1.5 * (latent + noise))),
            "patient": code,
            "weight": random.uniform(0.5, 2, groups * rows),
        }
    )


def results(frame: pl.DataFrame, **more):
    spec = {"data": "d.csv", "truth": "truth", "models": MODELS, "columns": {"group": "patient"}}
    return evaluate({**spec, **more}, frame)


def alone(rows: int) -> Groups:
    return Groups(np.arange(rows), rows)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_measure_of_counts_has_a_design_effect_of_one_with_one_row_per_group(weighted):
    random = np.random.default_rng(4)
    positive, predicted = random.random((2, 200)) < 0.4
    weights = random.uniform(0.2, 3, 200) if weighted else None
    table = CellTable.of(positive, predicted, alone(200), weights)

    of_counts = [m for m in METRICS.values() if m.on == "counts"]
    [effects] = effects_of_cells([table], of_counts, {})

    assert len(effects) > 25
    for name, effect in effects.items():
        assert effect.design == pytest.approx(1, rel=1e-9), name


@pytest.mark.parametrize("weighted", [False, True])
def test_areas_shares_and_means_have_a_design_effect_of_one_with_one_row_per_group(weighted):
    random = np.random.default_rng(5)
    score, positive = np.round(random.random(200), 2), random.random(200) < 0.4
    weights = random.uniform(0.2, 3, 200) if weighted else None

    assert area_effect(
        score, ClassesByGroup(positive, alone(200), weights)
    ).design == pytest.approx(1)
    assert share_effect(positive, alone(200), weights).design == pytest.approx(1)
    assert mean_effect(score, alone(200), weights)[1].design == pytest.approx(1)


@pytest.mark.parametrize("rows", [1000, 1001, 1003])
def test_a_perfect_ranking_has_as_many_rows_of_a_class_as_it_has_groups(rows):
    """An AUC of 1 has no variance to compare; what rounding leaves of it is none."""
    random = np.random.default_rng(7)
    code, positive = random.integers(0, 90, rows), random.random(rows) < 0.3
    sizes = [np.bincount(code[side], minlength=90) for side in (positive, ~positive)]
    expected = max((size**2).sum() / size.sum() for size in sizes)
    frame = pl.DataFrame({"truth": positive, "score": np.where(positive, 0.9, 0.1)})

    in_order = GroupedRows.of(frame.with_columns(group=code), "score", None)

    assert in_order.area.design == pytest.approx(expected)
    classes = ClassesByGroup(positive, Groups(code, 90))
    assert area_effect(frame["score"].to_numpy(), classes).design == (pytest.approx(expected))


@pytest.mark.parametrize("weighted", [False, True])
def test_forecasts_have_the_effects_of_what_each_row_adds(weighted):
    """Brier score, log loss and recalibration, from influences that are written out by row."""
    random = np.random.default_rng(8)
    code, positive = random.integers(0, 60, 500), random.random(500) < 0.4
    score = np.clip(random.beta(2, 3, 500) + 0.1 * positive, 0.001, 0.999)
    w = random.uniform(0.5, 2, 500) if weighted else np.ones(500)
    frame = pl.DataFrame({"truth": positive, "score": score, "group": code, "w": w})
    rows = GroupedRows.of(frame, "score", "w" if weighted else None)
    shift, start, slope = 0.2, -0.1, 1.3
    odds = np.log(score / (1 - score))
    chance = 1 / (1 + np.exp(-start - slope * odds))
    share = w * chance * (1 - chance)
    zeroth, first, second = ((share * odds**k).sum() for k in range(3))
    residual = w * (positive - chance)
    given = np.where(positive, score, 1 - score)
    expected = {
        "calibration_in_the_large": w * (positive - 1 / (1 + np.exp(-shift - odds))),
        "calibration_intercept": residual * (second - first * odds),
        "calibration_slope": residual * (zeroth * odds - first),
        "brier_score": w * ((1 - given) ** 2 - np.average((1 - given) ** 2, weights=w)),
        "log_loss": w * (np.average(np.log(given), weights=w) - np.log(given)),
    }

    values = dict(zip(list(expected)[:3], (shift, start, slope), strict=True))
    result = rows.effects(values)

    assert result.keys() == expected.keys()
    for name, influence in expected.items():
        groups = Groups.of(frame["group"])
        sums, squares = groups.sums(influence), float(np.square(influence).sum())
        of_rows = effect_of_sums(sums, squares, groups.rows, groups.sums(w))
        assert result[name].design == pytest.approx(of_rows.design, rel=1e-10), name
        freedom = of_rows.degrees_of_freedom
        assert result[name].degrees_of_freedom == pytest.approx(freedom, rel=1e-10), name


def _over_what_is_left(
    values: np.ndarray, positive: np.ndarray, code: np.ndarray | None = None
) -> np.ndarray:
    """Each row's value over 1 − h, its class without that of the class mean; h of its group."""
    code = np.arange(len(values)) if code is None else code
    result = np.zeros(len(values))
    for side in (positive, ~positive):
        mean, of_class, of_all = values[side].mean(), np.bincount(code[side]), np.bincount(code)
        result[side] = (values[side] - mean) / (1 - of_class[code[side]] / side.sum())
        result[side] += mean / (1 - of_all[code[side]] / len(values))
    return result


@pytest.mark.parametrize("largest", [4, 400])
def test_groups_that_are_alike_count_as_often_as_they_are_there(largest):
    """Kinds of small groups are counted; where one is large, each group stands for itself."""
    random = np.random.default_rng(9)
    code = np.repeat(np.arange(301), np.append(random.integers(1, 4, 300), largest))
    positive, predicted = random.random((2, len(code))) < 0.4
    contribution = np.array([0.3, -0.2, 0.7, -0.1])
    groups = Groups(code, 301)
    cell = ~positive + 2 * ~predicted
    added, rows = _over_what_is_left(contribution[cell], positive, code), len(code)
    sums = groups.sums(added)
    apart = (rows - 1) / rows * (_over_what_is_left(contribution[cell], positive) ** 2).sum()

    table = CellTable.of(positive, predicted, groups)
    ordered = CellTable.of_classes(ClassesByGroup(positive, groups), predicted)

    assert (len(table.groups) < 301) == (largest == 4)
    for one in (table, ordered):
        assert one.effect(contribution).design == pytest.approx(300 / 301 * (sums**2).sum() / apart)
        assert one.totals.tolist() == np.bincount(cell).tolist()


def test_slices_and_repeats_have_the_limits_of_their_groups():
    """Two slices that split the groups, and rows that return three times, each with its own."""
    frame = patients().with_columns(
        site=pl.when(pl.col("patient") < 20).then(pl.lit("x")).otherwise(pl.lit("y")),
        case=pl.int_range(600),
    )
    quick = {"bootstrap": {"replicates": 0}}
    half = results(frame.filter(site="x"), **quick).metrics.filter(pl.col("low").is_not_null())
    sliced = results(frame, slices=["site"], **quick).metrics.filter(slice="site = x")
    both = half.join(sliced, on=["metric", "model"], suffix=" of slice")
    columns = {"columns": {"group": "patient", "id": "case", "repeat": "repeat"}}
    repeated = pl.concat([frame.with_columns(repeat=pl.lit(k)) for k in range(3)])
    again = results(repeated, **columns, **quick).metrics.filter(metric="auc")
    once = half_width(results(frame, **quick).metrics.filter(metric="auc"))

    assert both.height >= 15
    assert both["low"].to_list() == pytest.approx(both["low of slice"].to_list(), rel=1e-9)
    assert half_width(again) == pytest.approx(once, rel=0.02)


def half_width(metrics: pl.DataFrame) -> float:
    return (metrics["high"].item() - metrics["low"].item()) / 2


@pytest.mark.parametrize("name", ["mean_squared_error", "root_mean_squared_error", "r2"])
def test_a_mean_of_estimates_has_its_textbook_variance_with_one_row_per_group(name):
    """Of the mean s²/n; of its root and of R² by the delta method, from the same deviations."""
    random = np.random.default_rng(6)
    truth = random.normal(size=300)
    frame = pl.DataFrame(
        {"truth": truth, "estimate": truth + random.normal(size=300), "weight": 1.0}
    )
    square, spread = (frame["truth"] - frame["estimate"]) ** 2, (truth - truth.mean()) ** 2
    share = square.mean() / spread.mean()
    deviation = {
        "mean_squared_error": square,
        "root_mean_squared_error": square / (2 * square.mean() ** 0.5),
        "r2": (square - share * spread) / spread.mean(),
    }[name]
    metric = REGISTRY["regression"][name]

    [row] = rows_in_groups(MetricSubject("m"), frame, [metric], alone(300))

    scale = {"r2": 1 - row["value"]}.get(name, row["value"])
    low = 1 - row["high"] if name == "r2" else row["low"]
    reach = np.log(scale / low) * scale
    freedom = degrees_of_freedom((deviation - deviation.mean()).to_numpy())
    freedom /= 2 - 50 / 300 if name == "r2" else 1  # tails heavier than 300 rows show
    expected = t_quantile(0.95, freedom) * deviation.std() / 300**0.5
    assert reach == pytest.approx(expected, rel=1e-9)


def test_limits_of_several_slices_are_those_of_each_alone_to_the_last_digit():
    """Where one value by itself is divided by 3, and several are multiplied with a third."""
    name = "root_mean_squared_error"
    plain = REGISTRY["regression"][name]
    metric = replace(plain, interval=MeanOfRows(plain.bounds, plain.root))
    measured = []
    for value, upper in ((7.0, 1.16), (3.0, 0.5)):
        values = {name: value, SPREAD.format(name): {"variance": 1e-4, "upper": upper}}
        effects = {name: Effect(1.0, 50.0)}
        measured.append(MeasuredRows(MetricSubject("m"), [metric], values, effects))

    together = limited_rows(measured)

    assert together == [limited_rows([one])[0] for one in measured]
    assert all(row["low"] < row["value"] < row["high"] for [row] in together)


def test_the_record_says_what_the_rows_are_worth():
    frame = patients()
    copied = pl.concat([frame.gather_every(15)] * 15)
    groups = results(copied, bootstrap={"replicates": 0}).data["groups"]

    assert (groups["number"], groups["largest"], groups["mean_rows"]) == (40, 15, 15.0)
    assert groups["effective"] == 40
    assert not groups["few"]
    assert {row["metric"] for row in groups["measures"]} == {"accuracy", "auc"}
    for row in groups["measures"]:  # copies of 40 rows, but for the corrections n/(n − 1)
        assert row["effective_rows"] == pytest.approx(40, rel=0.06)
    assert groups["measures"][0]["intraclass_correlation"] == pytest.approx(1)


@breadth("unnamed", [False, True], [True])
def test_one_row_per_group_gives_the_tests_and_the_decision_of_independent_rows(unnamed):
    """Also where a row names no group: it is a group of its own."""
    frame = patients(groups=150, rows=1).with_columns(other=pl.col("score").shuffle(seed=1))
    if unnamed:
        frame = frame.with_columns(patient=pl.when(pl.col("patient") > 3).then("patient"))
    models = {"m": {"score": "score"}, "o": {"score": "other"}}
    options = {"models": models, "bootstrap": {"replicates": 0}}
    options["costs"] = {"false_negative": 5, "false_positive": 1}

    alone, plain = results(frame, **options), results(frame, **options, columns={})

    assert_frame_equal(alone.comparisons, plain.comparisons)
    assert_frame_equal(alone.differences, plain.differences)
    assert "recommended" in alone.comparisons["recommendation"]
    assert alone.decision == plain.decision


def test_rows_that_are_groups_of_their_own_are_said_to_be_independent():
    frame = patients().with_columns(patient=pl.int_range(600))
    record = results(frame, bootstrap={"replicates": 0}).data

    assert record["groups"]["measures"] == []
    assert (
        dependence.facts(record["groups"])[0].value
        == "600 groups of 1 row each: rows are independent"
    )
    assert (
        results(frame.drop("patient"), columns={}, bootstrap={"replicates": 0}).data["groups"]
        is None
    )


def test_the_data_section_prints_groups_design_effects_and_effective_rows():
    report = results(patients(20, 30), bootstrap={"replicates": 0})
    section = data.Data.from_results(report, ())
    [groups] = [fact.value for fact in section.facts if fact.name == "Groups"]
    first = report.data["groups"]["measures"][0]

    assert groups == "20 groups of 30 rows: limits from so few groups are rough"
    assert section.groups.rows[0].cells["Design effect"] == f"{first['design_effect']:.2f}"
    worth = f"these 600 rows are worth {first['effective_rows']:.0f} independent ones"
    assert worth in section.groups.notes[0].text


def test_a_perfect_model_has_limits_that_count_groups():
    """Wilson's lower limit of 40 out of 40: 1 / (1 + z²/40) = 0.9124."""
    frame = patients().with_columns(score=pl.col("truth").cast(pl.Float64))
    rows = {r["metric"]: r for r in results(frame, bootstrap={"replicates": 0}).metrics.to_dicts()}
    plain = evaluate(
        {"data": "d.csv", "truth": "truth", "models": MODELS, "bootstrap": {"replicates": 0}}, frame
    ).metrics.filter(metric="auc")

    assert rows["accuracy"]["low"] == pytest.approx(1 / (1 + 2.022691**2 / 40), rel=1e-6)
    assert rows["auc"]["low"] < plain["low"].item() - 0.01
    assert rows["auc"]["high"] == rows["accuracy"]["high"] == 1


def test_curves_without_a_band_say_why():
    report = results(patients(), bootstrap={"replicates": 20})

    assert "roc_band" not in report.curves
    assert "bands of ROC curves" in {record["what"] for record in report.skipped}


def test_a_single_group_has_no_limits():
    metrics = results(patients(1, 50), bootstrap={"replicates": 50}).metrics

    assert metrics["value"].count() > 50
    assert metrics["low"].count() == 0


def test_limits_of_numbers_do_not_depend_on_the_order_of_the_rows():
    frame = patients().select("patient", estimate="score", number=pl.col("truth") + pl.col("score"))
    spec = {"data": "d.csv", "truth": "number", "models": {"m": {"estimate": "estimate"}}}
    spec |= {"columns": {"group": "patient"}, "bootstrap": {"replicates": 0}}
    first, second = (
        evaluate(spec, rows).metrics
        for rows in (frame, frame.sample(fraction=1, shuffle=True, seed=1))
    )

    assert first["low"].count() > 10
    assert_frame_equal(first, second, rel_tol=1e-9)


def test_few_groups_with_one_of_the_classes_are_said_on_page_one():
    """Limits rest on the groups that have the rarer class, however many there are in all."""
    random = np.random.default_rng(6)
    patient = np.repeat(np.arange(40), 5)
    truth = np.where(patient < 3, 0, 1)
    truth[patient == 0] = [0, 0, 1, 1, 1]
    frame = pl.DataFrame({"truth": truth, "score": random.random(200), "patient": patient})
    report = results(frame, models={"m": {"score": "score"}}, bootstrap={"replicates": 0})
    texts = [c.text for c in report.decision.caveats if c.code == "few_groups_of_class"]

    assert texts == ["The 12 negatives are in 3 of 40 groups; 1 group has both classes."]
    hidden = results(frame, bootstrap={"replicates": 0}, privacy={"small_cells": 2})
    assert "with_negatives" not in hidden.data["groups"]
