"""What a spec predicts: two classes, several classes or labels, or numbers."""

from __future__ import annotations

import pytest

from reportgen import spec as specs
from reportgen.errors import SpecError

SCORES = {"cat": "p_cat", "dog": "p_dog", "emu": "p_emu"}
OTHER = {"cat": "q_cat", "dog": "q_dog", "emu": "q_emu"}
FLAGS = {"sport": "is_sport", "news": "is_news"}


def spec_of(**given):
    """Return a spec made of these values, and a truth and model where none is given."""
    return specs.from_dict({"truth": "y", "models": {"a": {"score": "p"}}} | given)


@pytest.mark.parametrize(
    ("given", "task", "classes"),
    [
        ({}, "binary", ()),
        ({"models": {"a": {"label": "l"}}, "positive": "x"}, "binary", ()),
        ({"models": {"a": {"label": "l"}}}, None, ()),
        ({"models": {"a": {"label": "l"}}, "task": "multiclass"}, "multiclass", ()),
        ({"models": {"a": {"label": "l"}}, "classes": [2, 10]}, "multiclass", ("2", "10")),
        (
            {"models": {"b": {"label": "l"}, "a": {"scores": SCORES}}},
            "multiclass",
            ("cat", "dog", "emu"),
        ),
        (
            {"models": {"a": {"scores": SCORES}}, "classes": ["emu", "cat", "dog"]},
            "multiclass",
            ("emu", "cat", "dog"),
        ),
        (
            {"truth": FLAGS, "models": {"a": {"scores": {"news": "n", "sport": "s"}}}},
            "multilabel",
            ("sport", "news"),
        ),
        (
            {"truth": FLAGS, "models": {"a": {"labels": {"news": "n", "sport": "s"}}}},
            "multilabel",
            ("sport", "news"),
        ),
        ({"models": {"a": {"estimate": "e"}}}, "regression", ()),
        ({"models": {"column": "m", "estimate": "e"}}, "regression", ()),
        ({"models": {"column": "m", "scores": SCORES}}, "multiclass", ("cat", "dog", "emu")),
    ],
    ids=str,
)
def test_the_task_and_its_classes_follow_from_models_and_truth(given, task, classes):
    spec = spec_of(**given)

    assert specs.task_of(spec) == task
    assert specs.class_names(spec) == classes


def test_every_form_of_a_model_is_read_into_its_own_part():
    spec = spec_of(
        models={"a": {"estimate": "e", "low": "l", "high": "h", "quantile": 0.9}},
    )
    several = spec_of(models={"a": {"scores": SCORES, "label": "said"}, "b": {"label": "l"}})

    assert spec.models == {
        "a": specs.EstimateModel(estimate="e", low="l", high="h", quantile=0.9),
    }
    assert several.models == {
        "a": specs.ClassModel(scores=SCORES, label="said"),
        "b": specs.ScoreModel(label="l"),
    }
    assert spec_of(models={"column": "m", "estimate": "e"}).models == specs.LongEstimateModels(
        column="m", estimate="e"
    )


@pytest.mark.parametrize(
    "given",
    [
        {"models": {"a": {"estimate": "e", "low": "l", "high": "h", "quantile": 0.9}}},
        {"models": {"a": {"scores": SCORES}, "b": {"label": "l"}}, "costs": {"cat": {"dog": 2}}},
        {"truth": FLAGS, "models": {"a": {"labels": {"sport": "s", "news": "n"}}}},
        {"models": {"column": "m", "scores": SCORES, "label": "l"}},
        {"costs": {"false_negative": {"column": "amount"}, "false_positive": 1}},
    ],
    ids=str,
)
def test_a_spec_of_any_task_read_again_from_its_plain_values_is_the_same(given):
    spec = spec_of(**given)

    assert specs.from_dict(spec.to_dict()) == spec


def test_a_model_of_two_classes_has_no_keys_of_other_tasks_in_its_plain_values():
    assert spec_of().to_dict()["models"] == {"a": {"score": "p", "label": None}}


def test_class_names_are_text_as_they_are_written(tmp_path):
    (tmp_path / "r.yaml").write_text(
        "data: d.csv\ntruth: y\nmodels: {a: {scores: {01: p, 1: q, no: r, true: s}}}\n"
    )

    assert specs.class_names(specs.read(tmp_path / "r.yaml")) == ("01", "1", "no", "true")
    assert specs.class_names(spec_of(models={"a": {"scores": {2.0: "p", True: "q"}}})) == (
        "2",
        "true",
    )


def test_costs_are_numbers_columns_or_a_table_by_class():
    binary = spec_of(costs={"false_negative": {"column": "amount"}, "false_positive": 2}).costs
    several = spec_of(models={"a": {"scores": SCORES}}, costs={"cat": {"dog": 2, "emu": 0.5}}).costs

    assert binary == specs.Costs(
        false_negative=specs.CostColumn(column="amount"), false_positive=2.0
    )
    assert binary.columns() == {"false_negative": "amount"}
    assert several == {"cat": {"dog": 2.0, "emu": 0.5}}


