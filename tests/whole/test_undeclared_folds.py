"""Units that nobody declared and whose rows lie in several folds."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


def panel(fold: str, name: str = "person", number: int = 60) -> pl.DataFrame:
    """Six rows of each person, in folds of rows or of persons."""
    random = np.random.default_rng(3)
    person = np.repeat(np.arange(number), 6)
    truth = random.random(len(person)) < 0.4
    of_fold = {"rows": random.permutation(len(person)) % 5, "persons": person % 5}
    scores = {m: np.clip(0.3 * truth + 0.7 * random.random(len(person)), 0, 1) for m in "ab"}
    columns = {"y": truth, name: 100 + person, "fold": of_fold[fold], **scores}
    return pl.DataFrame(columns).sample(fraction=1, shuffle=True, seed=1)


def results_of(frame: pl.DataFrame, **columns: str):
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}, **QUICK}
    return evaluate({**spec, "columns": {"fold": "fold", **columns}}, frame)


def test_units_in_several_folds_are_a_caveat():
    results = results_of(panel("rows"))
    [text] = [c.text for c in results.decision.caveats if c.code == "undeclared_in_folds"]

    assert results.data["undeclared_in_folds"] == {"column": "person", "values": 60, "across": 60}
    assert text.startswith(
        "Rows with the same value of person are in several folds (60 of 60 values), so the models "
    )
    assert not without_chinese(results, [text])


@pytest.mark.parametrize(
    ("frame", "columns"),
    [
        pytest.param(panel("persons"), {}, id="folds of persons"),
        pytest.param(panel("rows"), {"group": "person"}, id="declared"),
        pytest.param(panel("rows", "age"), {}, id="a feature"),
        pytest.param(panel("rows", number=4), {}, id="few values"),
    ],
)
def test_nothing_is_said_where_no_units_are_in_several_folds(frame, columns):
    assert "undeclared_in_folds" not in results_of(frame, **columns).data
