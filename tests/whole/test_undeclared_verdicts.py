"""A win, a margin or a gate that holds only as long as a column of groups is left undeclared."""

import numpy as np
import polars as pl
import pytest

import reportgen
from tests.page_text import without_chinese


def hospitals(seed, gap=0.5, shared=1.0):
    """Scores of two models, of which those of one hospital are all too good or too bad."""
    random = np.random.default_rng(seed)
    code = np.repeat(np.arange(12), 80)
    truth = random.random(len(code)) < 0.5
    scores, by_hospital = {}, random.normal(size=(2, 12)) * shared
    for name, signal, of in zip("ab", (1.2, 1.2 - gap), by_hospital, strict=True):
        own = random.normal(size=len(code)) + of[code] * np.where(truth, 0.6, -0.6)
        scores[name] = signal * truth + own
    return pl.DataFrame({"y": truth.astype(int), **scores, "hospital": code})


def evaluated(frame, **spec):
    models = {name: {"score": name} for name in "ab"}
    fixed = {"truth": "y", "positive": 1, "task": "binary", "threshold": 0.5, "models": models}
    return reportgen.evaluate(fixed | {"bootstrap": {"replicates": 0}} | spec, frame)


GATES = ["a.auc - b.auc > 0", "a.auc.low > 0.6", "a.auc > 0.6", "a.accuracy > 0.4"]


def test_a_win_that_the_column_as_group_would_undo_is_no_conclusion():
    frame = hospitals(6)
    results = evaluated(frame, gates=GATES)
    decision = results.decision

    assert evaluated(frame, columns={"group": "hospital"}).decision.relation != "ahead"
    assert (decision.relation, decision.state) == ("no conclusion", "inconclusive")
    assert decision.headline.endswith("with hospital as group it would not reject")
    [severe] = decision.severe
    assert severe.text.startswith("In AUC a − b is +0.084 (+0.035 to +0.133 for independent rows")
    assert results.gates["state"].to_list() == ["inconclusive"] * 3 + ["pass"]
    delong = results.comparisons.filter(comparison="delong").row(0, named=True)
    assert (delong["recommendation"], delong["reject"]) == ("valid", True)
    texts = [decision.headline, decision.sentence, severe.text, *results.gates["why"].drop_nulls()]
    assert not without_chinese(results, texts)


@pytest.mark.parametrize("dated", ["date", "year", "quarter", "seen_at", "written"])
def test_a_win_that_what_happened_on_a_day_would_undo_is_no_conclusion(dated):
    day = {"date": pl.date(2026, 1, 1) + pl.duration(days=pl.col("hospital"))}
    day["seen_at"] = day["date"].cast(pl.Datetime) + pl.duration(minutes=pl.int_range(pl.len()))
    day["written"] = day["seen_at"].dt.to_string("%Y-%m-%dT%H:%M")
    day["quarter"] = pl.format("{}Q4", 2000 + pl.col("hospital"))
    day["year"] = pl.format("y{}", 2000 + pl.col("hospital"))
    results = evaluated(hospitals(6).with_columns(day[dated].alias(dated)).drop("hospital"))
    [text] = [c.text for c in results.decision.caveats if c.code == "undeclared_groups"]

    assert results.decision.headline.endswith(f"with {dated} as group it would not reject")
    assert text.endswith("times as wide. Declare it as columns.time.")
    assert not without_chinese(results, [text])


@pytest.mark.parametrize(
    ("name", "is_looked_at"),
    [
        ("hospitalid", True),
        ("subjid", True),
        ("pid", True),
        ("IDSCHOOL", True),
        ("fips", True),
        ("paid", False),
    ],
)
def test_ids_are_units_however_they_are_written(name, is_looked_at):
    results = evaluated(hospitals(6).rename({"hospital": name}))

    assert ("undeclared_groups" in results.data) == is_looked_at
    assert results.decision.headline.endswith(f"with {name} as group it would not reject") == (
        is_looked_at
    )


def test_a_win_that_the_years_would_undo_is_none_where_they_are_slices():
    frame = hospitals(6).with_columns(year=2000 + pl.col("hospital")).drop("hospital")
    results = evaluated(frame, slices=["year"])
    [text] = [c.text for c in results.decision.caveats if c.code == "undeclared_groups"]

    assert results.decision.headline.endswith("with year as group it would not reject")
    assert text.startswith("year is declared as a slice alone, but rows with the same value of it")
    assert "grouping_slices" not in results.data
    assert not without_chinese(results, [text])


