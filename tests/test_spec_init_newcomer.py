"""What a first file gets from ``init``: the right task, or a hint that names what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec

RANDOM = np.random.default_rng(7)


def spec_of(folder: Path, frame: pl.DataFrame, truth: str | None = None) -> dict:
    """The spec that ``init`` writes, which loads with its data."""
    frame.write_csv(folder / "data.csv")
    (folder / "s.yaml").write_text(init_spec(folder / "data.csv", truth=truth))
    predictions.read(specs.read(folder / "s.yaml"))
    return yaml.safe_load((folder / "s.yaml").read_text())


def message_of(folder: Path, frame: pl.DataFrame, truth: str | None = None) -> str:
    frame.write_csv(folder / "data.csv")
    with pytest.raises(DataError) as error:
        init_spec(folder / "data.csv", truth=truth)
    return str(error.value)


def test_a_truth_with_unknown_is_preferred_to_a_score_as_the_truth(tmp_path):
    """Neither name nor labels say truth; the two scores are near each other."""
    score = RANDOM.beta(1, 3, 300).round(3)
    status = np.where(RANDOM.random(300) < score, "left", "stayed").astype(object)
    status[:20] = "unknown"
    near = (score + RANDOM.normal(0, 0.03, 300)).clip(0, 1).round(3)
    spec = spec_of(tmp_path, pl.DataFrame({"status": status, "xgb7": score, "second": near}))

    assert (spec["truth"], spec["leave_out"]) == ("status", ["unknown"])
    assert list(spec["models"]) == ["xgb7", "second"]


def test_no_column_that_is_named_for_a_model_is_a_guess_of_the_truth(tmp_path):
    truth = RANDOM.normal(10, 3, 200)
    models = {name: truth + RANDOM.normal(0, 1, 200) for name in ("gbm", "ridge")}

    spec = spec_of(tmp_path, pl.DataFrame({**models, "kwh": truth}))

    assert spec["truth"] == "kwh"
    assert "no truth column" in message_of(tmp_path, pl.DataFrame(models))


def test_counts_are_a_truth_by_their_name_though_they_are_few(tmp_path):
    """Without a word such as predicted in the names of the estimates."""
    exposure = RANDOM.random(3000).round(3)
    mean = 0.15 * exposure * np.exp(RANDOM.normal(0, 0.8, 3000))
    claims = RANDOM.poisson(mean)
    frame = pl.DataFrame({"exposure": exposure, "claims": claims, "glm": mean.round(5)})

    spec = spec_of(tmp_path, frame)

    assert (spec["task"], spec["truth"]) == ("regression", "claims")
    assert spec["models"] == {"glm": {"estimate": "glm"}}


def test_estimates_in_another_unit_are_a_model_and_the_spec_says_so(tmp_path):
    minutes = np.exp(RANDOM.normal(4, 0.6, 400))
    old, new = (minutes * np.exp(RANDOM.normal(0, 0.2, 400)) for _ in range(2))
    frame = pl.DataFrame({"duration": minutes, "old": old, "new": new / 60})

    spec = spec_of(tmp_path, frame)

    assert (spec["truth"], list(spec["models"])) == ("duration", ["old", "new"])
    comment = (tmp_path / "s.yaml").read_text()
    assert "# like the truth divided by 60: another unit?" in comment


def test_limits_that_are_numbered_with_their_level_go_with_their_estimate(tmp_path):
    dose = RANDOM.normal(50, 10, 200).round(1)
    columns: dict[str, np.ndarray] = {"dose_mg": dose}
    for end, half in (("", 5), ("2", 8)):
        estimate = (dose + RANDOM.normal(0, 4, 200)).round(1)
        behind = f"_{end}" if end else ""
        columns[f"est{end}"] = estimate
        columns[f"lo90{behind}"], columns[f"hi90{behind}"] = estimate - half, estimate + half

    spec = spec_of(tmp_path, pl.DataFrame(columns))

    assert spec["models"] == {
        "est": {"estimate": "est", "level": 0.9, "low": "lo90", "high": "hi90"},
        "est2": {"estimate": "est2", "level": 0.9, "low": "lo90_2", "high": "hi90_2"},
    }


def test_answers_graded_in_steps_are_values_of_items_and_runs(tmp_path):
    cells = [(m, f"q{q}", run) for m in "abc" for q in range(20) for run in (1, 2)]
    frame = pl.DataFrame(cells, schema=["model", "item", "run"], orient="row")
    frame = frame.with_columns(grade=pl.Series(RANDOM.choice([0.0, 0.5, 1.0], len(cells))))
    frame.write_csv(tmp_path / "data.csv")

    spec = yaml.safe_load(init_spec(tmp_path / "data.csv"))

    assert spec["task"] == "comparison"
    assert spec["columns"] == {
        "dataset": "item",
        "model": "model",
        "value": "grade",
        "repeat": "run",
    }


@pytest.mark.parametrize("truth", [None, " Relapse "])
def test_labels_that_differ_by_spaces_alone_are_named(tmp_path, truth):
    labels = RANDOM.choice(["Yes", "Yes ", "No", " No"], 100)
    frame = pl.DataFrame({" Relapse ": labels, "p": RANDOM.random(100).round(3)})

    message = message_of(tmp_path, frame, truth)

    spaced = "of ' Relapse ', ' No', 'No'; 'Yes', 'Yes ' differ only by spaces at the ends"
    assert spaced in message


def test_the_error_of_a_build_names_labels_that_differ_by_spaces_alone(tmp_path):
    labels = RANDOM.choice(["Yes", "Yes ", "No"], 100)
    pl.DataFrame({"y": labels, "p": RANDOM.random(100)}).write_csv(tmp_path / "data.csv")
    text = "name: s\ndata: data.csv\ntruth: y\npositive: Yes\nmodels: {m: {score: p}}\n"
    (tmp_path / "s.yaml").write_text(text.replace("Yes", '"Yes"'))

    with pytest.raises(DataError, match="'Yes', 'Yes ' differ only by spaces at the ends"):
        predictions.read(specs.read(tmp_path / "s.yaml"))


def test_percentages_have_a_model_with_a_name_and_a_hint(tmp_path):
    score = (100 * RANDOM.random(200)).round(1)
    truth = np.where(100 * RANDOM.random(200) < score, "Yes", "No")
    frame = pl.DataFrame({"Relapse": truth, "Predicted probability (%)": score})

    spec = spec_of(tmp_path, frame)

    assert list(spec["models"]) == ["model"]
    assert spec["threshold"] == 50
    assert "divide them by 100 to have Brier score" in (tmp_path / "s.yaml").read_text()
