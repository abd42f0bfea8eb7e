"""What ``init`` makes of several targets that each have predictions of their own."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from reportgen.initial_spec import init_spec

TARGETS = ("Weight", "Waist", "Pulse")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three targets whose estimates are no closer to them than to each other."""
    random = np.random.default_rng(0)
    names = [name for target in TARGETS for name in (target, f"{target}_pred")]
    frame = pl.DataFrame({name: random.normal(100, 10, 30).round(1) for name in names})
    path = tmp_path / "linnerud.csv"
    frame.write_csv(path)
    return path


@pytest.mark.parametrize("truth", TARGETS)
def test_a_target_has_its_own_predictions_and_none_of_another_target(file, truth):
    said: list[str] = []

    spec = yaml.safe_load(init_spec(file, truth=truth, on_guess=said.append))

    assert (spec["task"], spec["truth"]) == ("regression", truth)
    assert [model["estimate"] for model in spec["models"].values()] == [f"{truth}_pred"]
    assert "columns" not in spec  # no estimate of Weight weights the rows
    others = ", ".join(repr(n) for t in TARGETS if t != truth for n in (t, f"{t}_pred"))
    assert said == [
        f"left out: {others} (other targets and their predictions: a spec for each, by --truth)"
    ]


def test_a_single_target_keeps_estimates_that_are_named_for_models(file):
    frame = pl.read_csv(file).select("Weight", "Weight_pred", ridge_pred="Waist")
    frame.write_csv(file)

    spec = yaml.safe_load(init_spec(file, truth="Weight"))

    assert len(spec["models"]) == 2
