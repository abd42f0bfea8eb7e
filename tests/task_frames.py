"""Small frames of several classes, several labels and numbers, and how they are read."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, ReportgenError

ANIMALS = pl.DataFrame(
    {
        "y": ["dog", "cat", "emu", "cat"],
        "p_cat": [0.2, 0.5, 0.1, 0.3],
        "p_dog": [0.5, 0.25, 0.2, 0.3],
        "p_emu": [0.3, 0.25, 0.7, 0.4],
        "says": ["dog", "emu", "emu", "cat"],
        "w": [1.0, 2.0, 1.0, 0.5],
        "site": ["n", None, "s", "n"],
    }
)


SCORES = {"cat": "p_cat", "dog": "p_dog", "emu": "p_emu"}


TOPICS = pl.DataFrame(
    {
        "is_sport": [1, 0, 0],
        "is_news": [True, True, False],
        "sport": [0.9, -0.0, 0.4],
        "news": [0.5, 0.5, 0.1],
        "says_sport": ["true", "false", "true"],
        "says_news": [0.0, 1.0, 0.0],
    }
)


FLAGS = {"sport": "is_sport", "news": "is_news"}


NUMBERS = pl.DataFrame(
    {
        "y": [1.5, 2.0, -3.0],
        "hat": [1, 2, 3],
        "low": [0.0, 1.0, -4.0],
        "high": [2.0, 2.0, 4.0],
    }
)


def read(frame: pl.DataFrame, **given):
    """Return the predictions of a frame under a spec with these values."""
    return predictions.from_frame(frame, specs.from_dict({"truth": "y"} | given))


def faults(frame: pl.DataFrame, error: type[ReportgenError] = DataError, **given):
    """Read what must not be read, and return its problems."""
    with pytest.raises(error) as caught:
        read(frame, **given)
    return list(caught.value.problems)


def forest(**keys):
    """Return the models of a spec with one of them."""
    return {"forest": keys}
