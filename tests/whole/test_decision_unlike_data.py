"""What a hostile reader of reports on thirty unlike data sets found, each kept out by a rule."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl

from reportgen.charts import figures
from reportgen.results import Results, evaluate
from reportgen.sections import sections, summary
from reportgen.sections.data import facts
from reportgen.sections.gates import gates_table
from tests.quick import QUICK

Columns = dict[str, Any]


def scored(seed: int, rows: int, signals: dict[str, float], **more: Any) -> Results:
    """Models with signals of these strengths on random rows, with further ``extra`` columns."""
    random = np.random.default_rng(seed)
    truth = random.random(rows) < 0.5
    scores = {
        m: 1 / (1 + np.exp(-s * (2 * truth - 1) - random.normal(size=rows)))
        for m, s in signals.items()
    }
    extra: Columns = more.pop("extra", {})
    scores |= {name: scores[column] for name, column in more.pop("copies", {}).items()}
    models = {m: {"score": m} for m in scores}
    frame = pl.DataFrame({"y": truth.astype(int), **scores, **extra})
    spec = {"truth": "y", "models": models, **QUICK}
    return evaluate(spec | more, frame)


def over_folds(**more: Any) -> Results:
    """Three models in five folds, with slices of 1, 59 and 60 rows."""
    rows = np.arange(120)
    site = np.where(rows == 0, "island", np.where(rows % 2 == 1, "north", "south"))
    extra = {"fold": rows % 5, "site": site}
    return scored(
        4,
        120,
        {"a": 1.2, "b": 0.9, "c": 0.8},
        extra=extra,
        columns={"fold": "fold"},
        slices=["site"],
        **more,
    )


def test_a_gate_by_slice_reads_the_rows_of_each_slice_also_over_folds():
    """Slices have no means over folds: the gate was inconclusive by an internal name."""
    for measure in ("accuracy", "auc"):
        results = over_folds(gates=[f"a.{measure} by site >= 0.5", f"a.{measure} >= 0.5"])
        by_slice = results.gates.filter(pl.col("slice").is_not_null())
        of_slice = results.metrics.filter(
            pl.col("slice").is_not_null(), pl.col("average").is_null(), model="a", metric=measure
        )
        assert by_slice["observed"].to_list() == of_slice["value"].to_list()
        assert set(by_slice["basis"]) == {"pooled rows"}


def test_a_reason_that_holds_for_some_slices_names_them():
    results = over_folds(gates=["a.accuracy by site >= 0.75", "a.auc by site >= 0.5"])
    table = gates_table(results)
    assert table is not None
    assert "Distance to limit" in [column.label for column in table.columns]
    notes = [note for note in table.notes if note.startswith("Inconclusive, ")]
    assert len(notes) == 2
    for row in results.gates.filter(state="inconclusive").to_dicts():
        assert any(f"{row['gate']} [{row['slice']}]" in note for note in notes)


def test_a_model_with_the_same_value_as_the_leader_is_named_with_it():
    results = scored(3, 90, {"one": 1.0, "reversed": -1.0}, copies={"copy": "one"})
    headline = results.decision.headline
    assert headline.startswith("one and copy have the same AUC, 0.9")
    assert re.search(r"; reversed is 0\.\d+ lower than one \(", headline)


def test_what_is_ruled_out_among_several_models_is_about_the_leader():
    """Two models of which neither leads may differ by more than the leader from either."""
    results = scored(5, 200, {"a": 1.0, "b": 0.9, "c": 0.95})
    assert results.decision.relation == "level"
    leader = results.decision.leader
    assert f" between {leader} and the others are ruled out" in results.decision.sentence


def test_two_models_of_labels_have_no_majority_to_disagree_with():
    random = np.random.default_rng(1)
    frame = pl.DataFrame({k: random.integers(0, 2, 60) for k in "yabc"})

    def measure(*models: str) -> str:
        spec = {"truth": "y", "models": {m: {"label": m} for m in models}, **QUICK}
        rows = evaluate(spec, frame).notable_rows
        return str(rows.filter(kind="disagreement")["measure"][0])

    assert "majority" not in measure("a", "b")
    assert "majority" in measure("a", "b", "c")


def test_few_data_sets_do_not_make_the_p_values_of_exact_tests_approximate():
    rows = [
        {"d": d, "m": m, "v": 0.7 + 0.01 * d + bonus * (1 + d % 2)}
        for d in range(7)
        for m, bonus in (("old", 0.0), ("new", 0.02))
    ]
    spec = {
        "task": "comparison",
        "columns": {"dataset": "d", "model": "m", "value": "v"},
        "measure": "auc",
    }
    texts = [c.text for c in evaluate(spec, pl.DataFrame(rows)).decision.caveats]
    assert "Only 7 data sets: differences that matter may go undetected." in texts


def labels_of(models: str, **more: Any) -> Results:
    random = np.random.default_rng(1)
    frame = pl.DataFrame({k: random.integers(0, 2, 60) for k in f"y{models}"})
    spec = {"truth": "y", "models": {m: {"label": m} for m in models}, **QUICK}
    return evaluate(spec | more, frame)


def test_models_without_scores_have_no_most_confident_errors():
    part = next(p for p in sections(labels_of("ab"), []) if p.id == "rows")
    assert "confident" not in part.introduction
    assert part.introduction.startswith("Frequent causes of errors are")


def test_a_reason_of_several_models_is_in_the_plural():
    several, one = summary.text(labels_of("ab")), summary.text(labels_of("a"))
    assert "Ranking measures are left out: the models give labels, not scores." in several
    assert "Ranking measures are left out: the model gives labels, not scores." in one


def test_labels_are_not_called_classes_and_two_models_have_no_minority():
    random = np.random.default_rng(2)
    truth = random.random((90, 2)) < 0.4
    columns: Columns = {f"y{k}": truth[:, k].astype(int) for k in range(2)}
    for model in "ab":
        noise = random.normal(size=(90, 2))
        columns |= {
            f"{model}{k}": 1 / (1 + np.exp(-2 * truth[:, k] - noise[:, k])) for k in range(2)
        }
    models = {m: {"scores": {"k0": f"{m}0", "k1": f"{m}1"}} for m in "ab"}
    results = evaluate({"truth": {"k0": "y0", "k1": "y1"}, "models": models}, pl.DataFrame(columns))

    figure = next(f for f in figures(results) if f.id == "class_calibration")
    assert figure.title.startswith("Lowest label-wise calibration error: ")
    disagreement = results.notable_rows.filter(kind="disagreement")
    assert set(disagreement["measure"]) == {
        ("number of labels that the two models decide differently")
    }


def test_measures_with_a_table_of_their_own_are_not_said_to_be_left_out():
    """Of labels the cost per row is in the section of costs, the cost curve has no value."""
    text = summary.text(labels_of("ab"))
    assert "Ranking measures are left out" in text
    assert "Cost measures are left out" not in text


def test_weighted_counts_of_a_confusion_table_are_said_to_be_sums_of_weights():
    random = np.random.default_rng(3)
    frame = pl.DataFrame({k: random.integers(0, 2, 60) for k in "ya"} | {"w": [2.0] * 60})
    spec = {"truth": "y", "models": {"a": {"label": "a"}}, **QUICK}
    for columns, expected in (({}, False), ({"weight": "w"}, True)):
        results = evaluate(spec | {"columns": columns}, frame)
        subtitle = next(f.subtitle for f in figures(results) if f.id == "confusion_0")
        assert subtitle.endswith("Counts are sums of weights.") == expected


def test_rows_without_weight_are_the_reason_that_not_all_are_evaluated():
    frame = pl.DataFrame({"y": [0, 1] * 20, "a": [0, 1] * 20, "w": [0.0] * 5 + [1.0] * 35})
    spec = {"truth": "y", "models": {"a": {"label": "a"}}, "columns": {"weight": "w"}}
    (rows,) = (fact.value for fact in facts(evaluate(spec, frame).data) if fact.name == "Rows")
    assert rows == "40, of which 35 evaluated; 5 rows of weight 0 left out"
