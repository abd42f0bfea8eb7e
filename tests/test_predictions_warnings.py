"""What is allowed in predictions but not usual is reported as a warning."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen import predictions
from reportgen import spec as specs


def warnings(frame: dict[str, list[object]], **spec: object) -> list[str]:
    """Return the warnings about a frame with truth ``y`` and labels ``l``."""
    given = {"truth": "y", "models": {"m": {"label": "l"}}} | spec
    read = predictions.from_frame(pl.DataFrame(frame), specs.from_dict(given))
    return [f"{check.name}: {check.detail}" for check in read.checks if check.warning]


@pytest.mark.parametrize(
    ("truth", "spec", "message"),
    [
        ([1, 1, 1], {}, "3 rows are 1,"),
        ([0, 0, 0], {}, "3 rows are 0,"),
        (["b", "b", "b"], {"task": "multiclass", "classes": ["a", "b", "c"]}, "3 rows are b,"),
    ],
)
def test_one_class_only_is_told_with_the_class_and_its_rows(truth, spec, message):
    messages = warnings({"y": truth, "l": truth}, **spec)

    assert len(messages) == 1
    assert messages[0].startswith(f"one class: {message}")


def test_rows_that_are_not_judged_do_not_hide_that_one_class_is_missing():
    frame = {"y": [0, 1, 1, 1], "l": [0, 1, 0, 1], "r": ["train", "train", "test", "test"]}

    assert "2 test rows are 1," in warnings(frame, columns={"role": "r"})[0]


def test_two_classes_give_no_warning():
    assert warnings({"y": [0, 1], "l": [1, 1]}) == []