def test_few_years_that_are_slices_are_said_to_be_all_that_limits_hold_for():
    frame = hospitals(6).with_columns(year=2000 + pl.col("hospital") // 3).drop("hospital")
    results = evaluated(frame, slices=["year"])

    assert [one["column"] for one in results.data["grouping_slices"]] == ["year"]


@pytest.mark.parametrize(("name", "said"), [("class", False), ("hospital", True)])
def test_few_classes_that_are_slices_are_all_that_there_are(name, said):
    few = pl.format("{}", pl.col("hospital") // 2)
    frame = hospitals(6).with_columns(few.alias(name)).select("y", "a", "b", name)

    assert ("grouping_slices" in evaluated(frame, slices=[name]).data) == said


@pytest.mark.parametrize(
    ("name", "first"), [("month", 1), ("birth_year", 1960), ("model_year", 1990)]
)
def test_months_of_any_year_and_what_dates_a_row_are_kinds_of_rows(name, first):
    frame = hospitals(6).with_columns(**{name: first + pl.col("hospital")}).drop("hospital")

    assert "undeclared_groups" not in evaluated(frame).data


def test_a_feature_whose_grades_a_model_fits_badly_takes_no_conclusion_away():
    """Errors are alike in each of eight grades, but rows are independent of each other."""
    frame = hospitals(6).with_columns(clarity=pl.format("grade {}", pl.col("hospital") % 8))
    mixed = frame.drop("hospital").sample(fraction=1, shuffle=True, seed=1)
    results = evaluated(mixed, gates=GATES[:1])
    [column] = results.data["undeclared_groups"]
    [text] = [c.text for c in results.decision.caveats if c.code == "undeclared_groups"]

    assert (column["column"], column["sampled"]) == ("clarity", False)
    assert results.decision.relation == "ahead"
    assert results.gates["state"].to_list() == ["pass"]
    assert text.endswith("If they are kinds of rows, declare it under slices.")
    assert not without_chinese(results, [text])


def test_a_win_that_holds_with_the_column_as_group_stays_with_its_caveat():
    frame = hospitals(3)
    results = evaluated(frame, gates=["a.auc - b.auc > 0"])

    assert evaluated(frame, columns={"group": "hospital"}).decision.relation == "ahead"
    assert results.decision.relation == "ahead"
    assert "undeclared_groups" in [caveat.code for caveat in results.decision.caveats]
    assert results.gates["state"].to_list() == ["pass"]


@pytest.mark.parametrize("seed", range(4))
def test_the_limits_with_the_column_as_group_are_near_those_of_declared_groups(seed):
    frame = hospitals(seed)
    declared = evaluated(frame, columns={"group": "hospital"}).comparisons
    apart = evaluated(frame)
    [column] = apart.data["undeclared_groups"]
    wider = {of["measure"]: of["times_as_wide"] for of in column["limits"] if len(of["models"]) > 1}

    for measure, tests in (("auc", ("delong", "obuchowski")), ("accuracy", ("", "mcnemar_groups"))):
        row = declared.filter(comparison=tests[1]).row(0, named=True)
        of_rows = apart.comparisons.filter(metric=measure, unit="rows", effect="difference")
        before = of_rows.drop_nulls("low").row(0, named=True)
        width = (row["high"] - row["low"]) / (before["high"] - before["low"])
        assert wider[measure] == pytest.approx(width, rel=0.1)


def test_a_margin_is_not_kept_where_the_column_as_group_would_pass_it():
    frame = hospitals(9, gap=0.0, shared=0.3)
    margin = {"comparisons": {"margin": 0.1}}
    equivalent = pl.col("shows") == "equivalence", pl.col("metric") == "auc"

    rows = evaluated(frame, **margin).comparisons.filter(*equivalent)
    assert rows["reject"].to_list() == [True]
    assert rows["why"].item().endswith("as group it would not reject")
    assert evaluated(frame, **margin).decision.relation == "level"


def test_no_claim_is_refuted_that_the_column_as_group_would_leave_open():
    frame = hospitals(6).drop("b")
    spec = {"models": {"a": {"score": "a"}}, "comparisons": {"claims": ["a.accuracy >= 0.7"]}}
    results = evaluated(frame, **spec)
    row = results.comparisons.row(0, named=True)
    declared = evaluated(frame, **spec, columns={"group": "hospital"}).comparisons

    assert declared["reject"].to_list() == [False]
    assert (row["reject"], row["recommendation"]) == (True, "valid")
    assert "with hospital as group it would not reject" in results.decision.sentence
    assert "refuted" not in results.decision.headline
    assert not without_chinese(results, [results.decision.sentence])
