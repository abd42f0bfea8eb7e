"""The catalogue and the reference page say what the registries hold and what reports do."""

from __future__ import annotations

import json
import runpy
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest

from reportgen.cli import collected, entries, main
from reportgen.cli.catalogue import GROUPS
from reportgen.comparisons import CORRECTIONS, TESTS
from reportgen.metric_names import ALIASES
from reportgen.metrics import REGISTRY
from reportgen.tables import CURVES
from tests import charts_results, charts_tasks

REFERENCE = runpy.run_path(str(Path(__file__).parents[1] / "tools/reference.py"))
PUBLISHED = entries.entries()
RESULTS = {
    "binary": charts_results.rich,
    "multiclass": charts_tasks.classes,
    "multilabel": charts_tasks.labelled,
    "regression": charts_tasks.estimated,
}


@pytest.fixture
def run(capsys):
    """Run ``reportgen catalogue``; return exit code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["catalogue", *words])
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return run


def test_the_published_catalogue_is_what_the_registries_hold():
    assert entries.PUBLISHED.read_text(encoding="utf-8") == collected.rendered(), (
        "run: make schemas"
    )


def test_the_reference_page_is_what_the_registries_hold():
    page = REFERENCE["PAGE"].read_text(encoding="utf-8")

    assert page == REFERENCE["rendered"](), "run: make schemas"


def test_the_catalogue_has_everything_that_has_a_name():
    names = {entry["name"] for entry in PUBLISHED}
    metrics = {name for registry in REGISTRY.values() for name in registry}

    assert metrics | set(CURVES) | set(TESTS) | set(CORRECTIONS) <= names
    assert {entry["group"] for entry in PUBLISHED} == set(GROUPS)


def test_an_entry_says_what_a_reader_asks():
    unsourced = {"score_distribution", "threshold", "estimates", "estimates_in_time", "none"}
    for entry in PUBLISHED:
        where = f"{entry['tasks'][0]}-{entry['name']}"
        assert entry["summary"].endswith("."), where
        if "bounds" in entry:
            assert entry["formula"], where
            assert entry["undefined"], where
        assert entry["reference"] or entry["name"] in unsourced, where


@pytest.mark.parametrize("task", RESULTS)
def test_a_report_makes_the_intervals_that_the_catalogue_claims(task):
    intervals = {entry["name"]: entry.get("interval") for entry in entries.entries(task)}
    intervals |= {
        e["name"]: e["interval"] for e in PUBLISHED if "bounds" in e and e["tasks"][0] == task
    }
    whole = RESULTS[task]().metrics.filter(
        pl.col("value").is_not_null() & pl.all_horizontal(pl.col("slice", "class").is_null())
    )
    seen: dict[str, set[str]] = defaultdict(set)
    for metric, average, method in whole.select("metric", "average", "interval").iter_rows():
        if average is None and method is not None:
            seen[metric].add(method)
    assert seen
    for name, methods in seen.items():
        instead = {"bootstrap percentile"} if intervals[name] == "bootstrap BCa" else set()
        assert methods <= {intervals[name], *instead}, name


@pytest.mark.parametrize("task", RESULTS)
def test_a_report_has_the_curves_and_tests_that_the_catalogue_claims(task):
    results = RESULTS[task]()
    claimed = {
        group: {entry["name"] for entry in entries.entries(task) if entry["group"] == group}
        for group in ("curve", "comparison")
    }

    in_time = {"estimates_in_time"} if task == "regression" else set()  # which these rows lack
    assert set(results.curves) == claimed["curve"] - in_time
    assert set(results.comparisons["comparison"]) <= claimed["comparison"]


def test_a_list_for_one_task_has_nothing_of_the_others(run):
    code, out, _ = run("--task", "regression")

    assert code == 0
    assert "\n  winkler_score " in out
    assert "\n  residual_quantiles " in out
    assert "\n  auc " not in out


def test_a_name_of_two_tasks_is_explained_for_both_or_for_the_one_that_is_wanted(run):
    both, one = (run("accuracy", *more)[1] for more in ((), ("--task", "multiclass")))

    assert "(TP + TN) / n" in both
    assert both.endswith(one)
    assert "Σ TPₖ / n" in one


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("RMSE", "root_mean_squared_error"),
        ("sensitivity", "recall"),
        ("ROC-AUC", "auc"),
        ("bootstrap-bca", "bootstrap bca"),
    ],
)
def test_other_names_of_the_field_are_understood(run, word, name):
    entries = json.loads(run(word, "--json")[1])["catalogue"]

    assert [entry["name"] for entry in entries] == [name]


def test_every_alias_is_of_something_and_hides_nothing():
    names = {entry["name"] for entry in PUBLISHED}

    assert set(ALIASES.values()) <= names
    assert not set(ALIASES) & names


def test_tables_of_values_have_their_tests_and_corrections(run):
    entries = json.loads(run("--task", "comparison", "--json")[1])["catalogue"]

    names = {entry["name"] for entry in entries}
    assert {"friedman", "wilcoxon", "corrected_resampled_t", "holm"} <= names
    assert not {"delong", "auc", "roc"} & names


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["precsion"], "did you mean 'precision'?"),
        (["winkler", "--task", "regression"], "did you mean 'winkler_score'?"),
        (["zzzz"], "reportgen catalogue lists every name"),
        (["auc", "--task", "regression"], "it is for binary, multiclass, multilabel"),
    ],
)
def test_a_name_that_there_is_not_leads_to_one_that_there_is(run, words, hint):
    code, _, err = run(*words)

    assert code == 2
    assert hint in err