MANY = "models: {a: {scores: {cat: p, dog: q}}}\n"
NUMBERS = "models: {a: {estimate: e}}\n"
FAULTS = {
    "two forms": (
        "models: {a: {scores: {cat: p, dog: q}}, b: {score: r}}\n",
        [("conflict", 3, 45, "has scores or label")],
    ),
    "estimate and labels": (
        "models: {a: {estimate: e}, b: {label: l}}\n",
        [("conflict", 3, 32, "has an estimate")],
    ),
    "score beside scores": (
        "models: {a: {scores: {cat: p, dog: q}, score: r}}\n",
        [("conflict", 3, 40, "score or label or both")],
    ),
    "interval of a score": (
        "models: {a: {score: p, low: l}}\n",
        [("missing-key", 3, 13, ""), ("conflict", 3, 14, "estimate with low")],
    ),
    "task against models": (
        "task: regression\n" + MANY,
        [("conflict", 4, 14, "has an estimate")],
    ),
    "task of labels without columns": (
        "task: multilabel\n" + MANY,
        [("conflict", 2, 8, "{sport: is_sport}")],
    ),
    "labels without columns of truth": (
        "models: {a: {labels: {cat: p, dog: q}}}\n",
        [("conflict", 2, 8, "{sport: is_sport}")],
    ),
    "unknown task": ("task: ranking\n" + MANY, [("unknown-value", 3, 7, "binary, multiclass")]),
    "positive of several": (MANY + "positive: cat\n", [("conflict", 4, 1, "remove it")]),
    "positive of numbers": (NUMBERS + "positive: 1\n", [("conflict", 4, 1, "remove it")]),
    "classes of two": (
        "models: {a: {score: p}}\nclasses: [cat, dog]\n",
        [("conflict", 4, 1, "remove it")],
    ),
    "one class": (
        MANY + "classes: [cat]\n",
        [("too-few", 4, 1, "all"), ("unknown-class", 3, 31, "cat")],
    ),
    "class twice": (
        MANY + "classes: [cat, dog, dog]\n",
        [("repeated", 4, 21, "remove one")],
    ),
    "misspelt class": (
        "models: {a: {scores: {cat: p, dog: q}}, b: {scores: {cat: r, dgo: s}}}\n",
        [("unknown-class", 3, 62, "did you mean 'dog'?")],
    ),
    "class left out": (
        "models: {a: {scores: {cat: p, dog: q}}, b: {scores: {cat: r}}}\n",
        [("missing-class", 3, 45, "models.a.scores names it")],
    ),
    "class not listed": (
        "models: {a: {scores: {cat: p, dog: q, emu: r}}}\nclasses: [cat, dog]\n",
        [("unknown-class", 3, 39, "there is: cat, dog")],
    ),
    "column of two classes": (
        "models: {a: {scores: {cat: p, dog: p}}}\n",
        [("repeated-column", 3, 36, "own column")],
    ),
    "blank class": (
        "models: {a: {scores: {cat: p, dog: }}}\n",
        [("wrong-type", 3, 31, "")],
    ),
    "low alone": (
        "models: {a: {estimate: e, low: l}}\n",
        [("conflict", 3, 27, "add high:")],
    ),
    "quantile": (
        "models: {a: {estimate: e, quantile: 1}}\n",
        [("out-of-range", 3, 37, "")],
    ),
    "threshold of numbers": (NUMBERS + "threshold: 3\n", [("conflict", 4, 1, "remove it")]),
    "chosen of several": (
        MANY + "threshold: {maximise: f1}\n",
        [("conflict", 4, 1, "remove it")],
    ),
    "costs of numbers": (
        NUMBERS + "costs: {false_negative: 1, false_positive: 1}\n",
        [("conflict", 4, 8, "remove")],
    ),
    "costs of two": (
        MANY + "costs: {false_negative: 1, false_positive: 1}\n",
        [("conflict", 4, 8, "{cat: {dog: 2}}")],
    ),
    "costs of an unknown class": (
        MANY + "costs: {cat: {dgo: 1}, emu: {cat: 2}}\n",
        [("unknown-class", 4, 15, "did you mean 'dog'?"), ("unknown-class", 4, 24, "cat, dog")],
    ),
    "costs of nothing": (
        MANY + "costs: {cat: {dog: 0, cat: 3}}\n",
        [("out-of-range", 4, 8, "must cost")],
    ),
    "negative cost": (
        MANY + "costs: {cat: {dog: -1}}\n",
        [("out-of-range", 4, 20, "")],
    ),
    "cost that is weight": (
        "models: {a: {score: p}}\ncolumns: {weight: w}\n"
        "costs: {false_negative: {column: w}, false_positive: 1}\n",
        [("repeated-column", 5, 34, "own column")],
    ),
    "key of a cost": (
        "models: {a: {score: p}}\ncosts: {false_negative: {colum: w}, false_positive: 1}\n",
        [("missing-key", 4, 25, ""), ("unknown-key", 4, 26, "'column'")],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_between_task_and_fields_is_told_at_its_place(tmp_path, name):
    text, expected = FAULTS[name]
    path = tmp_path / "r.yaml"
    path.write_text("data: d.csv\ntruth: y\n" + text)
    with pytest.raises(SpecError) as caught:
        specs.read(path)

    places = [(p.code, p.line, p.column) for p in caught.value.problems]
    assert sorted(places) == sorted((code, line, column) for code, line, column, _ in expected)
    for code, line, column, hint in expected:
        assert any(
            hint in p.hint
            for p in caught.value.problems
            if (p.code, p.line, p.column) == (code, line, column)
        )


def test_what_the_task_rests_on_is_named_in_the_message():
    with pytest.raises(SpecError) as caught:
        spec_of(models={"a": {"scores": SCORES}, "b": {"score": "p"}})

    assert "as models.a.scores says" in caught.value.problems[0].message


def test_a_truth_by_label_needs_the_same_labels_as_the_models():
    with pytest.raises(SpecError) as caught:
        spec_of(truth=FLAGS, models={"a": {"scores": {"sport": "s", "new": "n"}}})

    (problem,) = caught.value.problems
    assert problem.hint == "did you mean 'news'?"


def test_a_form_that_is_left_blank_has_no_output():
    with pytest.raises(SpecError) as caught:
        spec_of(models={"column": "m", "labels": None})

    assert [p.code for p in caught.value.problems] == ["no-output"]
