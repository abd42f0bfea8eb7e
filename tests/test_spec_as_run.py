"""The spec as it was run: what the command line set is in its text, comments are kept."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reportgen
from reportgen import spec as specs
from reportgen.errors import SpecError
from reportgen.spec.document import parse
from reportgen.spec.overrides import override
from reportgen.spec.reading import from_dict
from reportgen.spec.yaml_text import Plain, block, flow

TEXT = """\
# Release review
data: p.csv  # from the nightly job
truth: y
positive: "01"   # a label, not a number
models:
  a: {score: p_a}
  b.c:          # an old one
    score: p_b  # calibrated
columns:
  id: case
gates:  # what must hold
- a.auc >= 0.8
- a.auc.low >= 0.5
bootstrap: {replicates: 100}
"""


def run(tmp_path, *options: str, text: str = TEXT) -> specs.Spec:
    path = tmp_path / "report.yaml"
    path.write_text(text, encoding="utf-8")
    return specs.read(path, options)


def test_without_options_the_text_is_that_of_the_file(tmp_path):
    assert run(tmp_path).text == TEXT


@pytest.mark.parametrize(
    ("option", "line", "gone"),
    [
        ("positive=1", "positive: 1   # a label, not a number", '"01"'),
        ("threshold=0.3", "threshold: 0.3", "threshold: 0.5"),
        ("models.a.score=q", "  a: {score: q}", "p_a"),
        ("models.b.c.score=q", "    score: q  # calibrated", "p_b"),
        (
            "models.b.c={label: said}",
            "  b.c: {label: said}          # an old one  # calibrated",
            "p_b",
        ),
        ("models.d={score: q}", "  d: {score: q}", "d: {score: q} "),
        ("bootstrap.seed=7", "bootstrap: {replicates: 100, seed: 7}", "100}"),
        ("columns.group=site", "  group: site", "group: site #"),
        ("gates.1=a.auc >= 0.6", '- "a.auc >= 0.6"', "low"),
        ("gates.2=a.auc >= 0.6", '- "a.auc >= 0.6"', "0.7"),
        ("gates=[]", "gates: []  # what must hold", "a.auc >="),
        ("data=[p.csv, q.csv]", "data: [p.csv, q.csv]  # from the nightly job", "data: p"),
        ("comparisons.alpha=0.01", "comparisons: {alpha: 0.01}", "0.05"),
        ('title=A: "b" # c', 'title: "A: \\"b\\" # c"', "A: b"),
    ],
)
def test_what_the_command_line_set_stands_in_its_place_and_comments_are_kept(
    tmp_path, option, line, gone
):
    if "title" in option:
        option = "title='A: \"b\" # c'"
    spec = run(tmp_path, option)

    lines = spec.text.splitlines()
    assert line in lines
    assert gone not in "\n".join(lines[1:])
    assert lines[0].startswith("# As run: ")
    assert lines[1] == "# Release review"


def test_several_options_are_all_in_the_text_and_named_above_it(tmp_path):
    spec = run(tmp_path, "threshold=0.3", "threshold=0.4", "gates.2=a.f1 > 0", "columns.fold=k")

    assert spec.text.splitlines()[0] == (
        "# As run: threshold, gates.2, columns.fold were set on the command line."
    )
    assert "threshold: 0.4" in spec.text
    assert "0.3" not in spec.text


@pytest.mark.parametrize(
    "options",
    [
        ["threshold=0.3"],
        ["models.a={score: q}", "baseline=a"],
        ["gates.2=a.auc >= 0.6", "gates.0=a.f1 > 0.1"],
        ["columns=", "slices=[site]"],
        ["truth=no", "title="],
        ["threshold={maximise: f1, subject to: {recall: '>= 0.9'}}"],
        ["costs.false_negative=5", "costs.false_positive=1"],
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.rstrip("\n"),
        '{data: p.csv, truth: y, positive: "01", models: {a: {score: p}}}\n',
        "data: p.csv\ntruth: y\npositive: 01\nmodels: {a: {score: p_a},}\ncosts:\n"
        "gates: [a.auc > 0.1, 'a.f1 > 0.2']\ntitle: >-\n  Two\n  lines\n# the end",
    ],
    ids=["comments", "no last line end", "one line", "mixed"],
)
def test_the_text_reads_back_as_the_spec_that_was_run(tmp_path, options, text):
    if "gates:" not in text and any(o.startswith("gates.") for o in options):
        options = [f"gates=[{o.partition('=')[2]}]" for o in options]
    spec = run(tmp_path, *options, text=text)
    again = run(tmp_path, text=spec.text)

    assert again == spec
    assert again.to_dict() == spec.to_dict()


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(
        st.characters(exclude_categories=["Cs"]), max_size=8), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


def plain(value: object) -> object:
    """What the reader gives, as the values that were written."""
    if isinstance(value, Plain):
        return value.value
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


@given(values=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1,
       max_size=8), VALUES, min_size=1, max_size=4))  # fmt: skip
def test_any_values_written_as_yaml_are_read_as_the_same(values):
    assert plain(parse(block(values), "s").value) == values


@given(value=VALUES, step=st.sampled_from(["title", "models.a", "gates.1", "columns.id", "x.y.z"]))
def test_any_value_may_be_set_anywhere(value, step):
    from reportgen.spec.reading import _reads_as, as_run

    document, steps, given_value = override(parse(TEXT, "s"), f"{step}={flow(value)}")
    text = as_run(TEXT, document, [(steps, given_value)])

    assert _reads_as(text, document.value)


def test_the_address_of_a_cluster_is_not_written(tmp_path):
    spec = run(tmp_path, "engine={dask: 'tcp://host:8786?token=secret'}", "threshold=0.3")

    assert "secret" not in spec.text
    assert spec.text.splitlines()[0].endswith("; engine not shown.")
    assert "threshold: 0.3" in spec.text


def test_a_spec_made_in_python_has_its_text(tmp_path):
    mapping = {"data": "p.csv", "truth": "y", "positive": 1.0, "models": {"a": {"score": "p"}}}
    spec = from_dict(mapping, tmp_path)

    assert run(tmp_path, text=spec.text) == spec


def test_the_attached_spec_builds_the_same_report(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    pl.DataFrame(
        {
            "y": [0, 1] * 30,
            "p": [i / 60 for i in range(60)],
            "q": [(i * 7 % 60) / 60 for i in range(60)],
        }
    ).write_csv(tmp_path / "p.csv")
    text = "data: p.csv  # nightly\ntruth: y\nmodels:\n  a: {score: p}\n  b: {score: q}\n"
    path = tmp_path / "report.yaml"
    path.write_text(text, encoding="utf-8")
    spec = specs.read(path, ["threshold=0.3", "comparisons.alpha=0.01"])
    first = reportgen.build(spec, out=tmp_path / "one", formats=["json", "markdown"])
    attached = json.loads((first.path / "results.json").read_text("utf-8"))["spec"]["text"]
    path.write_text(attached, encoding="utf-8")
    second = reportgen.build(path, out=tmp_path / "two", formats=["json", "markdown"])

    assert "threshold: 0.3" in attached
    assert "# nightly" in attached
    for name in ("results.json", "summary.md"):
        assert (first.path / name).read_text("utf-8") == (second.path / name).read_text("utf-8")


DOTTED = "data: [p.csv]\ntruth: y\nmodels:\n  my.tree: {score: p}\nbaseline: my.tree\n"


@pytest.mark.parametrize(
    ("override", "field", "value"),
    [
        ("threshold=0.4", "threshold", 0.4),
        ("positive=01", "positive", "01"),
        ("positive=no", "positive", "no"),
        ("data=[a.csv, b.csv]", "data", ("a.csv", "b.csv")),
        ("data.1=b.csv", "data", ("p.csv", "b.csv")),
        ("columns.id=case", "columns", specs.Columns(id="case")),
        ("models.my.tree={score: q}", "models", None),
        ("baseline=", "baseline", None),
        ("title=a=b", "title", "a=b"),
    ],
)
def test_a_value_given_on_the_command_line_wins(tmp_path, override, field, value):
    spec = run(tmp_path, override, text=DOTTED)

    if field == "models":
        value = {"my.tree": specs.ScoreModel(score="q")}
    assert getattr(spec, field) == value


def test_an_error_in_an_override_is_placed_at_the_option(tmp_path):
    options = ("threshold=high", "columns={fodl: x}", "models.b.scor=q")
    with pytest.raises(SpecError) as caught:
        run(tmp_path, *options, text=DOTTED)

    assert {p.place for p in caught.value.problems} == {f"--set {option}" for option in options}


@pytest.mark.parametrize("override", ["threshold", "=1", "data.5=x.csv", "threshold=[", "a=*b"])
def test_an_override_that_cannot_be_applied_is_refused(tmp_path, override):
    with pytest.raises(SpecError, match="--set"):
        run(tmp_path, override, text=DOTTED)
