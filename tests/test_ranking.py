"""Comparisons over data sets: spec, data, results, report."""

from __future__ import annotations

import json

import jsonschema
import polars as pl
import pytest

import reportgen
import reportgen.spec
from reportgen.charts import figures
from reportgen.charts.critical_difference import cliques, draw
from reportgen.cli import main
from reportgen.errors import DataError, EmptyError, SpecError
from reportgen.render import summary
from reportgen.resources import EXAMPLES, SCHEMAS
from reportgen.results import Results
from reportgen.results.contract import results_schema
from reportgen.sections import sections

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
    return reportgen.evaluate(EXAMPLES / "learners" / "report.yaml")


def test_the_example_says_what_demsar_found(example):
    means = example.metrics.filter(metric="mean_rank")
    assert dict(means.select("model", "value").iter_rows())["C4.5+m"] == 2
    assert example.verdict["headline"] == "C4.5+m+cf and C4.5+m are better than C4.5 in AUC"
    nemenyi = example.comparisons.filter(comparison="nemenyi")
    assert nemenyi["critical"][0] == pytest.approx(1.2536, abs=1e-4)
    assert not nemenyi["reject"].any()


def test_results_of_a_comparison_fit_the_contract_and_can_be_read_again(example):
    text = example.to_json()
    jsonschema.validate(json.loads(text), results_schema())
    assert Results.from_json(text).to_json() == text


@pytest.mark.parametrize(
    ("frame", "more", "decision", "headline"),
    [
        (scores(), {}, "better", "c ranks best in AUC, and is better than b and a"),
        (scores(), {"baseline": "a"}, "better", "c and b are better than a in AUC"),
        (
            scores(),
            {"baseline": "c"},
            "worse",
            "No model is better than c in AUC; b and a are worse",
        ),
        (scores(0.0), {}, "not shown", "No model is shown to be the best in AUC"),
        (scores(models=("a", "b")), {}, "better", "b is better than a in AUC"),
        (
            scores(models=("a", "b")),
            {"better": "lower"},
            "better",
            "a is better than b in AUC",
        ),
        (
            scores(count=4, models=("a", "b")),
            {},
            "not shown",
            "No difference in AUC between b and a is shown",
        ),
        (
            scores().with_columns(auc=pl.lit(0.5)),
            {},
            "undefined",
            "a, b and c could not be compared",
        ),
    ],
)
def test_the_verdict_says_what_the_recommended_test_shows(frame, more, decision, headline):
    found = evaluated(frame, **more)
    assert found.verdict["decision"] == decision
    assert found.verdict["headline"] == headline


def test_the_spec_may_choose_the_test_that_decides():
    found = evaluated(scores(count=4), comparisons={"test": "nemenyi"})
    told = found.comparisons.filter(standing="recommended")
    assert set(told["comparison"]) == {"iman_davenport", "nemenyi"} - set(
        found.comparisons.filter(standing="avoid")["comparison"]
    )
    with pytest.raises(SpecError, match="decides nothing about this table"):
        evaluated(scores(), comparisons={"test": "bonferroni_dunn"})


def test_a_margin_adds_tests_of_equivalence():
    found = evaluated(scores(0.0, 30), comparisons={"margin": 0.05})
    shown = found.comparisons.filter(comparison="equivalence")
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
    told = evaluated(scores(count=4, models=("a", "b"))).verdict["sentence"]
    assert "so few observations that differ p cannot fall below 0.125" in told


def test_a_data_set_that_lacks_a_model_is_left_out_and_told():
    found = evaluated(scores()[1:])
    assert found.data["left_out"] == ["s0"]
    assert found.data["datasets"] == 11
    assert "1 data set that lacks a value" in found.verdict["caveats"][-1]


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
    ("more", "told"),
    [
        ({"truth": "y"}, "truth says nothing where task is comparison"),
        ({"columns": {"dataset": "s", "model": "s", "value": "v"}}, "column 's' is model and also"),
        ({"columns": {"dataset": "s", "model": "m"}}, "value"),
        ({"baselin": "a"}, "baseline"),
        ({"comparisons": {"test": "friedmann"}}, "did you mean 'friedman'?"),
        ({"comparisons": {"test": "delong"}}, "is not made of a table of values"),
    ],
)
def test_a_fault_of_the_spec_is_told(more, told):
    with pytest.raises(SpecError) as caught:
        evaluated(scores(), **more)
    assert any(told in f"{problem.message} {problem.help}" for problem in caught.value.problems)


def test_a_started_spec_finds_a_table_of_values_and_evaluates(tmp_path):
    scores().write_csv(tmp_path / "scores.csv")
    text = reportgen.spec.init_spec(tmp_path / "scores.csv")
    (tmp_path / "report.yaml").write_text(text, encoding="utf-8")
    assert "columns: {dataset: set, model: model, value: auc}" in text
    found = reportgen.evaluate(tmp_path / "report.yaml")
    assert found.verdict == evaluated(scores()).verdict


def test_an_empty_cell_is_a_data_set_without_a_value(tmp_path):
    (tmp_path / "s.csv").write_text("set,model,auc\nx,a,1\nx,b,\ny,a,1\ny,b,2\nz,a,1\nz,b,3\n")
    (tmp_path / "r.yaml").write_text(
        "data: s.csv\ntask: comparison\ncolumns: {dataset: set, model: model, value: auc}\n"
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
def told(capsys):
    """Run the command line and return the JSON that it prints."""

    def run(*words: str):
        with pytest.raises(SystemExit) as left:
            main([*words, "--json"])
        assert left.value.code == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_the_command_line_says_what_python_says(example, told, tmp_path):
    spec = str(EXAMPLES / "learners" / "report.yaml")
    assert told("check", spec)["datasets"] == 14
    [built] = told("build", spec, "--out", str(tmp_path), "--format", "json")["builds"]
    assert built["verdict"] == example.verdict
    written = json.loads((tmp_path / "latest" / "results.json").read_text(encoding="utf-8"))
    assert written["verdict"] == example.verdict


def test_the_summary_opens_with_the_verdict_and_has_the_ranks(example):
    text = summary(example)
    assert "## C4.5+m+cf and C4.5+m are better than C4.5 in AUC" in text
    assert "| C4.5+m+cf | 1.93 |" in text


def test_fifteen_models_have_every_section():
    models = tuple(f"model {i}" for i in range(15))
    found = evaluated(scores(0.01, 10, models))
    assert [figure.id for figure in figures(found)] == ["critical_difference"]
    assert [part.id for part in sections(found)] == [
        "verdict",
        "data",
        "comparisons",
        "methods",
        "provenance",
    ]


def test_bars_join_what_lies_within_the_critical_difference():
    assert cliques([1.0, 1.5, 3.0, 3.2, 5.0], 1.6) == [(0, 1), (1, 2), (2, 3)]
    assert cliques([1.0, 3.0], 1.0) == []
    ranked = [(f"m{i}", 1.0 + i) for i in range(15)]
    assert draw(ranked, 3.0).to_dict(validate=False)["width"] == 660
