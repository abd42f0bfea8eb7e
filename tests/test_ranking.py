"""Comparisons over data sets: spec, data, results, report."""

from __future__ import annotations

import json

import jsonschema
import polars as pl
import pytest

import reportgen
import reportgen.spec
from reportgen.charts import figures
from reportgen.charts.critical_difference import draw, within
from reportgen.cli import main
from reportgen.errors import DataError, EmptyError, SpecError
from reportgen.initial_spec import init_spec
from reportgen.render import summary
from reportgen.resources import EXAMPLES, SCHEMAS
from reportgen.results import Results
from reportgen.sections import sections
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.contracts import results_validator
from tests.example_results import example_results
from tests.page_text import without_chinese

SPEC = {
    "task": "comparison",
    "columns": {"dataset": "set", "model": "model", "value": "auc"},
    "measure": "auc",
}


def scores(gain: float = 0.1, count: int = 12, models: tuple[str, ...] = ("a", "b", "c")):
    """Each model is better than the one before by ``gain`` and a little that varies."""
    return pl.DataFrame(
        [
            {"set": f"s{i}", "model": m, "auc": 0.5 + gain * k + 0.01 * ((7 * i + 3 * k) % 11) / 11}
            for i in range(count)
            for k, m in enumerate(models)
        ]
    )


def evaluated(frame: pl.DataFrame, **more: object) -> Results:
    return reportgen.evaluate({**SPEC, **more}, frame)


@pytest.fixture(scope="module")
def example() -> Results:
    return example_results("learners")


def test_the_example_says_what_demsar_found(example):
    means = example.metrics.filter(metric="mean_rank")
    assert dict(means.select("model", "value").iter_rows())["C4.5+m"] == 2
    assert example.decision.headline == (
        "C4.5+m+cf ranks best in AUC over 14 data sets (mean rank 1.93); "
        "significantly ahead of C4.5"
    )
    assert "Holm-adjusted over 3 comparisons" in example.decision.sentence
    assert (
        "C4.5+m is significantly ahead of C4.5. C4.5+cf does not differ"
        in example.decision.sentence
    )
    nemenyi = example.comparisons.filter(comparison="nemenyi")
    assert nemenyi["critical"][0] == pytest.approx(1.2536, abs=1e-4)
    assert not nemenyi["reject"].any()


def test_results_of_a_comparison_fit_the_contract_and_can_be_read_again(example):
    text = example.to_json()
    results_validator().validate(json.loads(text))
    assert Results.from_json(text).to_json() == text


@pytest.mark.parametrize(
    ("frame", "more", "relation", "leader", "end"),
    [
        (scores(), {}, "ahead", "c", "; significantly ahead of b and a"),
        (scores(), {"baseline": "a"}, "ahead", "c", "; significantly ahead of a"),
        (scores(), {"baseline": "c"}, "ahead", "c", "; significantly ahead of b and a"),
        (scores(models=("a", "b")), {}, "ahead", "b", "; significantly ahead of a"),
        (
            scores(models=("a", "b")),
            {"better": "lower"},
            "ahead",
            "a",
            "; significantly ahead of b",
        ),
    ],
)
def test_the_headline_says_what_the_recommended_test_shows(frame, more, relation, leader, end):
    decision = evaluated(frame, **more).decision
    assert (decision.relation, decision.leader) == (relation, leader)
    assert decision.headline.startswith(f"{leader} ranks best in AUC over 12 data sets (mean rank")
    assert decision.headline.endswith(end)


def test_models_that_do_not_differ_over_data_sets_are_level():
    decision = evaluated(scores(0.0)).decision
    assert decision.relation == "level"
    assert "; no significant difference from " in decision.headline
    assert {model.standing for model in decision.models} == {"leader", "level"}


