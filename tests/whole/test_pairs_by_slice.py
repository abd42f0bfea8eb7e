"""Differences between two models by slice: against outside programs, and on page one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import sem, ttest_ind

import reportgen
from reportgen.comparisons import Question, area_covariance, delong_pair
from reportgen.records.model import Results
from reportgen.sections import lookup
from reportgen.sections.slices import SlicesSection
from reportgen.sections.tables import Note
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.breadth import breadth
from tests.page_text import without_chinese
from tests.quick import QUICK
from tests.simulations.pairs_by_slice import Design, rejected

SPEC = {
    "truth": "y",
    "models": {"forest": {"score": "a"}, "boost": {"score": "b"}},
    "slices": ["region"],
    **QUICK,
}
ROWS = 1_200


def regions(south: float, rows: int = ROWS) -> pl.DataFrame:
    """Forest is better but in the south, where the noise of boost is ``south``."""
    random = np.random.default_rng(5)
    region = random.choice(["east", "north", "south"], rows, p=[0.3, 0.4, 0.3])
    signal = random.normal(size=rows)
    truth = signal + random.normal(size=rows) > 0.3
    noise = np.where(region == "south", south, 2.0)
    a = signal + 0.6 * random.normal(size=rows)
    b = signal + noise * random.normal(size=rows)
    scores = {name: 1 / (1 + np.exp(-one)) for name, one in (("a", a), ("b", b))}
    group = np.arange(rows) // 4
    return pl.DataFrame({"y": truth.astype(int), **scores, "region": region, "group": group})


def record(results, metric):
    (one,) = [one for one in results.data["pairs_by_slice"] if one["metric"] == metric]
    return one


def reversed_slices(results):
    return [c.text for c in results.decision.caveats if c.code == "reversed_in_slice"]


def test_page_one_names_the_slice_in_which_the_leader_is_beaten():
    results = reportgen.evaluate(SPEC, regions(0.1))

    assert results.decision.leader == "forest"
    (text,) = reversed_slices(results)
    assert text.startswith("boost beats forest in region = south: AUC 0.0")
    (varies,) = record(results, "auc")["varies"]
    assert varies["p_adjusted"] < 0.001
    assert varies["p_report"] >= varies["p_value"]
    section = SlicesSection.from_results(results, [])
    (table,) = section.differences
    assert [row.cells["slice"] for row in table.rows] == ["east", "north", "south"]
    assert "Variation by slice, adjusted p: forest − boost < 0.001." in table.notes
    assert section.findings[-1].startswith(
        "The difference in AUC between forest and boost varies by region: from −0."
    )
    (table,) = section.differences
    assert [row.cells["slice"] for row in table.rows][:3] == ["east", "north", "south"]


SITES = ("one", "three", "two")


def sites(reversed_in: int) -> pl.DataFrame:
    """Boost knows the site alone, forest the rows of so many of the three sites."""
    random = np.random.default_rng(7)
    place = np.repeat(np.arange(3), 400)
    truth = random.random(1_200) < np.array([0.1, 0.5, 0.9])[place]
    b = np.array([0.1, 0.5, 0.9])[place]
    knows = place < reversed_in
    a = np.where(knows & truth, 0.5, 0.4) + 0.08 * random.normal(size=1_200)
    site = np.array(SITES)[place]
    return pl.DataFrame({"y": truth.astype(int), "a": a, "b": b, "site": site})


@pytest.mark.parametrize(("reversed_in", "where"), [(3, "every slice"), (2, "2 of the 3 slices")])
def test_the_verdict_says_that_the_leader_is_beaten_in_most_slices(reversed_in, where):
    results = reportgen.evaluate({**SPEC, "slices": ["site"]}, sites(reversed_in))

    assert results.decision.leader == "boost"
    assert results.decision.headline.endswith(
        f"; forest is significantly ahead of it in {where} of site"
    )
    (text,) = reversed_slices(results)
    assert text.endswith("The lead of boost over all rows is between slices, not within them.")
    assert [text.count(f"forest beats boost in site = {one}: AUC 0.") for one in SITES] == [
        int(k < reversed_in) for k in range(3)
    ]
    assert lookup.clean(text) in SlicesSection.from_results(results, []).findings
    into = translator("zh", names_of(results.to_dict()))
    for sentence in (results.decision.headline, text):
        into.text(sentence)
    assert not into.missing


def test_a_lead_that_no_slice_shows_is_between_slices():
    """Unfair ranks the rows of each site as fair does, those of one site below the others."""
    random = np.random.default_rng(2)
    site, signal = np.arange(900) % 3, random.normal(size=900)
    truth = signal + random.normal(size=900) > 0
    scores = {"a": signal, "b": signal - 1.5 * (site == 2)}
    frame = pl.DataFrame({"y": truth.astype(int), **scores, "site": np.array(SITES)[site]})
    models = {"fair": {"score": "a"}, "unfair": {"score": "b"}}
    results = reportgen.evaluate({**SPEC, "models": models, "slices": ["site"]}, frame)

    assert results.decision.relation == "ahead"
    assert [(one["value"], one["low"]) for one in record(results, "auc")["slices"]] == [
        (0, None)
    ] * 3
    (text,) = reversed_slices(results)
    assert text == "The lead of fair over unfair is between the slices of site, not within them."
    (table,) = SlicesSection.from_results(results, []).differences
    assert [row.cells["slice"] for row in table.rows] == list(SITES)
    why = "No limits: the difference is the same for every row of the slice."
    assert table.notes[0] == Note(why, "a")
    assert not without_chinese(results, [text, why])


def shifted(sizes: dict[str, int], noise_in: str = "") -> Results:
    """Fair, and unfair, which ranks the rows of south alike but lower, those of one site worse."""
    random = np.random.default_rng(2)
    site = np.repeat(list(sizes), list(sizes.values()))
    signal, noise = random.normal(size=(2, len(site)))
    truth = signal + random.normal(size=len(site)) > 0
    unfair = signal - 1.5 * (site == SITES[2]) + noise * (site == noise_in)
    frame = pl.DataFrame({"y": truth.astype(int), "a": signal, "b": unfair, "site": site})
    models = {"fair": {"score": "a"}, "unfair": {"score": "b"}}
    return reportgen.evaluate({**SPEC, "models": models, "slices": ["site"]}, frame)


def test_a_lead_that_one_slice_shows_is_not_between_slices():
    results = shifted(dict.fromkeys(SITES, 300), noise_in=SITES[0])

    assert results.decision.relation == "ahead"
    assert not any("between the slices" in text for text in reversed_slices(results))


def test_slices_that_leave_out_many_rows_do_not_show_where_a_lead_is():
    """The sites of one row each have no AUC, and may hold the lead."""
    sites = dict.fromkeys(SITES, 150) | {f"single {k}": 1 for k in range(60)}
    results = shifted(sites)

    assert results.decision.relation == "ahead"
    assert not reversed_slices(results)


def test_a_lead_within_slices_is_not_said_to_be_between_them():
    assert not reversed_slices(reportgen.evaluate(SPEC, regions(1.0)))


def test_a_leader_that_is_beaten_in_a_minority_of_slices_keeps_its_verdict():
    results = reportgen.evaluate({**SPEC, "slices": ["site"]}, sites(1))

    assert "slice" not in results.decision.headline


def test_half_of_the_slices_are_not_most_of_them():
    """Boost knows the site alone, forest the rows of two of the four sites."""
    random, shares = np.random.default_rng(7), np.array([0.1, 0.4, 0.6, 0.9])
    place = np.repeat(np.arange(4), 400)
    truth = random.random(1_600) < shares[place]
    a = np.where((place < 2) & truth, 0.5, 0.4) + 0.08 * random.normal(size=1_600)
    site = np.array(["s1", "s2", "s3", "s4"])[place]
    frame = pl.DataFrame({"y": truth.astype(int), "a": a, "b": shares[place], "site": site})
    results = reportgen.evaluate({**SPEC, "slices": ["site"]}, frame)

    assert results.decision.leader == "boost"
    assert "slices of site" not in results.decision.headline
    assert sum(text.count("forest beats boost") for text in reversed_slices(results)) == 2


def test_a_leader_that_wins_everywhere_has_no_such_caveat():
    results = reportgen.evaluate(SPEC, regions(2.0))

    assert not reversed_slices(results)
    assert SlicesSection.from_results(results, []).findings[-1] == (
        "No difference between models in AUC varies significantly by slice."
    )


def test_accuracy_has_the_standard_error_and_the_p_of_paired_rows():
    """Two slices: Welch's t on the rows' differences."""
    data = regions(0.1).filter(pl.col("region") != "east")
    results = reportgen.evaluate(SPEC, data)
    apart = {
        region: ((part["a"] >= 0.5) == (part["y"] == 1)).cast(int).to_numpy()
        - ((part["b"] >= 0.5) == (part["y"] == 1)).cast(int).to_numpy()
        for (region,), part in data.group_by("region")
    }
    pairs = record(results, "accuracy")
    for line in pairs["slices"]:
        of_slice = apart[line["slice"].removeprefix("region = ")]
        assert line["value"] == pytest.approx(of_slice.mean())
        assert line["high"] - line["value"] == pytest.approx(
            2.2414 * sem(of_slice),
            rel=0.02,  # z of 1 − 0.05 / 4, and wider by half a row in each cell of the table
        )
    (varies,) = pairs["varies"]
    expected = ttest_ind(apart["north"], apart["south"], equal_var=False).pvalue
    assert varies["p_value"] == pytest.approx(expected, rel=0.05)


def test_auc_has_the_difference_and_the_variance_of_delong():
    data = regions(0.5).filter(pl.col("region") == "south")
    results = reportgen.evaluate(SPEC, data)
    rows = data.with_columns(truth=pl.col("y") == 1)
    areas = area_covariance(rows, ["a", "b"])
    outside = delong_pair(areas, (0, 1), Question(("a", "b"), "auc", 0.05, 0.95))
    (line,) = record(results, "auc")["slices"]
    assert line["value"] == pytest.approx(outside.estimate)
    assert line["high"] - line["low"] == pytest.approx(outside.high - outside.low, rel=0.01)
    assert record(results, "auc")["varies"] == []


def test_groups_of_one_row_are_as_no_groups():
    data = regions(0.1).with_columns(alone=pl.int_range(ROWS))
    plain = reportgen.evaluate(SPEC, data)
    single = reportgen.evaluate({**SPEC, "columns": {"group": "alone"}}, data)
    assert plain.data["pairs_by_slice"] == single.data["pairs_by_slice"]


def test_rows_of_groups_have_wider_limits_where_groups_have_one_outcome():
    copies = pl.concat([regions(0.1).head(300).with_columns(group=pl.int_range(300))] * 4)
    wide = reportgen.evaluate({**SPEC, "columns": {"group": "group"}}, copies)
    narrow = reportgen.evaluate(SPEC, copies)
    for one, other in zip(
        record(wide, "accuracy")["slices"], record(narrow, "accuracy")["slices"], strict=True
    ):
        assert one["high"] - one["low"] > 1.5 * (other["high"] - other["low"])


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (
            {"weight": "weight", "time": "id"},
            "rows are weighted, which the test does not allow for",
        ),
        ({"fold": "fold", "id": "id"}, "the folds share training rows"),
    ],
)
def test_what_it_does_not_allow_for_is_said(columns, reason):
    data = regions(0.1).with_columns(
        weight=pl.int_range(ROWS) % 3 + 1, fold=pl.int_range(ROWS) % 5, id=pl.int_range(ROWS)
    )
    results = reportgen.evaluate({**SPEC, "columns": columns}, data)
    assert record(results, "auc")["untested"].startswith(reason)
    assert not reversed_slices(results)
    findings = SlicesSection.from_results(results, []).findings
    assert any("not compared by slice" in finding for finding in findings)


def test_with_a_declared_baseline_the_pairs_are_with_it():
    data = regions(0.1).with_columns(c=pl.col("a"))
    models = {**SPEC["models"], "third": {"score": "c"}}
    results = reportgen.evaluate({**SPEC, "models": models, "baseline": "boost"}, data)
    pairs = {tuple(line["models"]) for line in record(results, "auc")["slices"]}
    assert pairs == {("forest", "boost"), ("third", "boost")}


def test_a_lower_error_is_better():
    random = np.random.default_rng(3)
    site = np.array(["x", "y"])[np.arange(600) % 2]
    truth = 3 * random.normal(size=600)
    a = truth + random.normal(size=600)
    b = truth + random.normal(size=600) * np.where(site == "x", 4, 0.3)
    spec = {
        "truth": "t",
        "models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}},
        "slices": ["site"],
        **QUICK,
    }
    results = reportgen.evaluate(spec, pl.DataFrame({"t": truth, "a": a, "b": b, "site": site}))
    assert results.decision.leader == "a"
    (text,) = reversed_slices(results)
    assert text.startswith("b beats a in site = y: MSE 0.")
    assert " lower (simultaneous 95\u00a0% CI " in text


@pytest.mark.parametrize(("rows", "far"), [(500, 1.0), (700, 60.0)])
def test_squared_errors_that_rare_ones_may_decide_have_no_limits(rows, far):
    """Two slices of fewer than 300 rows, or an error that outweighs the others."""
    random = np.random.default_rng(3)
    truth = 3 * random.normal(size=rows)
    errors = {name: random.normal(size=rows) for name in "ab"}
    errors["b"][:2] = far
    frame = {"t": truth, "site": np.arange(rows) % 2, **{n: truth + e for n, e in errors.items()}}
    spec = {"truth": "t", "models": {n: {"estimate": n} for n in "ab"}, "slices": ["site"]}
    results = reportgen.evaluate({**spec, **QUICK}, pl.DataFrame(frame))
    lines = record(results, "mean_squared_error")["slices"]
    assert len(lines) == 2
    assert {line["low"] for line in lines} == {None}


@breadth(
    "design",
    [
        Design("accuracy", 2, 100),
        Design("auc", 3, 100, group=10),
        Design("mean_squared_error", 4, 60),
        Design("auc", 6, 100),
        Design("auc", 4, 150, weighted=True),
    ],
    3,
    ids=str,
)
def test_a_difference_that_is_the_same_everywhere_seldom_varies(design):
    assert rejected(design, 0.0, 100) <= 0.12


@pytest.mark.parametrize("metric", ["auc", "accuracy"])
def test_weighted_rows_are_compared_by_their_weights(metric):
    """A row of weight 2 moves the difference as two rows do; rows of weight 0 do not count."""
    data = regions(0.1).with_columns(w=pl.int_range(ROWS) % 3)
    weighted = reportgen.evaluate({**SPEC, "columns": {"weight": "w"}}, data)
    copied = data.select(pl.all().repeat_by("w")).explode(pl.all())
    copies = reportgen.evaluate(SPEC, copied)

    of_weights, of_copies = (record(one, metric)["slices"] for one in (weighted, copies))
    assert [one["value"] for one in of_weights] == pytest.approx([o["value"] for o in of_copies])
    for one, two in zip(of_weights, of_copies, strict=True):
        assert one["rows"] < two["rows"]
        assert one["high"] - one["low"] > 1.05 * (two["high"] - two["low"])


def test_equal_weights_change_nothing_but_the_pull_of_a_row():
    data = regions(0.1).with_columns(w=pl.lit(3.0))
    plain = reportgen.evaluate(SPEC, data)
    weighted = reportgen.evaluate({**SPEC, "columns": {"weight": "w"}}, data)

    (text,) = reversed_slices(weighted)
    assert text.startswith("boost beats forest in region = south: AUC 0.0")
    for metric in ("auc", "accuracy"):
        both = (record(one, metric)["slices"] for one in (plain, weighted))
        for one, two in zip(*both, strict=True):
            assert two["value"] == pytest.approx(one["value"])
            assert two["low"] == pytest.approx(one["low"], abs=1e-3)
            assert two["high"] == pytest.approx(one["high"], abs=1e-3)


def test_a_nearly_perfect_auc_of_few_positives_has_no_limits_by_slice():
    """Of 30 positives in a slice simultaneous limits would hold too rarely."""
    random = np.random.default_rng(4)
    truth = np.arange(600) % 10 == 0
    scores = {"a": 4.0 * truth + random.normal(size=600), "b": truth + random.normal(size=600)}
    data = pl.DataFrame({"y": truth.astype(int), "region": np.arange(600) // 300, **scores})

    results = reportgen.evaluate(SPEC, data)
    for one in record(results, "auc")["slices"]:
        assert (one["low"], one["high"]) == (None, None)
        assert one["value"] > 0.1
        assert one["no_limits"].startswith("their coverage is too low for an AUC above 0.95 ")
    assert not without_chinese(results, [f"No limits: {one['no_limits']}."])


def test_models_at_chance_on_all_rows_of_which_either_is_far_better_in_a_slice_are_named():
    random = np.random.default_rng(5)
    truth, late = random.normal(size=600), np.arange(600) >= 300
    errors = {"a": np.where(late, 1.5, 0.5), "b": np.where(late, 0.5, 1.5)}
    given = {name: truth + size * random.normal(size=600) for name, size in errors.items()}
    frame = pl.DataFrame({"y": truth, **given, "age": np.where(late, "new", "old")})
    models = {name: {"estimate": name} for name in given}
    results = reportgen.evaluate({"truth": "y", "models": models, "slices": ["age"]}, frame)

    assert results.decision.relation == "at chance"
    (text,) = [c.text for c in results.decision.caveats if c.code == "apart_in_slices"]
    assert text.startswith("The difference in MSE between a and b varies by age: from −1.")
    assert " in age = old to +" in text
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)
    assert not into.missing
