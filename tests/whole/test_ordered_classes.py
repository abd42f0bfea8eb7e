"""Classes that are ordered: how far errors are off, in values, limits, page and spec."""

import json
import re
from itertools import groupby
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen import spec as specs
from reportgen.charts import key_metrics
from reportgen.charts.multiclass_confusion import LISTED
from reportgen.errors import ReportgenError
from reportgen.initial_spec import init_spec
from reportgen.sections import headings, summary
from reportgen.sections.key_numbers import chosen
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.page_text import page_text
from tests.quick import QUICK
from tests.simulations.one_large_group import Unequal
from tests.simulations.ordered_classes import Design, coverage

OFF = (("a", 0.1), ("b", 0.3))
"""How often two models are off by one class."""
CASES = json.loads((Path(__file__).parents[1] / "reference" / "ordered_classes.json").read_text())
GRADES = ["none", "mild", "moderate", "severe"]
MEASURES = (
    *("accuracy_within_one", "mean_class_error", "class_bias"),
    *("linear_kappa", "quadratic_kappa"),
)


def rows(number=300, seed=3):
    random = np.random.default_rng(seed)
    truth = random.choice(4, number, p=[0.4, 0.3, 0.2, 0.1])
    names = np.array(GRADES)

    def predicted(spread):
        near = np.rint(truth + random.normal(0.1, spread, number))
        return names[np.clip(near, 0, 3).astype(int)]

    return pl.DataFrame(
        {
            "y": names[truth],
            "a": predicted(0.6),
            "b": predicted(0.9),
            "site": random.choice(["A", "B"], number),
            "w": random.choice([0.5, 1.0, 2.0], number),
            "g": np.arange(number) // 3,
        }
    )


def spec(**more):
    return {
        "data": "p.csv",
        "truth": "y",
        "classes": GRADES,
        "ordered": True,
        "models": {"a": {"label": "a"}, "b": {"label": "b"}},
        **QUICK,
        **more,
    }


def measured(results, model="a"):
    table = results.metrics.filter(
        pl.col("slice").is_null(),
        pl.col("class").is_null(),
        pl.col("average").is_null(),
        model=model,
    )
    return {row["metric"]: row for row in table.to_dicts()}


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: f"{case['classes']} classes")
def test_measures_are_those_of_scikit_learn(case):
    frame = pl.DataFrame({k: case[k] for k in ("truth", "predicted")})
    more = {}
    if case["weight"]:
        frame, more = frame.with_columns(w=pl.Series(case["weight"])), {"columns": {"weight": "w"}}
    keys = {"truth": "truth", "ordered": True, "models": {"m": {"label": "predicted"}}}
    classes = [str(k) for k in range(case["classes"])]

    values = measured(evaluate({**keys, "classes": classes, **more, **QUICK}, frame), "m")

    assert set(case["expected"]) == set(MEASURES)
    for name, expected in case["expected"].items():
        assert values[name]["value"] == pytest.approx(expected, rel=1e-12), name


@pytest.mark.parametrize("columns", [{}, {"weight": "w"}, {"group": "g"}], ids=str)
def test_limits_hold_the_value_and_are_those_of_counted_rows(tmp_path, columns):
    rows().write_parquet(tmp_path / "p.parquet")
    data = str(tmp_path / "p.parquet")

    exact, counted = (
        measured(evaluate(spec(data=data, columns=columns, engine=engine)))
        for engine in ("exact", "streaming")
    )

    for name in MEASURES:
        assert exact[name]["low"] < exact[name]["value"] < exact[name]["high"]
        for key in ("value", "low", "high"):
            assert counted[name][key] == pytest.approx(exact[name][key], rel=1e-9)
        assert exact[name]["interval"].startswith("influence of cells")


def test_limits_without_weights_are_about_those_of_a_share():
    frame = rows(1000)

    values = measured(evaluate(spec(), frame))
    near = measured(
        evaluate(
            {"truth": "y", "models": {"a": {"label": "p"}}, **QUICK},
            pl.DataFrame({"y": [1] * 1000, "p": _near(frame)}),
        )
    )

    ours, share = values["accuracy_within_one"], near["accuracy"]
    for key in ("value", "low", "high"):
        assert ours[key] == pytest.approx(share[key], abs=0.003)


def _near(frame):
    place = {name: k for k, name in enumerate(GRADES)}
    apart = frame["y"].replace_strict(place) - frame["a"].replace_strict(place)
    return (apart.abs() <= 1).cast(pl.Int64)


def test_the_key_table_and_a_sentence_say_how_far_errors_are_off():
    frame = rows()
    ordered, plain = (page_text(evaluate(spec(ordered=flag), frame)) for flag in (True, False))

    place = {name: k for k, name in enumerate(GRADES)}
    above = frame["a"].replace_strict(place) - frame["y"].replace_strict(place)
    wrong = above.filter(above != 0)
    one, two, higher = (wrong.abs() == 1).mean(), (wrong.abs() == 2).mean(), (wrong > 0).mean()
    shares = f"{100 * one:.1f}\xa0% one class away and {100 * two:.1f}\xa0% two classes away"
    assert f"Errors of a: {shares}" in ordered
    assert f"; {100 * higher:.1f}\xa0% are above the true class" in ordered
    for words in ("Accuracy within one class", "Mean absolute class error", "Errors of a:"):
        assert words in ordered
        assert words not in plain