def test_too_few_data_sets_and_models_that_are_all_alike_allow_no_conclusion():
    few = evaluated(scores(count=4, models=("a", "b"))).decision
    alike = evaluated(scores().with_columns(auc=pl.lit(0.5))).decision
    for decision in (few, alike):
        assert (decision.relation, decision.state) == ("no conclusion", "inconclusive")
        assert decision.headline.startswith("No conclusion on which model is better: ")


def test_the_spec_may_choose_the_test_that_decides():
    results = evaluated(scores(count=4), comparisons={"test": "nemenyi"})
    recommended = results.comparisons.filter(recommendation="recommended")
    assert set(recommended["comparison"]) == {"nemenyi"} - set(
        results.comparisons.filter(recommendation="avoid")["comparison"]
    )
    with pytest.raises(SpecError, match="cannot decide on these data"):
        evaluated(scores(), comparisons={"test": "bonferroni_dunn"})


def test_a_margin_adds_tests_of_equivalence():
    results = evaluated(scores(0.0, 30), comparisons={"margin": 0.05})
    shown = results.comparisons.filter(comparison="equivalence")
    assert shown["reject"].all()
    assert "equivalent in AUC within a margin of 0.05" in shown["verdict"][0]


def test_values_of_another_unit_have_no_region_of_equivalence_unless_it_is_given():
    frame = scores().with_columns(pl.col("auc") * 100)
    assert not evaluated(frame).comparisons["comparison"].is_in(["bayesian_signed_rank"]).any()
    given = evaluated(frame, comparisons={"rope": 1})
    assert (
        given.comparisons.filter(comparison="bayesian_signed_rank")["against"].to_list() == [1] * 3
    )


def test_too_few_data_sets_are_told():
    results = evaluated(scores(count=4, models=("a", "b")))
    verdict = results.comparisons.filter(comparison="wilcoxon")["verdict"][0]
    assert "so few differing observations, p cannot fall below 0.125" in verdict
    assert "signed-rank test needs at least 6" in results.decision.headline


def test_a_data_set_that_lacks_a_model_is_left_out_and_told():
    results = evaluated(scores()[1:])
    assert results.data["left_out"] == ["s0"]
    assert results.data["datasets"] == 11
    assert "1 data set that lacks a value" in results.decision.caveats[-1].text


def broken(**columns: pl.Expr) -> pl.DataFrame:
    return scores().with_columns(**columns)


@pytest.mark.parametrize(
    ("frame", "error", "code"),
    [
        (pl.concat([scores(), scores()[:1]]), DataError, "repeated-value"),
        (broken(auc=pl.lit(float("inf"))), DataError, "not-finite"),
        (broken(model=pl.lit("a")).unique("set"), EmptyError, "one-model"),
        (scores()[:4], EmptyError, "too-few"),
        (broken(model=pl.lit(None, pl.String)), DataError, "missing-value"),
        (scores().drop("auc"), DataError, "missing-column"),
    ],
)
def test_a_fault_of_the_table_is_told(frame, error, code):
    with pytest.raises(error) as caught:
        evaluated(frame)
    assert code in {problem.code for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"truth": "y"}, "truth has no effect where task is comparison"),
        ({"columns": {"dataset": "s", "model": "s", "value": "v"}}, "column 's' is model and also"),
        ({"columns": {"dataset": "s", "model": "m"}}, "value"),
        ({"baselin": "a"}, "baseline"),
        ({"comparisons": {"test": "friedmann"}}, "did you mean 'friedman'?"),
        ({"comparisons": {"test": "delong"}}, "is not computed from a table of values"),
    ],
)
def test_a_fault_of_the_spec_is_told(more, message):
    with pytest.raises(SpecError) as caught:
        evaluated(scores(), **more)
    assert any(message in f"{problem.message} {problem.hint}" for problem in caught.value.problems)


def test_a_started_spec_finds_a_table_of_values_and_evaluates(tmp_path):
    scores().write_csv(tmp_path / "scores.csv")
    text = init_spec(tmp_path / "scores.csv")
    (tmp_path / "report.yaml").write_text(text, encoding="utf-8")
    assert "columns: {dataset: set, model: model, value: auc}" in text
    results = reportgen.evaluate(tmp_path / "report.yaml")
    assert results.decision == evaluated(scores()).decision


