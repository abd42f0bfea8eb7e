"""Specs read from files: defaults, text as written, and every error at its place."""

from __future__ import annotations

from pathlib import Path

import pydantic
import pytest

from reportgen import spec as specs
from reportgen.errors import SpecError

MINIMAL = "data: p.csv\ntruth: y\nmodels:\n  forest: {score: p}\n"


@pytest.fixture
def written(tmp_path):
    """Writes a spec file and returns its path."""

    def write(text: str) -> Path:
        path = tmp_path / "report.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def problems(written):
    """Reads a spec text and returns the problems that it has."""

    def read(text: str, *overrides: str):
        with pytest.raises(SpecError) as caught:
            specs.read(written(text), overrides)
        return list(caught.value.problems)

    return read


def test_data_truth_and_models_are_enough(written):
    spec = specs.read(written(MINIMAL))

    assert spec.title == "Evaluation of forest"
    assert spec.data == ("p.csv",)
    assert spec.models == {"forest": specs.ScoreModel(score="p")}
    assert (spec.threshold, spec.confidence, spec.measures) == (0.5, 0.95, "core")
    assert spec.comparisons == specs.Comparing(alpha=0.05, correction="holm")
    assert spec.output.formats == ("html", "pdf", "json", "markdown")


def test_the_whole_spec_of_the_design_is_read(written, tmp_path):
    (tmp_path / "notes.md").write_text("# Notes")
    spec = specs.read(
        written("""
title: Breast cancer screening, release review
data: [a.parquet, "parts/*.csv"]
truth: diagnosis
positive: malignant
models:
  logistic: {score: p_logistic}
  rules:    {label: rules_says}
  both:     {score: s, label: l}
baseline: logistic
columns: {id: case_id, fold: fold, repeat: repeat, role: role, weight: w, group: patient}
slices: [site, [site, sex]]
threshold: {maximise: precision, subject to: {recall: ">= 0.95"}}
costs: {false_negative: 10, false_positive: 1}
confidence: 0.9
comparisons: {alpha: 0.01, correction: holm}
gates:
  - both.auc.low >= 0.95
  - both.recall - logistic.recall > -0.01
language: en
sections: [verdict, {markdown: notes.md, title: Notes}]
measures: [auc, f1]
output: {directory: out, formats: [html]}
sha256: {a.parquet: abc}
""")
    )

    assert spec.slices == ("site", ("site", "sex"))
    assert isinstance(spec.threshold, specs.Choice)
    assert spec.threshold.subject_to == {"recall": ">= 0.95"}
    assert spec.sections == ("verdict", specs.TextSection(markdown="notes.md", title="Notes"))
    assert spec.to_dict()["threshold"]["subject to"] == {"recall": ">= 0.95"}
    assert spec.base == tmp_path


def test_a_spec_read_again_from_its_plain_values_is_the_same(written):
    spec = specs.read(written(MINIMAL + "threshold: {minimise: cost}\nslices: [a, [a, b]]\n"))

    assert specs.from_dict(spec.to_dict()) == spec


def test_models_in_long_form_are_declared_by_their_column(written):
    text = "data: p.csv\ntruth: y\nmodels: {column: model, score: s}\n"

    assert specs.read(written(text)).models == specs.LongModels(column="model", score="s")


def test_a_model_may_be_called_column(written):
    text = "data: p.csv\ntruth: y\nmodels: {column: {score: s}}\n"

    assert specs.read(written(text)).models == {"column": specs.ScoreModel(score="s")}


@pytest.mark.parametrize(
    ("label", "text"), [("1", "1"), ("01", "01"), ("true", "true"), ("1.0", "1.0"), ("no", "no")]
)
def test_a_label_is_text_as_it_is_written(written, label, text):
    assert specs.read(written(f"{MINIMAL}positive: {label}\n")).positive == text


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (1, "1"), (1.0, "1"), (0.5, "0.5"), ("01", "01")]
)
def test_a_python_value_is_spelled_as_the_data_spells_it(value, text):
    spec = specs.from_dict({"truth": "y", "models": {"a": {"score": "p"}}, "positive": value})

    assert spec.positive == text
    assert spec.data == ()