def test_what_weighs_how_far_errors_are_off_leads_the_key_table_of_ordered_classes():
    ordered, plain = (evaluate(spec(ordered=flag), rows()) for flag in (True, False))

    assert chosen(ordered)[0] == ("quadratic_kappa", None)
    by_heading = [headings.heading(measure, ordered) for measure in chosen(ordered)]
    first = by_heading.index("Decisions")
    assert chosen(ordered)[first] == ("mean_class_error", None)
    assert len(list(groupby(by_heading))) == len(set(by_heading))
    assert ("quadratic_kappa", None) not in chosen(plain)
    assert "Kappa, quadratic weights" in summary.text(ordered).partition("<details>")[0]
    figures = [key_metrics.figures(results)[0].table["Measure"] for results in (ordered, plain)]
    assert [of.first() for of in figures] == ["Kappa, quadratic weights", "Accuracy"]


def test_page_one_says_that_accuracy_decides_between_ordered_classes():
    def texts(**more):
        results = evaluate(spec(**more), rows())
        said = [c.text for c in results.decision.caveats if c.code == "ordered"]
        into = translator("zh", names_of(results.to_dict()))
        for text in said:
            into.text(text, "li")
        assert not into.missing
        return said

    first = "Accuracy decides, for which all errors are alike"
    would = "; comparisons.measures: [quadratic_kappa] would test differences"
    assert [text.partition(" that weigh")[0] for text in texts()] == [first + would]
    tested = {"comparisons": {"measures": ["quadratic_kappa"]}, "bootstrap": {"replicates": 200}}
    assert texts(**tested) == [f"{first}."]
    assert not texts(ordered=False)


def graded(far: int, near_rows: int, *more: str):
    """``often`` is off by ``far`` in a fifth of the rows, ``near`` by 1 in so many of 500."""
    row = np.arange(500)
    truth = row % 5 + 1
    moved = np.where(truth <= far, truth + far, truth - far)
    frame = pl.DataFrame(
        {
            "y": truth,
            "often": np.where(row < 100, np.clip(moved, 1, 5), truth),
            "near": np.where(row < near_rows, np.where(truth < 5, truth + 1, 4), truth),
            "none": 3,
        }
    )
    models = {name: {"label": name} for name in ("often", "near", *more)}
    keys = {"truth": "y", "task": "multiclass", "ordered": True, "models": models, **QUICK}
    results = evaluate(keys, frame.sample(fraction=1, shuffle=True, seed=1))
    decision = results.decision
    into = translator("zh", names_of(results.to_dict()))
    for text in (decision.headline, *(c.text for c in decision.caveats)):
        into.text(text)
    assert not into.missing
    return decision


LIMITED = r"0\.\d+ \(0\.\d+ to 0\.\d+\)"


def test_the_headline_says_that_another_model_is_closer_to_ordered_classes():
    kappa = rf"in kappa, quadratic weights: {LIMITED} against {LIMITED}"
    two, three = graded(3, 200), graded(3, 200, "none")

    assert (two.leader, two.relation) == ("often", "ahead")
    start = r"often is correct more often: accuracy 0\.200 higher \(0\.\d+ to 0\.\d+\)"
    assert re.fullmatch(f"{start}; near is closer to the true class {kappa}", two.headline)
    assert re.search(f"; near is closer to the true class than often {kappa}$", three.headline)
    assert not [c.text for c in two.caveats if "is first" in c.text]


def test_a_model_whose_limits_overlap_those_of_the_leader_is_not_said_to_be_closer():
    decision = graded(2, 330)
    [text] = [c.text for c in decision.caveats if c.code == "ordered"]

    assert decision.headline.startswith("often beats near: accuracy ")
    assert "closer" not in decision.headline
    assert re.search(
        f"near is first by kappa, quadratic weights: {LIMITED} against {LIMITED}", text
    )


def test_numbers_are_ordered_by_value_whatever_the_order_of_the_scores():
    random = np.random.default_rng(4)
    truth = random.choice([5, 8, 10, 11], 200)
    frame = pl.DataFrame({"y": truth, **{f"p{k}": random.random(200) for k in (11, 10, 5, 8)}})
    scores = {str(k): f"p{k}" for k in (11, 10, 5, 8)}

    given = [
        {"models": {"m": {"scores": scores}}},
        {"models": {"m": {"label": "said"}}, "task": "multiclass"},
    ]
    for keys in given:
        results = evaluate(
            {"truth": "y", "ordered": True, **keys, **QUICK},
            frame.with_columns(said=pl.Series(random.permutation(truth))),
        )
        assert [one["class"] for one in results.data["classes"]] == ["5", "8", "10", "11"]


