"""Small counts cannot be worked out from what is published, and comments stay here if asked."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import reportgen
from reportgen.errors import EmptyError, SpecError, UndefinedError
from reportgen.records.withheld_parts import REASON
from reportgen.results.privacy.small_cells import OVER_ROWS
from reportgen.spec import from_dict
from tests.breadth import breadth
from tests.quick import BY_DELTA
from tests.small_counts import LEAST, SITES, aligned, as_published, counts, evaluated, rows

WITHHELD_SLICES = "slices by site are withheld for privacy, and are not compared with the limit"

OF_NEGATIVES = {"fp", "tn", "specificity", "false_positive_rate"}


@pytest.fixture(autouse=True)
def _same_time(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def test_a_slice_with_a_small_count_is_withheld_and_so_is_another_that_hides_it():
    results = evaluated(rows(SITES))

    assert results.slices["slice"].to_list() == ["site = N", "site = W"]
    assert set(counts(results, "a")) == {None, "site = N", "site = W"}
    assert [v["value"] for v in results.data["slices"][0]["values"]] == ["N", "W"]
    assert "site = E" not in results.to_json()


def test_a_gate_on_a_withheld_number_is_inconclusive_with_the_reason():
    few = {"N": (40, 10, 2, 60)}
    gates = ["a.precision >= 0.5", "a.recall by site >= 0.5", "b.auc >= 0.1"]
    results = evaluated(rows(few), gates=gates)
    withheld, sliced, _ = results.gates.to_dicts()

    assert (withheld["state"], withheld["observed"]) == ("inconclusive", None)
    assert withheld["why"] == "precision of a is withheld: it would reveal a small count"
    assert (sliced["state"], sliced["slice"]) == ("inconclusive", "site = N")
    withheld = evaluated(rows({"N": (40, 2, 20, 60), "W": (40, 20, 10, 30)}), gates=gates[1:2])
    assert withheld.gates["why"].to_list() == [WITHHELD_SLICES]
    with pytest.raises(UndefinedError, match="undefined"):  # not for the sake of small counts
        evaluated(rows({"N": (0, 0, 40, 60)}), gates=["a.precision >= 0.5"])


def test_a_gate_by_slice_does_not_pass_on_the_slices_that_are_shown():
    results = evaluated(rows(SITES), gates=["a.recall by site >= 0.1"])
    *shown, of_all = results.gates.to_dicts()

    assert [row["slice"] for row in shown] == ["site = N", "site = W"]
    assert {row["state"] for row in shown} == {"pass"}
    assert (of_all["state"], of_all["why"]) == ("inconclusive", WITHHELD_SLICES)
    assert results.decision.gates.passed == 2
    assert results.decision.state == "inconclusive"


@breadth("moved", [1, 2], 1)
def test_tables_that_differ_in_withheld_counts_alone_give_the_same_results(moved):
    """Whatever is worked out from the one is worked out from the other: neither tells the count."""
    tp, fp, fn, tn = SITES["E"]
    other_tp, other_fp, other_fn, other_tn = SITES["S"]
    moved_sites = {
        **SITES,
        "E": (tp - moved, fp, fn + moved, tn),
        "S": (other_tp + moved, other_fp, other_fn - moved, other_tn),
    }

    one, other = evaluated(rows(SITES)), evaluated(aligned(moved_sites))
    assert as_published(one) == as_published(other)


def test_a_model_with_a_small_count_keeps_every_decision_to_itself():
    """Of few false negatives over all rows neither a rate nor a difference may tell."""
    few = {site: (tp + fn, fp, 0, tn) for site, (tp, fp, fn, tn) in SITES.items()}
    published = []
    for missed in (1, 3, 4):
        tp, fp, _, tn = few["W"]
        results = evaluated(aligned({**few, "W": (tp - missed, fp, missed, tn)}))
        of_a = results.metrics.filter(pl.col("model") == "a", pl.col("value").is_not_null())
        assert set(of_a["metric"]) <= {"n", "prevalence", "no_information_rate", *OF_NEGATIVES}
        assert results.metrics.filter(pl.col("undefined") == REASON).height > 50
        assert not any("a" in names for names in results.comparisons["models"])
        assert results.curves["confusion"]["model"].unique().to_list() == ["b"]
        published.append(as_published(results))

    assert len(set(published)) == 1


@pytest.mark.parametrize(
    "seeds",
    [range(0, 40, 9), pytest.param(range(0, 40, 3), marks=pytest.mark.slow)],
    ids=["few", "many"],
)
def test_no_published_count_is_small_and_no_difference_of_sums_is_either(seeds):
    for seed in seeds:
        frame = random_rows(seed)
        results = evaluated(frame, **BY_DELTA)
        for model in "ab":
            published = counts(results, model)
            whole = published.pop(None)
            for cell in ("tp", "fp", "fn", "tn"):
                shown = [part[cell] for part in published.values() if part[cell] is not None]
                total = [] if whole[cell] is None else [whole[cell], whole[cell] - sum(shown)]
                assert all(n == 0 or n >= LEAST for n in (*shown, *total)), (seed, model, cell)
        left = frame.height - results.slices["rows"].sum()
        assert left == 0 or left >= LEAST or results.slices.is_empty()


def random_rows(seed: int) -> pl.DataFrame:
    base = pl.DataFrame({"i": pl.arange(0, 150 + 10 * seed, eager=True)})
    draw = base.select(
        y=(pl.col("i").hash(seed) % 3 == 0).cast(pl.Int8),
        u=pl.col("i").hash(seed + 1) % (4 + seed),
        v=pl.col("i").hash(seed + 2) % (3 + seed % 5),
        w=pl.col("i").hash(seed + 3) % 97,
    )
    site = pl.when(pl.col("w") < 6).then(0).otherwise(1 + pl.col("w") % (2 + seed % 4))
    return draw.select(
        "y",
        a=pl.when(pl.col("u") == 0).then(1 - pl.col("y")).otherwise("y"),
        b=pl.when(pl.col("v") == 0).then(1 - pl.col("y")).otherwise("y"),
        site=site.cast(pl.String),
    )


def test_a_slicing_by_several_columns_is_withheld_as_a_whole():
    frame = rows({**SITES, "E": SITES["N"]}).with_row_index("i")
    frame = frame.with_columns(sex=pl.when(pl.col("i") % 40 == 0).then(1).otherwise(0))
    results = evaluated(frame, slices=["site", ["site", "sex"]])

    assert results.slices["slicing"].to_list() == [["site"]] * 4


def test_a_slice_does_not_follow_from_slices_of_another_column():
    """E and S lie in one country, whose sum is published; a third site hides neither of them."""
    country = pl.col("site").replace({"E": "1", "S": "1", "N": "2", "W": "2"})
    frame = rows(SITES).with_columns(country=country)
    results = evaluated(frame, slices=["site", "country"])

    assert results.slices["slice"].to_list() == ["country = 1", "country = 2"]
    assert "site = N" not in results.to_json()


def test_streamed_counts_are_withheld_too(tmp_path: Path):
    frame = scores(0.4999).with_columns(site=pl.when(pl.col("p") < 0.1).then(1).otherwise(2))
    frame.write_parquet(tmp_path / "p.parquet")
    spec = {
        "data": str(tmp_path / "p.parquet"),
        "truth": "y",
        "engine": "streaming",
        "models": {"m": {"score": "p"}},
        "privacy": {"small_cells": LEAST},
    }
    results = reportgen.evaluate(spec)

    assert counts(results, "m")[None] == {"tp": None, "fn": None, "fp": 0, "tn": 200}
    assert not results.curves.get("roc")
    assert results.metrics.filter(pl.col("metric") == "auc")["value"].item() > 0.9


def scores(low: float) -> pl.DataFrame:
    truth = [i % 3 == 0 for i in range(300)]
    p = [0.75 + i / 4000 if t else 0.05 + i / 1500 for i, t in enumerate(truth)]
    p[0], p[3], p[6] = low, 0.47, 0.46
    q = [score**2 + (i % 7) / 50 for i, score in enumerate(p)]
    return pl.DataFrame({"y": [int(t) for t in truth], "p": p, "q": q})


def test_of_scores_only_sums_over_all_rows_move_when_a_small_count_does():
    models = {"m": {"score": "p"}, "same": {"score": "q"}}
    spec = {"truth": "y", "models": models, "privacy": {"small_cells": LEAST}}
    two, three = (reportgen.evaluate(spec, scores(p)) for p in (0.5001, 0.4999))

    assert not {"roc", "threshold", "calibration", "score_distribution"} & set(two.curves)
    keys = ["metric", "model", "value"]
    moved = two.metrics.select(keys).join(three.metrics.select(keys), on=keys, how="anti")
    assert set(moved.drop_nulls()["metric"]) <= OVER_ROWS
    assert (
        two.metrics.filter(pl.col("metric") == "auc", pl.col("model") == "m")["value"].item() > 0.9
    )
    assert two.dominance.is_empty()


def test_a_class_with_few_rows_is_refused():
    with pytest.raises(EmptyError, match="small-cells"):
        evaluated(rows({"N": (2, 20, 1, 60), "E": (1, 20, 0, 60)}))


def test_a_table_of_values_has_no_counts_of_rows():
    values = {"columns": {"dataset": "d", "model": "m", "value": "v"}}

    with pytest.raises(SpecError, match="small_cells"):
        from_dict({"task": "comparison", **values, "privacy": {"small_cells": 5}})


@pytest.mark.parametrize("ids", ["shown", "hashed"])
def test_what_has_no_effect_is_not_taken(ids):
    with pytest.raises(SpecError, match=f"ids: {ids} has no effect"):
        from_dict({"truth": "y", "models": {"m": {"score": "p"}}, "privacy": {"ids": ids}})


def test_checks_of_the_data_name_no_slice_and_count_no_few_rows():
    frame = rows({**SITES, "n": SITES["N"], "s ": (3, 2, 1, 2)}).with_row_index("i")
    fold = pl.when(pl.col("i") > 2).then(pl.col("i") % 4)
    frame = frame.with_columns(fold=fold)
    names = {check["name"] for check in evaluated(frame, columns={"fold": "fold"}).data["checks"]}
    of_all = evaluated(frame, columns={"fold": "fold"}, privacy={}).data["checks"]

    assert {check["name"] for check in of_all} - names == {
        "look-alike names",
        "rows without a fold",
    }


WEIGHTED = {"columns": {"weight": "w"}}


def test_of_one_class_the_measures_stay_where_only_the_other_has_a_small_count():
    few = {site: (tp + fn, fp, 0, tn) for site, (tp, fp, fn, tn) in SITES.items()}
    tp, fp, _, tn = few["W"]
    results = evaluated(aligned({**few, "W": (tp - 3, fp, 3, tn)}))

    of_all = results.metrics.filter(pl.col("slice").is_null(), pl.col("model") == "a")
    values = dict(of_all.select("metric", "value").iter_rows())
    assert {name: values[name] for name in ("fp", "tn")} == {"fp": 34, "tn": 245}
    assert values["specificity"] == pytest.approx(245 / 279)
    assert [values[name] for name in ("tp", "fn", "recall", "precision", "accuracy")] == [None] * 5


@breadth("weight", [0.01, 40.0], 1)
def test_rows_decide_and_not_their_weights(weight):
    """Three rows are few whatever they weigh, and sixty are many."""
    few = {site: (tp + fn, fp, 0, tn) for site, (tp, fp, fn, tn) in SITES.items()}
    tp, fp, _, tn = few["W"]
    three, many = (aligned(sites) for sites in ({**few, "W": (tp - 3, fp, 3, tn)}, SITES))

    shown = counts(evaluated(three.with_columns(w=pl.lit(weight)), **WEIGHTED), "a")
    expected = {"tp": None, "fn": None, "fp": 34 * weight, "tn": 245 * weight}
    assert shown[None] == pytest.approx(expected)
    assert "site = N" not in shown or set(shown["site = N"].values()) == {None}
    results = evaluated(many.with_columns(w=pl.lit(weight)), **WEIGHTED)
    assert counts(results, "a")[None]["fn"] == pytest.approx(30 * weight)
    assert results.slices["slice"].to_list() == ["site = N", "site = W"]


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_no_small_count_follows_from_results(weighted):
    """Whatever such a count is, up to the least that is published, the results are the same."""
    seen, seeds = 0, (0, 20, 35)
    for seed in seeds:
        frame = random_rows(seed)
        for truth in (0, 1):
            of_class = [i for i, y in enumerate(frame["y"]) if y == truth]
            published = {text(frame, of_class[:few], weighted=weighted) for few in (1, 2, 4)}
            assert len(published) == 1, (seed, truth)
            seen += REASON in published.pop()
    assert seen == 2 * len(seeds)


def text(frame: pl.DataFrame, wrong: list[int], *, weighted: bool) -> str:
    """The results where a errs in these rows alone of a class, and as b does in the other."""
    truth = frame["y"][wrong[0]]
    at = pl.arange(0, frame.height)
    a = (
        pl.when(pl.col("y") != truth)
        .then("b")
        .when(at.is_in(wrong))
        .then(1 - pl.col("y"))
        .otherwise("y")
    )
    frame = frame.with_columns(a=a, w=1 + at % 3)
    results = evaluated(frame, **(WEIGHTED if weighted else {}))
    return as_published(results)


def test_an_example_in_several_rows_counts_once():
    """In ten repeats thirty errors are those of three examples."""
    once = rows({site: (tp + fn, fp, 0, tn) for site, (tp, fp, fn, tn) in SITES.items()})
    missed = pl.Series(range(once.height)).is_in([0, 1, 2])
    once = once.with_columns(a=pl.when(missed).then(0).otherwise("a"))
    again = pl.concat([once.with_row_index("id").with_columns(repeat=pl.lit(k)) for k in range(10)])

    repeated = evaluated(again, columns={"id": "id", "repeat": "repeat"})
    assert counts(repeated, "a")[None]["fn"] is None
    assert counts(repeated, "b")[None]["fn"] > 10 * LEAST


def test_how_few_rows_two_models_differ_in_is_not_told():
    """Each errs in many rows, and nearly always in the same ones."""
    published = []
    for apart in (1, 3, 4):
        frame = rows(SITES).with_row_index("i").with_columns(b="a")
        right = [i for i, y, a in frame.select("i", "y", "a").rows() if y == a == 1]
        wrong = [i for i, y, a in frame.select("i", "y", "a").rows() if y == 1 and a == 0]
        turned = pl.col("i").is_in(right[:apart] + wrong[:apart])
        frame = frame.with_columns(b=pl.when(turned).then(1 - pl.col("b")).otherwise("b"))
        results = evaluated(frame.drop("i"), slices=[])
        assert counts(results, "a")[None] == counts(results, "b")[None]
        assert results.comparisons.is_empty()
        published.append(as_published(results))

    assert len(set(published)) == 1


def test_files_of_a_build_name_no_withheld_slice_and_no_comment(tmp_path: Path):
    rows(SITES).write_csv(tmp_path / "p.csv")
    (tmp_path / "notes.md").write_text("Seen.\n\n<!-- bait-note -->\n")
    (tmp_path / "report.yaml").write_text(
        "data: p.csv # bait-spec\ntruth: y\npositive: 1\nmodels: {a: {label: a}, b: {label: b}}\n"
        "slices: [site]\n# bait-line\nprivacy: {small_cells: 5, comments: dropped}\n"
        "sections: [verdict, slices, provenance, {markdown: notes.md}]\n"
        "output: {formats: [html, json, markdown]}\nbootstrap: {replicates: 0}\n"
    )
    built = reportgen.build(tmp_path / "report.yaml")

    for path in built.path.iterdir():
        text = path.read_text()
        assert "bait" not in text, path.name
        assert "site = E" not in text, path.name
    assert json.loads(built.files["json"].read_text())["spec"]["text"].startswith("data: p.csv\n")


@breadth("part", ["fold", "dataset"], 1)
def test_how_few_rows_a_fold_has_is_not_told(part):
    """Means over folds would tell it, and so would whether tests and limits are over folds."""
    at, models = pl.col("i"), {"a": {"score": "p"}, "b": {"score": "q"}, "c": {"label": "a"}}
    frame = (
        rows(SITES)
        .with_row_index("i")
        .with_columns(
            p=pl.col("y") / 4 + at.hash(1) % 997 / 1400, q=pl.col("y") / 5 + at.hash(2) % 997 / 1300
        )
    )
    published = {
        as_published(
            evaluated(
                frame.with_columns(part=pl.when(at < few).then(9).otherwise(at % 3)).drop("i"),
                slices=[],
                columns={part: "part"},
                models=models,
            )
        )
        for few in (1, 2, 4)
    }

    assert len(published) == 1


def test_how_few_rows_a_role_has_is_not_told():
    published = set()
    for few in (1, 2, 4):
        frame = rows(SITES).with_row_index("i")
        role = pl.when(pl.col("i") < few).then(pl.lit("validation"))
        role = role.when(pl.col("i") < 20).then(pl.lit("train")).otherwise(pl.lit("test"))
        frame = frame.with_columns(role=role).drop("i")
        published.add(as_published(evaluated(frame, slices=[], columns={"role": "role"})))

    assert len(published) == 1


def test_resampled_limits_of_class_sizes_do_not_tell_a_withheld_cell():
    """Of three classes a resample draws cells, so that its last digits tell how large they are."""
    published = set()
    for few in (1, 2, 4):
        at = pl.arange(0, 300)
        y, first = at.hash(5) % 20 % 3, (at.hash(5) % 20 % 3 == 0).cum_sum()
        a = pl.when((y == 0) & (first <= few)).then(1).when((y == 0) & (first <= 30)).then(2)
        frame = pl.select(
            y=y, a=a.otherwise(y), b=pl.when(at % 7 == 0).then((y + 1) % 3).otherwise(y)
        )
        spec = {"positive": None, "slices": [], "bootstrap": {"replicates": 50}}
        published.add(as_published(evaluated(frame, **spec)))

    assert len(published) == 1
