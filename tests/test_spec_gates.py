"""The grammar of gates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen import spec as specs
from reportgen.errors import SpecError
from reportgen.spec.gates import Gate, Side, parse, parse_limit


@pytest.mark.parametrize(
    ("text", "left", "right", "op", "limit"),
    [
        ("forest.auc >= 0.95", Side("forest", "auc"), None, ">=", 0.95),
        ("forest.auc.low >= .95", Side("forest", "auc", "low"), None, ">=", 0.95),
        ("  forest.auc.high<1  ", Side("forest", "auc", "high"), None, "<", 1.0),
        ("f.f1 > 1e-3", Side("f", "f1"), None, ">", 0.001),
        (
            "forest.recall - logistic.recall > -0.01",
            Side("forest", "recall"),
            Side("logistic", "recall"),
            ">",
            -0.01,
        ),
        ("a-b.auc - c-d.auc <= 0", Side("a-b", "auc"), Side("c-d", "auc"), "<=", 0.0),
        ("forest.v1.2.auc.low >= 0", Side("forest.v1.2", "auc", "low"), None, ">=", 0.0),
        ('"my model".auc >= 0', Side("my model", "auc"), None, ">=", 0.0),
        ("'it''s'.auc >= 0", Side("it's", "auc"), None, ">=", 0.0),
        ('"say ""x""".auc >= 0', Side('say "x"', "auc"), None, ">=", 0.0),
        ('"a.auc - b".auc >= 0', Side("a.auc - b", "auc"), None, ">=", 0.0),
        ("随机森林.auc >= 0.9", Side("随机森林", "auc"), None, ">=", 0.9),
    ],
)
def test_a_gate_is_read_into_its_parts(text, left, right, op, limit):
    assert parse(text) == Gate(text, left, right, op, limit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "auc >= 0.9",
        "forest.auc",
        "forest.auc >= ",
        "forest.auc >= high",
        "forest.auc = 0.9",
        "forest.auc == 0.9",
        "forest.auc >= 0.9 and",
        "my model.auc >= 0.9",
        "forest.auc + logistic.auc > 0",
        "forest.auc - logistic > 0",
        "forest.auc >= 1e999",
        "forest.auc >= .inf",
        '"".auc > 0',
    ],
)
def test_what_is_not_a_gate_is_refused(text):
    with pytest.raises(ValueError, match="a gate reads"):
        parse(text)


@pytest.mark.parametrize(
    ("op", "below", "at", "above"),
    [
        (">=", False, True, True),
        (">", False, False, True),
        ("<=", True, True, False),
        ("<", True, False, False),
    ],
)
def test_a_gate_holds_where_its_operator_says(op, below, at, above):
    gate = parse(f"m.auc {op} 0.5")

    assert (gate.holds(0.4), gate.holds(0.5), gate.holds(0.6)) == (below, at, above)


def test_a_limit_is_an_operator_and_a_number():
    assert parse_limit(">=0.95") == (">=", 0.95)
    for text in ("0.95", ">= x", ">= 1e999", ""):
        with pytest.raises(ValueError, match="a limit reads"):
            parse_limit(text)


def test_a_gate_between_two_models_reads_as_it_is_spoken():
    spoken, usual = parse("a.mae <= b.mae + 0.5"), parse("a.mae - b.mae <= 0.5")

    assert replace(spoken, text=usual.text) == usual
    assert parse("a.mae<b.mae").limit == 0
    with pytest.raises(ValueError, match=r"previous\|accepted"):
        parse("a.mae < b")


def test_an_unknown_metric_of_both_models_is_reported_once_and_cost_is_known():
    document = {
        "data": "d.csv",
        "truth": "y",
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "gates": ["a.coost - b.coost < 0", "a.cost - b.cost < 0"],
    }
    with pytest.raises(SpecError) as refused:
        specs.from_dict(document)

    assert [problem.code for problem in refused.value.problems] == ["unknown-metric"]
    assert parse("a.cost < b.cost").left.metric == "cost_sensitive_error_rate"
