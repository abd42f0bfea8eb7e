"""Labels by which a model says nothing: what the error says, and that both ways on work."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from reportgen import evaluate
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

TRUTH = ["yes", "no", "no", "no"] * 30
ALWAYS = ["yes", "no", "no", "yes"] * 30
CAREFUL = ["yes", "no", "abstain", "yes"] * 30
FRAME = pl.DataFrame({"id": range(120), "truth": TRUTH, "careful": CAREFUL, "always": ALWAYS})
MODELS = {name: {"label": name} for name in ("careful", "always")}
SPEC = {"truth": "truth", "models": MODELS, "columns": {"id": "id"}, **QUICK}


@pytest.mark.parametrize("engine", ["auto", "streaming"])
def test_the_error_of_an_abstention_says_how_to_go_on(engine):
    with pytest.raises(DataError, match="unknown labels: 'abstain'") as error:
        evaluate(SPEC | {"positive": "yes", "engine": engine}, FRAME)

    assert "'abstain' under classes:, in place of positive:, to count it as an" in str(error.value)
    assert "leave those rows out in the long form" in str(error.value)


def test_another_unknown_label_is_no_abstention():
    with pytest.raises(DataError, match="unknown labels: 'cat'") as error:
        evaluate(
            SPEC | {"positive": "yes"},
            FRAME.with_columns(pl.col("careful").replace("abstain", "cat")),
        )

    assert "abstains" not in str(error.value)


def accuracies(results) -> dict[str, float]:
    rows = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()), metric="accuracy"
    )
    return dict(rows.select("model", "value").iter_rows())


def test_as_a_class_an_abstention_is_an_error():
    results = evaluate(SPEC | {"classes": ["no", "yes", "abstain"]}, FRAME)

    assert accuracies(results) == {"careful": 0.5, "always": 0.75}
    (text,) = (one.text for one in results.decision.caveats if one.code == "abstained")
    assert text == (
        "careful abstained in 30 of 120 rows, which count as errors; of the others it predicted "
        "66.7\xa0% correctly."
    )
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)
    assert not into.missing


def test_without_its_rows_there_are_coverage_and_accuracy_of_the_answers():
    """The models then are not compared, as rows that are hard were left out."""
    long = FRAME.unpivot(index=["id", "truth"], variable_name="model", value_name="label")
    spec = SPEC | {"positive": "yes", "models": {"column": "model", "label": "label"}}
    results = evaluate(spec, long.filter(pl.col("label") != "abstain"))

    assert accuracies(results) == pytest.approx({"careful": 2 / 3, "always": 0.75})
    assert "a coverage of 75\u00a0%" in results.data["unpaired"]
    assert "recommended" not in results.comparisons["recommendation"].to_list()


def test_init_says_what_an_abstention_under_classes_is(tmp_path: Path):
    FRAME.write_csv(tmp_path / "data.csv")

    assert "where the model abstains, that label under classes: makes it" in init_spec(
        tmp_path / "data.csv"
    )
