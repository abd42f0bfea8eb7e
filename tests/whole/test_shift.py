"""The shift between two periods in results and reports."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.errors import DataError, EmptyError, SpecError
from reportgen.results import Results, evaluate
from reportgen.sections.ledger import ledger
from reportgen.sections.lookup import compared
from reportgen.sections.shift import ShiftSection
from reportgen.spec import from_dict, read
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK
from tests.section_tables import column
from tests.simulations.shifts import MODELS, SITUATIONS


def rows(number, seed, *, prevalence=0.3, north=0.5, **more):
    random = np.random.default_rng(seed)
    truth = (random.random(number) < prevalence).astype(int)
    noise = random.normal(size=number)
    return pl.DataFrame(
        {
            "truth": truth,
            "score": 1 / (1 + np.exp(-(2 * truth - 1 + noise))),
            "site": np.where(random.random(number) < north, "north", "south"),
            "case": [f"{seed}-{k}" for k in range(number)],
            "group": [f"{seed}-{k // 5}" for k in range(number)],
            "weight": random.exponential(size=number) + 0.1,
            "day": np.arange(number) + 1000 * seed,
            **more,
        }
    )


@pytest.fixture
def folder(tmp_path):
    rows(400, 1).write_parquet(tmp_path / "earlier.parquet")
    rows(300, 2, prevalence=0.5, north=0.2).write_parquet(tmp_path / "now.parquet")
    rows(400, 3).write_parquet(tmp_path / "again.parquet")
    return tmp_path


def spec(folder, **more):
    base = {
        "data": "now.parquet",
        "reference": "earlier.parquet",
        "truth": "truth",
        "models": {"m": {"score": "score"}},
        "slices": ["site"],
        **QUICK,
    }
    return from_dict(base | more, folder)


def shift(folder, **more):
    return evaluate(spec(folder, **more)).shift


def change_files(folder, change, names=("earlier", "now")):
    for path in (folder / f"{name}.parquet" for name in names):
        change(pl.read_parquet(path)).write_parquet(path)


def test_every_distribution_is_compared_and_every_change_adds_up(folder):
    results = evaluate(spec(folder))
    result = results.shift

    kinds = [(one.kind, one.name, one.untested) for one in result.quantities]
    assert kinds == [("truth", "classes", None), ("score", "m", None), ("slices", "site", None)]
    earlier, now = (pl.read_parquet(folder / f"{name}.parquet") for name in ("earlier", "now"))
    truth, shares = result.quantities[0], [frame["truth"].mean() for frame in (earlier, now)]
    assert [truth.category, truth.before, truth.now] == ["1", *shares]
    assert truth.reject
    assert Results.from_json(results.to_json()).shift == result
    for change in result.changes:
        assert change.mix + change.within == pytest.approx(change.change, abs=1e-12)


def test_without_a_reference_the_halves_of_time_are_compared(folder):
    result = shift(folder, reference=None, columns={"time": "day"})

    assert (result.basis, result.units) == ("time", "blocks of time")
    assert (result.before, result.now) == ("2000 to 2149", "2150 to 2299")
    assert shift(folder, reference=None) is None


def test_few_points_of_time_are_not_tested(folder):
    change_files(folder, lambda frame: frame.head(150), ["now"])
    result = shift(folder, reference=None, columns={"time": "day"})

    reason = "a period has fewer than 100 time points"
    assert {one.untested for one in result.quantities} == {reason}
    assert all(change.change_low is None for change in result.changes)


FIRST = pl.int_range(pl.len()) == 0
REPEATED = pl.when(FIRST).then(pl.lit("1-0")).otherwise(pl.col("case"))


@pytest.mark.parametrize(
    ("columns", "reason"),
    [({"group": "site"}, "2 groups are"), ({"id": "repeated"}, "1 example is")],
)
def test_what_is_in_both_periods_is_not_tested(folder, columns, reason):
    change_files(folder, lambda frame: frame.with_columns(repeated=REPEATED))
    quantities = shift(folder, columns=columns, keep_rows=False).quantities

    assert {one.untested for one in quantities} == {f"{reason} in both periods"}
    assert all(one.p_value is None for one in quantities)


def test_scores_of_separately_fitted_folds_are_not_tested(folder):
    change_files(folder, lambda frame: frame.with_columns(fold=pl.int_range(pl.len()) % 5))
    untested = [one.untested for one in shift(folder, columns={"fold": "fold"}).quantities]

    assert untested == [None, "scores of separately fitted folds are pooled", None]


def test_groups_weights_and_times_are_allowed_for(folder):
    units = [
        shift(folder, columns=columns).units
        for columns in ({"group": "group"}, {"weight": "weight"}, {"time": "day"})
    ]
    assert units == ["groups", "rows", "blocks of time"]


@pytest.mark.parametrize("task", ["multiclass", "regression"])
def test_other_tasks_are_compared_too(task, tmp_path):
    periods_of = SITUATIONS[
        "three classes, 300 and 200" if task == "multiclass" else "a number, 300 and 200"
    ]
    for name, frame in zip(
        ("earlier", "now"), periods_of.frames(np.random.default_rng(3)), strict=True
    ):
        frame.write_parquet(tmp_path / f"{name}.parquet")
    of_task = {"task": task, "models": MODELS[task]}
    result = shift(tmp_path, **of_task)

    assert [one.kind for one in result.quantities] == ["truth", "score", "slices"]
    splits = {"regression": ["site"], "multiclass": ["classes", "site"]}
    assert [change.by for change in result.changes] == splits[task]
    alone = [
        evaluate(spec(tmp_path, data=f"{name}.parquet", reference=None, **of_task)).metrics.filter(
            pl.col("slice").is_null()
        )
        for name in ("earlier", "now")
    ]
    for change in result.changes:
        of_measure = {"metric": change.metric, "model": change.model}
        values = [metrics.filter(**of_measure)["value"].item() for metrics in alone]
        assert [change.before, change.now] == pytest.approx(values, abs=1e-12)


def test_labels_are_compared_one_by_one(folder):
    opposite = {"other": 1 - pl.col("truth"), "score2": 1 - pl.col("score")}
    change_files(folder, lambda frame: frame.with_columns(**opposite))
    labels = {"x": "truth", "y": "other"}
    result = shift(folder, truth=labels, models={"m": {"scores": {"x": "score", "y": "score2"}}})

    kinds = [(one.kind, one.category) for one in result.quantities]
    assert kinds[:2] == [("truth", "x"), ("truth", "y")]
    assert {change.metric for change in result.changes} == {"subset_accuracy"}


def test_models_in_long_form_are_compared(folder):
    long = [pl.lit(model).alias("model") for model in "ab"]
    change_files(folder, lambda frame: pl.concat([frame.with_columns(m) for m in long]))
    result = shift(folder, models={"column": "model", "score": "score"}, columns={"id": "case"})

    assert [one.model for one in result.quantities] == [None, "a", "b", None]


def test_small_cells_withhold_the_shift(folder):
    results = evaluate(spec(folder, privacy={"small_cells": 5}))

    assert results.shift is None
    assert "shift between periods" in {one["what"] for one in results.skipped}


# the reference


def test_slices_that_the_periods_do_not_share_are_not_tested(folder):
    months = {"earlier": "January", "now": "May"}
    for name, month in months.items():
        path = folder / f"{name}.parquet"
        pl.read_parquet(path).with_columns(month=pl.lit(month)).write_parquet(path)
    result = evaluate(spec(folder, slices=["site", "month", ["site", "month"]])).shift

    assert [one.name for one in result.quantities if one.kind == "slices"] == ["site"]
    split = {change.by for change in result.changes}
    assert "site" in split
    assert not [by for by in split if "month" in by]


def test_page_one_names_what_shifted_since_the_reference(folder):
    def caveats(**more):
        decision = evaluate(spec(folder, **more)).decision
        return [c.text for c in decision.caveats if c.code == "shifted_since_reference"]

    text = "The shares of the classes{} shifted since the reference period."
    both = text.format(", the scores of m and the shares of the slices of site")
    drifted = " Observed/expected of m: 0.76 in the reference, 1.07 now."
    assert caveats() == [f"{both}{drifted}"]
    assert caveats(slices=[]) == [text.format(" and the scores of m") + drifted]
    assert caveats(data="earlier.parquet", reference="again.parquet") == []


def worse_rows(tmp_path, error):
    """The truth is the estimate and an error; in the later period so many times as large."""
    random = np.random.default_rng(6)
    for name, times in (("then", 1.0), ("now", error)):
        estimate = random.normal(size=400)
        truth = estimate + times * random.normal(size=400)
        pl.DataFrame({"y": truth, "m": estimate}).write_parquet(tmp_path / f"{name}.parquet")
    made = {"data": "now.parquet", "reference": "then.parquet", "truth": "y", **QUICK}
    return evaluate(from_dict({**made, "models": {"m": {"estimate": "m"}}}, tmp_path))


def changes_on_page_one(results):
    said = [c.text for c in results.decision.caveats if c.code == "changed_since_reference"]
    into = translator("zh", names_of(results.to_dict()))
    section = ShiftSection.from_results(results, [])
    for text in (*said, *section.findings):
        into.text(text, "li")
    assert not into.missing
    return said, section.findings[0]


def test_page_one_says_that_a_measure_changed_since_the_reference(tmp_path):
    results = worse_rows(tmp_path, 2.0)
    (text,), finding = changes_on_page_one(results)
    (change,) = results.shift.changes

    assert text.startswith(f"The MSE of m rose from {change.before:.3f} to {change.now:.3f} since")
    assert f"(95\xa0% CI +{change.change_low:.3f} to +{change.change_high:.3f})." in text
    assert finding == "The performance of m changed significantly since the reference."
    alike, finding = changes_on_page_one(worse_rows(tmp_path, 1.0))
    assert not alike
    assert finding.startswith("No significant shift (")


def test_changes_have_limits_for_all_measures_and_the_part_of_the_mix(folder):
    """Half of the later labels are exchanged; nothing else differs."""
    wrong = rows(400, 3).with_columns(
        truth=pl.when(pl.int_range(400) % 2 == 0).then(1 - pl.col("truth")).otherwise("truth")
    )
    wrong.write_parquet(folder / "now.parquet")
    results = evaluate(spec(folder))
    said, _ = changes_on_page_one(results)
    areas = [one for one in results.shift.changes if (one.metric, one.by) == ("auc", "site")]

    assert said[0].startswith("The AUC of m fell from 0.")
    assert said[1].startswith("The accuracy of m fell from 0.")
    assert " (simultaneous 95\xa0% CI −0." in said[0]
    assert areas[0].mix_low < 0 < areas[0].mix_high  # which then explains nothing
    assert "explains" not in said[0]


def test_page_one_says_that_calibration_was_lost_since_the_reference(tmp_path):
    """Scores rise, the shares of the classes stay."""
    random = np.random.default_rng(4)
    odds = random.normal(-0.7, 1.5, 2_000)
    truth = random.random(2_000) < 1 / (1 + np.exp(-odds))
    for name, off in (("then", 0.0), ("now", 1.0)):
        scores = {"y": truth, "p": 1 / (1 + np.exp(-odds - off))}
        pl.DataFrame(scores).write_parquet(tmp_path / f"{name}.parquet")
    made = {"truth": "y", "models": {"m": {"score": "p"}}, **QUICK}
    (tmp_path / "r.yaml").write_text(
        json.dumps({**made, "name": "r", "data": "now.parquet", "reference": "then.parquet"})
    )
    decision = reportgen.evaluate(tmp_path / "r.yaml").decision
    (text,) = [c.text for c in decision.caveats if c.code == "shifted_since_reference"]
    share, mean = truth.mean(), (1 / (1 + np.exp(-odds))).mean()
    assert text.startswith("The scores of m shifted since the reference period. Observed/expected ")
    assert f"of m: {share / mean:.2f} in the reference, 0." in text


def test_a_build_is_of_its_reference_too(folder):
    def build():
        return reportgen.build(spec(folder), out=folder / "out", formats=["json"])

    first, again = build(), build()
    rows(400, 9).write_parquet(folder / "earlier.parquet")
    other = build()

    assert again.unchanged
    assert not other.unchanged
    assert first.results.build["inputs_sha256"] != other.results.build["inputs_sha256"]
    inputs = [one["path"] for one in first.results.data["reference"]]
    assert inputs == ["earlier.parquet"]
    manifest = (first.path / "manifest.json").read_text(encoding="utf-8")
    assert first.results.data["reference"][0]["sha256"] in manifest


def test_a_reference_that_cannot_be_used_is_refused_with_its_name(folder):
    earlier = pl.read_parquet(folder / "earlier.parquet")
    (folder / "copy.parquet").write_bytes((folder / "now.parquet").read_bytes())
    earlier.drop("score").write_parquet(folder / "lacking.parquet")
    earlier.head(0).write_parquet(folder / "empty.parquet")
    earlier.with_columns(truth=pl.lit("yes")).write_parquet(folder / "labels.parquet")
    earlier.with_columns(role=pl.lit("train")).write_parquet(folder / "train.parquet")
    tested = pl.read_parquet(folder / "now.parquet").with_columns(role=pl.lit("test"))

    def refused(name, kind=DataError, frame=None, **more):
        with pytest.raises(kind) as caught:
            evaluate(spec(folder, reference=name, **more), frame)
        assert name in str(caught.value)
        return caught.value.problems[0].code

    assert refused("lacking.parquet") == "missing-column"
    assert refused("now.parquet") == "same-file"
    assert refused("copy.parquet") == "same-content"
    assert refused("none.parquet") == "missing-file"
    assert refused("empty.parquet", EmptyError) == "no-rows"
    assert refused("labels.parquet") == "reference"
    for name, unit in (("percent", pl.col("score") * 100), ("odds", pl.col("score").log() - 1)):
        earlier.with_columns(score=unit).write_parquet(folder / f"{name}.parquet")
        assert refused(f"{name}.parquet") == "reference"
    assert refused("train.parquet", EmptyError, tested, columns={"role": "role"}) == "no-test-rows"
    with pytest.raises(SpecError, match="rows of two periods are compared"):
        evaluate(spec(folder, engine="streaming"))


def test_a_reference_stays_in_the_folder_of_the_spec(folder):
    inner = folder / "inner"
    inner.mkdir()
    text = "data: now.parquet\nreference: ../earlier.parquet\ntruth: truth\n"
    (inner / "report.yaml").write_text(f"{text}models: {{m: {{score: score}}}}\n")

    with pytest.raises(SpecError, match=r"report.yaml:2:12.*outside the folder"):
        read(inner / "report.yaml")
    assert read(inner / "report.yaml", allowed_roots=[folder]).reference == ("../earlier.parquet",)


def test_text_files_of_a_reference_are_read_as_the_spec_says(folder):
    pl.read_parquet(folder / "earlier.parquet").write_csv(folder / "earlier.csv", separator=";")

    result = shift(folder, reference="earlier.csv", separator=";")
    assert result.quantities == shift(folder).quantities


# the page


def test_the_page_says_only_what_a_test_shows(folder):
    results = evaluate(spec(folder))
    shown = ShiftSection.from_results(results, ())

    assert shown.introduction == "300 rows are compared with 400 rows of the reference."
    assert any(one.startswith("The share of 1 shifted: ") for one in shown.findings)
    assert column(shown.quantities, "quantity")[0] == "Class: 1"
    rows(300, 3).write_parquet(folder / "now.parquet")
    same = ShiftSection.from_results(evaluate(spec(folder)), ())
    assert same.findings[0].startswith("No significant shift (smallest adjusted p")
    assert "With 400 and 300 rows a PSI of up to 0." in same.findings[0]
    limits = [float(cell) for cell in column(same.quantities, "limit")]
    indices = [float(cell) for cell in column(same.quantities, "psi")]
    assert all(low < high for low, high in zip(indices, limits, strict=True))
    assert f"up to {max(limits):.3f} is still" in same.findings[0]
    untested = evaluate(spec(folder, columns={"group": "site"}))
    assert ShiftSection.from_results(untested, ()).findings[0] == (
        "No shift is tested: 2 groups are in both periods."
    )


@pytest.mark.parametrize("basis", ["reference", "time"])
def test_page_one_says_only_a_shift_that_the_threshold_of_least_cost_depends_on(basis, folder):
    first, second = (rows(400, k, prevalence=p) for k, p in ((1, 0.2), (2, 0.5)))
    pl.concat([first, second]).write_parquet(folder / "now.parquet")
    more = {} if basis == "reference" else {"reference": None, "columns": {"time": "day"}}
    costs = {"false_negative": 5, "false_positive": 1}
    decision = evaluate(spec(folder, costs=costs, **more)).decision

    codes = [caveat.code for caveat in decision.caveats]
    assert ("shifted_classes" in codes) == (basis == "time")


def test_the_ledger_says_that_tests_of_shift_have_a_family_of_their_own(folder):
    change_files(folder, lambda frame: frame.with_columns(other=pl.col("score") ** 2))
    models = {"m": {"score": "score"}, "other": {"score": "other"}}
    note = "Tests of shift are corrected in their own family."
    results = evaluate(spec(folder, models=models))
    alone = replace(results, shift=None)

    assert results.shift.tested
    for of, count in ((results, 1), (alone, 0)):
        table = ledger(of, [row for row in compared(of) if len(row.models) == 2])
        assert "".join(map(str, table.notes)).count(note) == count
