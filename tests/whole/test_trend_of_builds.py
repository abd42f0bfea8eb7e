"""The test of a trend over builds: its level, its power, and the command that prints it."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import numpy as np
import pytest

import reportgen
from reportgen.cli import main
from reportgen.history.level import slope
from tests.simulations.nights import wilson

ROWS = 500

SPEC = """\
data: data.csv
truth: y
models: {m: {score: p}}
measures: [auc]
output: {directory: out}
"""


def rejected(builds: int, tau: float, drop: float, times: int) -> float:
    """How often accuracies of new rows, which vary by ``tau`` and drop in all, show a trend."""
    random = np.random.default_rng(11)
    truth = np.linspace(0.92, 0.92 - drop, builds) + tau * random.normal(size=(times, builds))
    values = random.binomial(ROWS, np.clip(truth, 0, 1)) / ROWS
    lines = [slope(range(builds), [wilson(v, ROWS) for v in night]) for night in values]
    return float(np.mean([line is not None and line.p_value < 0.05 for line in lines]))


@pytest.mark.parametrize("tau", [0.0, 0.02])
@pytest.mark.parametrize("builds", [5, 12])
def test_builds_without_a_trend_show_one_at_most_as_often_as_the_level_says(builds, tau):
    """Simulated with 3,000 series: 0.001 to 0.046 with 5 to 40 builds and τ to 0.02."""
    assert rejected(builds, tau, 0.0, 600) <= 0.065


def test_a_drop_of_seven_points_over_twelve_builds_is_a_trend():
    assert rejected(12, 0.01, 0.07, 100) > 0.9


def test_fewer_than_five_builds_or_dates_that_are_one_have_no_line():
    four = [wilson(0.9, ROWS)] * 4

    assert slope(range(4), four) is None
    assert slope([1] * 6, [*four, *four[:2]]) is None


def builds(folder: Path, shifts: list[float], *, same: bool = False) -> None:
    random = np.random.default_rng(12)
    (folder / "monthly.yaml").write_text(SPEC)
    for month, shift in enumerate(shifts):
        if not same or not month:
            truth = random.integers(0, 2, 200)
            score = random.normal(size=200) + shift * truth
            lines = [f"{y},{p:.4f}" for y, p in zip(truth, score, strict=True)]
            (folder / "data.csv").write_text("\n".join(["y,p", *lines, ""]))
        date = dt.date(2026, month + 1, 15)
        reportgen.build(folder / "monthly.yaml", formats=["json"], date=date)


def answer(capsys, *words: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(["history", *words])
    out = capsys.readouterr()
    return out.out if left.value.code == 0 else out.err


def test_a_spec_names_the_folder_of_its_builds_and_a_fall_is_said(tmp_path, capsys):
    builds(tmp_path, [2.6, 2.2, 1.8, 1.4, 1.0, 0.6])
    spec = str(tmp_path / "monthly.yaml")

    text = answer(capsys, spec, "--number", "m.auc").splitlines()
    line = json.loads(answer(capsys, spec, "--json"))["line"]

    assert len(text) == 7
    assert text[-1].startswith("m.auc falls from 0.9")
    assert "over 6 builds (p " in text[-1]
    assert line["p_value"] < 0.05
    assert line["first"] > line["last"]
    assert "there are no builds of 'monthly'" in answer(capsys, spec, "--out", str(tmp_path))
    there = answer(capsys, "other", "--out", str(tmp_path / "out"))
    assert "this one has builds of monthly" in there


def test_builds_of_the_same_rows_have_no_test(tmp_path, capsys):
    builds(tmp_path, [1.5] * 5, same=True)

    assert json.loads(answer(capsys, str(tmp_path / "monthly.yaml"), "--json"))["line"] is None
