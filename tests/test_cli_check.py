"""What a build would refuse, ``check`` refuses with the same words."""

from __future__ import annotations

import numpy as np
import pytest

TWO = "data: two.csv\ntruth: y\nmodels: {a: {score: a}, b: {score: b}}\n"
SETS = "data: sets.csv\ntask: comparison\nmeasure: auc\ncolumns: {dataset: ds, models: [a, b]}\n"


@pytest.fixture
def folder(project):
    random = np.random.default_rng(2)
    rows = [f"{k % 2},{a:.3f},{b:.3f}" for k, (a, b) in enumerate(random.random((40, 2)))]
    (project / "two.csv").write_text("\n".join(["y,a,b", *rows]))
    sets = [f"s{k},{a:.3f},{b:.3f}" for k, (a, b) in enumerate(random.random((8, 2)))]
    (project / "sets.csv").write_text("\n".join(["ds,a,b", *sets]))
    return project


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"{TWO}comparisons: {{test: nemenyi}}", "unknown-test: the test 'nemenyi' cannot decide"),
        (f"{SETS}comparisons: {{test: nemenyi}}", "unknown-test: the test 'nemenyi' cannot decide"),
        (f"{TWO}reference: two.csv\nengine: streaming", "engine: rows of two periods"),
        (f"{TWO}theme: {{template: nope.j2}}", "template: theme.template: 'nope.j2' cannot be"),
        (f"{TWO}theme: {{logo: nope.png}}", "logo: theme.logo: 'nope.png' cannot be read"),
    ],
    ids=["test", "test of data sets", "engine", "template", "logo"],
)
def test_check_refuses_what_a_build_refuses(run, folder, text, code):
    spec = folder / "other.yaml"
    spec.write_text(text)
    checked, _, err = run("check", spec)
    built, _, refused = run("build", spec)

    assert (checked, built) == (2, 2)
    assert code in err
    assert code in refused


def test_scores_in_percent_are_no_scores_without_problems(run, folder):
    rows = (folder / "two.csv").read_text().splitlines()
    percent = [
        rows[0],
        *(f"{y},{100 * float(a):g},{b}" for y, a, b in (r.split(",") for r in rows[1:])),
    ]
    (folder / "two.csv").write_text("\n".join(percent))
    (folder / "other.yaml").write_text(TWO)
    code, out, err = run("check", folder / "other.yaml")

    assert (code, "see the note" in out) == (0, True)
    assert "note: the scores of a look like percentages; divide them by 100" in err


@pytest.mark.parametrize("text", [f"{TWO}comparisons: {{test: delong}}", SETS])
def test_a_test_that_these_data_have_passes(run, folder, text):
    (folder / "other.yaml").write_text(text)
    assert run("check", folder / "other.yaml")[0] == 0
