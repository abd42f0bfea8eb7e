"""Labels that no row has: page one and the error of a gate name them and say what can be done."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.errors import UndefinedError
from reportgen.results import Results, evaluate
from reportgen.text.numbers import percent
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def of(sizes: tuple[int, ...], **more: object) -> Results:
    """A model that is never wrong about labels with so many of 120 rows, t0, t1 and so on."""
    has = {f"t{k}": (np.arange(120) < n).astype(int) for k, n in enumerate(sizes)}
    frame = pl.DataFrame({**has, **{f"m_{name}": column for name, column in has.items()}})
    labels = {name: f"m_{name}" for name in has}
    truth = {name: name for name in has}
    spec = {"task": "multilabel", "truth": truth, "models": {"m": {"labels": labels}}}
    return evaluate({**spec, **QUICK, **more}, frame)


def text_of(results: Results, code: str) -> str:
    """The caveat, which has Chinese."""
    [text] = [c.text for c in results.decision.caveats if c.code == code]
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)
    assert not into.missing
    return text


def test_many_labels_without_rows_are_counted_and_some_are_named():
    many = text_of(of((60, 50, 0, 0, 0, 0, 0)), "no_row_of_class")
    two = text_of(of((60, 50, 0, 0)), "no_row_of_class")

    assert many.startswith("5 labels have no rows (t2, t3, t4, t5, …): their recall and the macro")
    assert two.startswith("No row has the labels t2 and t3: their recall and the macro")


def test_macro_averages_that_have_no_value_rest_on_no_label():
    assert text_of(of((60, 15, 5, 0)), "few_of_class") == (
        "2 labels have 5 to 29 rows: limits of their measures are rough."
    )
    assert "of every macro average" in text_of(of((60, 15, 5)), "few_of_class")


def test_a_gate_on_a_macro_average_names_the_labels_without_a_value_and_other_averages():
    with pytest.raises(UndefinedError) as error:
        of((60, 50, 0, 0), gates=["m.macro_f1 >= 0.5"])

    [problem] = error.value.problems
    assert problem.message.endswith("macro_f1 of m is undefined: t2, t3 have no F1")
    assert problem.hint.startswith(
        "write the gate on weighted_f1 or micro_f1, or leave these out of the spec"
    )


def test_labels_that_are_right_no_more_often_than_none_are_said_to_be():
    """Rare labels: a model that predicts none leads, and two that guess are behind it."""
    random = np.random.default_rng(5)
    columns, names = {}, [f"t{k}" for k in range(4)]
    for name in names:
        truth = random.random(300) < 0.03
        columns |= {f"true_{name}": truth, f"none_{name}": False}
        columns[f"good_{name}"] = truth & (random.random(300) < 0.7)
        columns[f"guess_{name}"] = random.random(300) < 0.03
    frame = pl.DataFrame(columns).cast(pl.Int8)
    models = {m: {"labels": {n: f"{m}_{n}" for n in names}} for m in ("none", "good", "guess")}
    spec = {"truth": {n: f"true_{n}" for n in names}, "models": models}
    results = evaluate(spec, frame)
    texts = [c.text for c in results.decision.caveats if c.code == "below_no_labels"]
    share = results.data["share_without_labels"]

    assert texts == [
        f"Predicting no label is right in {percent(share)} of the rows: the subset accuracy of "
        "none and guess is no higher."
    ]