def test_a_key_left_blank_has_its_default(written):
    spec = specs.read(written(MINIMAL + "baseline:\ncolumns:\n  id:\nthreshold:\n"))

    assert (spec.baseline, spec.columns.id, spec.threshold) == (None, None, 0.5)


def test_a_spec_is_frozen(written):
    spec = specs.read(written(MINIMAL))

    with pytest.raises(pydantic.ValidationError, match="frozen"):
        spec.truth = "z"


def test_a_value_can_be_located_later(written):
    spec = specs.read(written("truth: y\ndata: p\nmodels:\n  my.forest: {score: p}\n"))

    assert spec.locate("models.my.forest.score").endswith("report.yaml:4:22")
    assert spec.locate(("models", "my.forest")).endswith("report.yaml:4:14")
    assert spec.locate("threshold").endswith("report.yaml:1:1")
    problem = spec.problem("truth", "code", "message", "help")
    assert (problem.line, problem.column, problem.hint) == (1, 8, "help")


def test_a_spec_made_in_python_places_errors_by_key():
    with pytest.raises(SpecError) as caught:
        specs.from_dict({"truth": "y", "models": {"a.b": {"scor": "p"}}, "confidence": 2})

    assert [p.place for p in caught.value.problems] == ["spec, models.a.b.scor", "spec, confidence"]