def test_an_empty_cell_is_a_data_set_without_a_value(tmp_path):
    (tmp_path / "s.csv").write_text("set,model,auc\nx,a,1\nx,b,\ny,a,1\ny,b,2\nz,a,1\nz,b,3\n")
    (tmp_path / "r.yaml").write_text(
        "data: s.csv\ntask: comparison\nmeasure: score\n"
        "columns: {dataset: set, model: model, value: auc}\n"
    )
    assert reportgen.evaluate(tmp_path / "r.yaml").data["left_out"] == ["x"]


def test_an_unknown_baseline_is_told_with_the_models_that_there_are():
    with pytest.raises(SpecError) as caught:
        evaluated(scores(), baseline="aa")
    assert "there is no model 'aa'" in str(caught.value)


def test_a_spec_of_a_comparison_fits_its_published_schema():
    schema = json.loads((SCHEMAS / "comparison.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate({**SPEC, "data": "scores.csv"}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**SPEC, "data": "scores.csv", "truth": "y"}, schema)


@pytest.fixture
def answer(capsys):
    """Run the command line and return the JSON that it prints."""

    def run(*words: str):
        with pytest.raises(SystemExit) as left:
            main([*words, "--json"])
        assert left.value.code == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_the_command_line_says_what_python_says(example, answer, tmp_path):
    spec = str(EXAMPLES / "learners" / "report.yaml")
    assert answer("check", spec)["datasets"] == 14
    [built] = answer("build", spec, "--out", str(tmp_path), "--format", "json")["builds"]
    assert built["decision"] == json.loads(example.to_json())["decision"]
    written = json.loads(
        (tmp_path / "learners" / "latest" / "results.json").read_text(encoding="utf-8")
    )
    assert written["decision"] == built["decision"]


def test_the_summary_opens_with_the_verdict_and_has_the_ranks(example):
    text = summary(example)
    assert "## C4.5+m+cf ranks best in AUC over 14 data sets (mean rank 1.93)" in text
    assert "| C4.5+m+cf | 1.93 |" in text  # not bold: it is not ahead of every other model


def test_fifteen_models_have_every_section():
    models = tuple(f"model {i}" for i in range(15))
    results = evaluated(scores(0.01, 10, models))
    assert [figure.id for figure in figures(results)] == ["leaders", "critical_difference"]
    assert [part.id for part in sections(results)] == [
        "verdict",
        "data",
        "comparisons",
        "methods",
        "provenance",
    ]


def test_bars_join_what_lies_within_the_critical_difference():
    assert within([1.0, 1.5, 3.0, 3.2, 5.0], 1.6) == [(0, 1), (1, 2), (2, 3)]
    assert within([1.0, 3.0], 1.0) == []
    ranked = [(f"m{i}", 1.0 + i) for i in range(15)]
    assert draw(ranked, [(0, 3)], 3.0).to_dict(validate=False)["width"] == 660


def test_bars_join_the_models_that_the_deciding_test_does_not_separate():
    """Nemenyi's bar would join the first three: a is always third."""
    number = pl.col("set").str.slice(1).cast(pl.Int64)
    by_model = {"a": 0.6 - number / 500, "b": 0.8, "c": 0.79 + number % 2 / 50, "d": 0.5}
    value = pl.coalesce(pl.when(pl.col("model") == m).then(v) for m, v in by_model.items())
    results = evaluated(scores(models=tuple(by_model)).with_columns(auc=value))
    rows = results.comparisons.filter(comparison="wilcoxon").to_dicts()
    apart = {frozenset(row["models"]) for row in rows if row["reject"]}
    drawn = next(figure for figure in figures(results) if figure.id == "critical_difference")

    assert (results.decision.test, len(rows)) == ("wilcoxon", 6)
    assert apart == {frozenset(pair) for pair in ("ab", "ac", "ad", "bd", "cd")}
    assert drawn.table["Bar"].to_list() == ["1", "1", "–", "–"]
    assert (
        "A bar joins models that Wilcoxon's signed-rank test does not separate at α = 0.05, "
        "corrected for 6 comparisons."
    ) in drawn.subtitle
    assert "share a letter" not in drawn.subtitle
    assert not without_chinese(results, [drawn.subtitle])


def test_a_pair_that_no_bar_can_join_shares_a_letter():
    """a ranks first, level with b and with c, which b is ahead of."""
    low = pl.col("set").str.slice(1).cast(pl.Int64) > 7
    by_model = {"a": 0.82 - low * 0.05, "b": 0.815, "c": 0.81, "d": 0.5}
    value = pl.coalesce(pl.when(pl.col("model") == m).then(v) for m, v in by_model.items())
    results = evaluated(scores(models=tuple(by_model)).with_columns(auc=value))
    drawn = next(figure for figure in figures(results) if figure.id == "critical_difference")

    assert drawn.subtitle.endswith(
        " Other pairs that it does not separate share a letter under Group on page one."
    )
    assert not without_chinese(results, [drawn.subtitle])

    three = evaluated(
        scores(models=("a", "b", "c")).with_columns(auc=value).filter(pl.col("model") != "d")
    )
    drawn = next(figure for figure in figures(three) if figure.id == "critical_difference")
    assert drawn.subtitle.endswith(" Nor does it separate a from c.")
    assert not without_chinese(three, [drawn.subtitle])


def test_folds_of_several_data_sets_count_as_one_value_of_each():
    frame = scores(models=("a", "b"))
    split = pl.concat(
        [frame.with_columns(fold=pl.lit(f), auc=pl.col("auc") + (f - 1) / 100) for f in range(3)]
    )
    columns = {"dataset": "set", "fold": "fold", "model": "model", "value": "auc"}
    results, plain = evaluated(split, columns=columns), evaluated(frame)
    for one, other in zip(
        results.comparisons.to_dicts(), plain.comparisons.to_dicts(), strict=True
    ):
        assert one["comparison"] == other["comparison"]
        assert one["p_value"] == pytest.approx(other["p_value"])
    lacking = evaluated(split.tail(-1), columns=columns)
    assert lacking.data["left_out"] == ["s0"]


def test_models_with_the_same_mean_rank_rank_best_together():
    """b is the best on one half of the data sets, c on the other; a is behind on all."""
    frame = scores().with_columns(
        auc=pl.when(pl.col("model") == "a")
        .then(0.5)
        .when((pl.col("model") == "b") == (pl.col("set").str.slice(1).cast(pl.Int64) < 6))
        .then(0.8)
        .otherwise(0.7)
    )
    results = evaluated(frame)
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.headline, "p")

    start = "b and c rank best in AUC over 12 data sets (mean rank 1.50); "
    assert (
        results.decision.headline == f"{start}{results.decision.leader} is significantly ahead of a"
    )
    assert not into.missing


def test_of_models_with_one_mean_rank_the_first_has_the_higher_mean():
    """Page one has no conclusion over five data sets, and calls no lower mean the highest."""
    values = {
        "a": (0.70, 0.90, 0.70, 0.90, 0.70),
        "b": (0.80, 0.88, 0.80, 0.70, 0.70),
        "c": (0.60, 0.60, 0.60, 0.60, 0.80),
    }
    table = pl.DataFrame({"set": [f"s{k}" for k in range(5)], **values})
    results = evaluated(table.unpivot(index="set", variable_name="model", value_name="auc"))
    decision = results.decision

    assert decision.relation == "no conclusion"
    assert decision.sentence.startswith(
        "a and b rank best in AUC over 5 data sets (mean rank 1.70)"
    )
    assert "highest AUC" not in decision.sentence