def test_many_ordered_classes_keep_their_order_in_the_figure():
    number = LISTED + 2
    truth = list(range(number)) * 5
    said = [(k + (7 if i % 5 == 0 else 0)) % number for i, k in enumerate(truth)]
    frame = pl.DataFrame({"y": truth, "p": said})
    keys = {"truth": "y", "task": "multiclass", "models": {"m": {"label": "p"}}, **QUICK}

    text = page_text(evaluate({**keys, "ordered": True}, frame))

    assert "by their confusions" not in text


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (
            {"classes": []},
            "order-needed",
            "the spec does not say in which order 'mild'",
        ),
        ({"classes": [], "positive": "mild"}, "conflict", "ordered is for several classes"),
        ({"ordered": "yes"}, "wrong-type", "true or false is expected"),
    ],
)
def test_an_order_that_nothing_tells_is_refused_with_its_place(change, code, words):
    with pytest.raises(ReportgenError) as fault:
        evaluate(spec(**change), rows())

    problems = {problem.code: problem for problem in fault.value.problems}
    assert words in problems[code].message
    if code == "order-needed":
        assert "classes: [mild, moderate, none, severe]" in problems[code].hint


def test_a_pair_is_tested_in_what_the_spec_names():
    results = evaluate(
        spec(comparisons={"measures": ["accuracy_within_one"]}, bootstrap={"replicates": 200}),
        rows(),
    )

    tests = results.comparisons.filter(metric="accuracy_within_one")
    assert tests.height
    assert tests["p_value"].is_not_null().any()


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (["2", "3", "10"], "# ordered: true  # if the classes are ordered, as ratings are"),
        (["low", "medium", "high"], "\nclasses: [low, medium, high]  # from first to last"),
        (["cat", "dog", "emu"], None),
        (["low", "poor", "high"], None),  # two of one grade
    ],
)
def test_init_offers_the_key_where_labels_are_grades(tmp_path, names, line):
    random = np.random.default_rng(1)
    truth = random.choice(names, 90)
    said = np.where(random.random(90) < 0.7, truth, random.permutation(truth))
    pl.DataFrame({"label": truth, "pred_a": said}).write_csv(tmp_path / "p.csv")

    text = init_spec(tmp_path / "p.csv")

    assert ("# ordered: true" in text) == (line is not None)
    assert line is None or line in text
    if line is not None:  # the comment works as it stands
        (tmp_path / "s.yaml").write_text(text.replace("# ordered: true", "ordered: true"))
        classes = evaluate(specs.read(tmp_path / "s.yaml")).data["classes"]
        assert [row["class"] for row in classes] == names


def test_limits_of_ordered_classes_in_groups_hold_and_are_not_needlessly_wide():
    """With a whole group more, without skill, they held in all data sets, four times as wide."""
    alone = coverage(Design(Unequal(600, 1, 0.0)), 20)
    grouped = coverage(Design(Unequal(12, 50, 0.0)), 80)

    for name, (held, width) in grouped.items():
        assert 0.88 <= held < 1, name
        assert width < 1.4 * alone[name][1], name


@pytest.mark.parametrize(("shift", "word"), [(1, "high"), (-1, "low"), (0, None)])
def test_page_one_says_in_which_direction_a_model_grades_off(shift, word):
    data = rows(600)
    places = np.array([GRADES.index(one) for one in data["y"]])
    moved = np.where(np.arange(600) % 2 == 0, np.clip(places + shift, 0, 3), places)
    data = data.with_columns(a=pl.Series(np.array(GRADES)[moved]))
    results = evaluate(spec(), data)
    said = [c.text for c in results.decision.caveats if c.code == "class_bias"]

    row = results.metrics.filter(metric="class_bias", model="a").row(0, named=True)
    assert row["value"] == pytest.approx(np.mean(moved - places))
    if word is None:
        assert not any(text.startswith("a ") for text in said)
        return
    (text,) = [one for one in said if one.startswith("a ")]
    assert text.startswith(f"a predicts too {word} a class: by 0.")
    assert " classes on average (95\xa0% CI 0." in text
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "p")
    assert not into.missing


def test_costs_that_tell_errors_apart_are_not_said_to_take_them_as_alike():
    """The distance between classes may be what errors cost; of accuracy all errors are alike."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 3, 300)
    names = np.array(["low", "middle", "high"])
    off = {m: np.where(random.random(300) < share, (truth + 1) % 3, truth) for m, share in OFF}
    frame = pl.DataFrame({"truth": names[truth], **{m: names[at] for m, at in off.items()}})
    models = {m: {"label": m} for m in off}
    spec = {"truth": "truth", "classes": [*names], "ordered": True, "models": models}
    costs = {a: {b: abs(i - j) for j, b in enumerate(names) if i != j} for i, a in enumerate(names)}
    texts = [
        " ".join(caveat.text for caveat in evaluate(spec | more, frame).decision.caveats)
        for more in ({}, {"costs": costs})
    ]

    assert "for which all errors are alike" in texts[0]
    assert "for which all errors are alike" not in texts[1]