ERRORS = {
    "unknown key": ("postive: 1", "unknown-key", (5, 1), "did you mean 'positive'?"),
    "unknown key in a part": (
        "columns: {fodl: x}",
        "unknown-key",
        (5, 11),
        "did you mean 'fold'?",
    ),
    "key of a part": ("weight: w", "unknown-key", (5, 1), "it belongs under columns"),
    "key of a part, like another": (
        "claims: [forest.auc >= 0.9]",
        "unknown-key",
        (5, 1),
        "it belongs under comparisons",
    ),
    "key of a later part": ("seconds: 9", "unknown-key", (5, 1), "it belongs under limits"),
    "near a key of a part": ("weights: w", "unknown-key", (5, 1), "'weight' under columns"),
    "key of another part": ("output: {seconds: 9}", "unknown-key", (5, 10), "under limits"),
    "key of the top": ("comparisons: {gates: [x]}", "unknown-key", (5, 15), "top level"),
    "near a key of the top": ("columns: {slice: x}", "unknown-key", (5, 11), "'slices' at the top"),
    "near in a later part": ("limits: {secs: 9}", "unknown-key", (5, 10), "'seconds'"),
    "number as text": ('threshold: "0.5"', "wrong-type", (5, 12), "without quotes"),
    "not finite": ("threshold: .nan", "wrong-type", (5, 12), ""),
    "confidence in percent": ("confidence: 95", "out-of-range", (5, 13), ""),
    "confidence zero": ("confidence: 0", "out-of-range", (5, 13), ""),
    "alpha": ("comparisons: {alpha: 1}", "out-of-range", (5, 22), ""),
    "correction": ("comparisons: {correction: hlm}", "unknown-value", (5, 27), "'holm'"),
    "format": ("output: {formats: [html, pfd]}", "unknown-value", (5, 26), "'pdf'"),
    "formats empty": ("output: {formats: []}", "empty", (5, 19), ""),
    "format twice": ("output: {formats: [html, html]}", "repeated", (5, 26), ""),
    "sections": ("sections: 5", "unknown-value", (5, 11), "{omit: [...]}"),
    "measures": ("measures: 5", "unknown-value", (5, 11), "or a list of measures"),
    "section": ("sections: [verdct]", "unknown-value", (5, 12), "'verdict'"),
    "omitted section": ("sections: {omit: [cost]}", "unknown-value", (5, 19), "'costs'"),
    "text section": ("sections: [{markdown: no.md}]", "missing-file", (5, 23), ""),
    "added text section": ("sections: {add: [{markdown: no.md}]}", "missing-file", (5, 29), ""),
    "text section key": ("sections: [{markdwon: x.md}]", "unknown-key", (5, 13), "'markdown'"),
    "language": ("language: fr", "unknown-value", (5, 11), "en"),
    "baseline": ("baseline: forst", "unknown-model", (5, 11), "did you mean 'forest'?"),
    "two goals": ("threshold: {maximise: f1, minimise: cost}", "conflict", (5, 12), ""),
    "no goal": ("threshold: {subject to: {recall: '> 0'}}", "conflict", (5, 12), "maximise"),
    "goal": ("threshold: {maximise: f11}", "unknown-metric", (5, 23), "did you mean 'f1'?"),
    "goal of ranking": ("threshold: {maximise: auc}", "conflict", (5, 23), "f1"),
    "limit": (
        "threshold: {maximise: f1, subject to: {recall: high}}",
        "limit",
        (5, 48),
        "'>= 0.95'",
    ),
    "limited": (
        "threshold: {maximise: f1, subject to: {recal: '> 1'}}",
        "unknown-metric",
        (5, 40),
        "'recall'",
    ),
    "measure": ("measures: [auk]", "unknown-metric", (5, 12), "did you mean 'auc'?"),
    "test": (
        "comparisons: {test: mcnemar_exakt}",
        "unknown-test",
        (5, 21),
        "did you mean 'mcnemar_exact'?",
    ),
    "compared measure": (
        "comparisons: {measures: [f1, avrage_precision]}",
        "unknown-metric",
        (5, 30),
        "did you mean 'average_precision'?",
    ),
    "compared twice": ("comparisons: {measures: [f1, f1]}", "repeated", (5, 30), ""),
    "test of another task": ("comparisons: {test: paired_t}", "unknown-test", (5, 21), ""),
    "test that decides nothing": (
        "comparisons: {test: bayesian_correlated_t}",
        "unknown-test",
        (5, 21),
        "",
    ),
    "gate": ("gates: [forest auc]", "gate-syntax", (5, 9), "MODEL.METRIC"),
    "gate of a model alone": (
        "gates: [forest.auc - forest.auc > 0]",
        "same-sides",
        (5, 9),
        "another model",
    ),
    "measure without bounds": (
        "comparisons: {primary: f_beta(1e308)}",
        "unknown-metric",
        (5, 24),
        "accuracy",
    ),
    "gate model": ("gates: [tree.auc > 0]", "unknown-model", (5, 9), "forest"),
    "gate metric": (
        "gates: [forest.acc > 0]",
        "unknown-metric",
        (5, 9),
        "did you mean 'accuracy'?",
    ),
    "gates no list": (
        "gates: forest.auc > 0",
        "wrong-type",
        (5, 8),
        "write gates: [forest.auc > 0]",
    ),
    "same column": ("columns: {id: y}", "repeated-column", (5, 15), ""),
    "score as weight": ("columns: {weight: p}", "repeated-column", (5, 19), ""),
    "fold and role": ("columns: {fold: f, role: f}", "repeated-column", (5, 26), ""),
    "abbreviated cost": ("costs: {fn: 1, fp: 2}", "unknown-key", (5, 9), "'false_negative'?"),
    "one cost": ("costs: {false_negative: 1}", "missing-key", (5, 8), "both"),
    "negative cost": (
        "costs: {false_negative: 1, false_positive: -1}",
        "out-of-range",
        (5, 44),
        "",
    ),
    "costs zero": ("costs: {false_negative: 0, false_positive: 0}", "out-of-range", (5, 8), ""),
    "costs as a table": (
        "costs: [[0, 1], [2, 0]]",
        "wrong-type",
        (5, 8),
        "{TRUE CLASS: {PREDICTED",
    ),
    "costs by class": ("costs: {a: {b: 1}}", "conflict", (5, 8), "false_negative: 10"),
    "replicates": ("bootstrap: {replicates: 0.5}", "wrong-type", (5, 25), ""),
    "key of bootstrap": ("bootstrap: {sed: 1}", "unknown-key", (5, 13), "did you mean 'seed'?"),
    "title control": ('title: "a\\x07"', "control-character", (5, 1), ""),
    "blank title": ('title: " "', "wrong-type", (5, 8), ""),
    "sha of nothing": ("columns: [id]", "wrong-type", (5, 10), "its keys are id, fold"),
    "two columns as an id": ("columns: {id: [a, b]}", "wrong-type", (5, 15), "one column; where"),
    "part as number": ("keep: 30", "wrong-type", (5, 7), "its keys are last, daily, monthly"),
    "per cent": ("confidence: 95", "out-of-range", (5, 13), "write 0.95 for 95 %"),
    "beginning": ("output: {dir: x}", "unknown-key", (5, 10), "did you mean 'directory'?"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_names_its_place_and_cure(problems, name):
    text, code, place, hint = ERRORS[name]

    by_place = {(p.code, p.line, p.column): p for p in problems(MINIMAL + text + "\n")}
    assert (code, *place) in by_place
    assert hint in by_place[(code, *place)].hint


MODEL_ERRORS = {
    "no output": ("{a: {}}", "no-output", ""),
    "blank": ("{a: }", "wrong-type", "a: {score: COLUMN}"),
    "text": ("{a: p}", "wrong-type", "a: {score: COLUMN}"),
    "list": ("[a]", "wrong-type", "models: {NAME: {score: COLUMN}}"),
    "empty": ("{}", "empty", ""),
    "unknown key": ("{a: {scor: p}}", "unknown-key", "did you mean 'score'?"),
    "one class": ("{a: {scores: {x: p}}}", "too-few", "all of them"),
    "no classes": ("{a: {scores: {}}}", "empty", ""),
    "truth as estimate": ("{a: {estimate: y}}", "repeated-column", "own column"),
    "list of labels": ("{a: {labels: [x]}}", "wrong-type", "labels: {CLASS: COLUMN"),
    "list of scores": ("{a: {score: [x, z]}}", "wrong-type", "scores: {CLASS: COLUMN"),
    "same score": ("{a: {score: p}, b: {score: p}}", "repeated-column", "own column"),
    "same score and label": ("{a: {score: p, label: p}}", "repeated-column", "own column"),
    "truth as score": ("{a: {score: y}}", "repeated-column", "own column"),
    "long without output": ("{column: m}", "no-output", ""),
    "long list": ("{column: m, scores: s}", "wrong-type", "scores: {CLASS: COLUMN"),
    "unprintable name": ('{"a\\x07": {score: p}}', "control-character", ""),
}


@pytest.mark.parametrize("name", MODEL_ERRORS)
def test_an_error_in_the_models_names_its_cure(problems, name):
    text, code, hint = MODEL_ERRORS[name]

    faults = problems(f"data: p.csv\ntruth: y\nmodels: {text}\n")
    assert [p.code for p in faults] == [code]
    assert faults[0].line == 3
    assert hint in faults[0].hint


def test_every_error_of_a_file_is_told_once_in_order(problems):
    text = """data: p.csv
truht: y
models:
  a: {score: p}
  b: {score: {x: y}}
  c: {}
baseline: aa
confidence: 95
gates: [a.auc > 0, [x], b.auc >, q.auc > 0]
sections: [verdct, {markdown: no.md}]
"""
    faults = [(p.line, p.code) for p in problems(text)]

    assert faults == [
        (1, "missing-key"),
        (2, "unknown-key"),
        (5, "wrong-type"),
        (6, "no-output"),
        (7, "unknown-model"),
        (8, "out-of-range"),
        (9, "wrong-type"),
        (9, "gate-syntax"),
        (9, "unknown-model"),
        (10, "unknown-value"),
        (10, "missing-file"),
    ]


def test_a_fault_does_not_cast_shadows(problems):
    """What only follows from another error is not told."""
    faults = problems("data: p\ntruth: y\nmodels: [a]\nbaseline: a\ngates: [a.auc > 0]\n")

    assert [p.code for p in faults] == ["wrong-type"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_an_empty_spec_is_refused(problems, text):
    assert [p.code for p in problems(text)] == ["empty"]


@pytest.mark.parametrize("text", ["just text", "[1, 2]", "3"])
def test_a_spec_that_is_no_mapping_is_refused(problems, text):
    assert [p.code for p in problems(text)] == ["wrong-type"]


def test_a_missing_file_suggests_the_one_beside_it(written, tmp_path):
    written(MINIMAL)

    with pytest.raises(SpecError) as caught:
        specs.read(tmp_path / "reprot.yaml")
    assert "report.yaml" in caught.value.problems[0].hint


def test_a_folder_is_no_spec(tmp_path):
    with pytest.raises(SpecError, match="cannot be read"):
        specs.read(tmp_path)
