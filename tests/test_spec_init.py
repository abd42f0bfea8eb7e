"""A spec is written from a data file, says why, and builds as it is."""

from __future__ import annotations

import gzip
import time

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen import predictions, resources
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError
from reportgen.initial_spec import init_spec
from tests.breadth import sample_size
from tests.data_files import save

ROWS = 40
TRUTH = [i % 4 == 0 for i in range(ROWS)]
SCORES = [0.55 + i / 100 if t else i / 80 + 0.001 for i, t in enumerate(TRUTH)]
OTHER = [0.3 + i / 91 if t else i / 70 + 0.002 for i, t in enumerate(TRUTH)]


def started(path):
    """Return the spec that init writes beside a file, read back, and its predictions."""
    written = path.parent / "report.yaml"
    written.write_text(init_spec(path), encoding="utf-8")
    spec = specs.read(written)
    return spec, predictions.read(spec)


def table(**columns) -> pl.DataFrame:
    """Return a table with ids, words of truth and a score, and more columns."""
    base = {
        "case_id": [f"c{i:03}" for i in range(ROWS)],
        "diagnosis": ["malignant" if t else "benign" for t in TRUTH],
        "p_forest": SCORES,
    }
    return pl.DataFrame(base | columns)


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "ndjson"])
def test_every_format_gives_the_same_spec(tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    save(
        table(
            p_tree=OTHER,
            rules_says=["malignant" if s > 0.5 else "benign" for s in OTHER],
            fold=[i % 5 for i in range(ROWS)],
            site=["north" if i % 3 else "south" for i in range(ROWS)],
        ),
        path,
    )
    spec, read = started(path)

    assert spec.truth == "diagnosis"
    assert spec.positive == "malignant"
    assert spec.models == {
        "forest": specs.ScoreModel(score="p_forest"),
        "tree": specs.ScoreModel(score="p_tree"),
        "rules": specs.ScoreModel(label="rules_says"),
    }
    assert spec.columns == specs.Columns(id="case_id", fold="fold")
    assert "slices: [site]" in spec.text
    assert read.frame["truth"].to_list() == TRUTH


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (("0", "1"), "1"),
        (("no", "yes"), "yes"),
        (("healthy", "sick"), "sick"),
        (("normal", "odd"), "odd"),
        (("坏瓜", "好瓜"), "好瓜"),
        (("cat", "dog"), "dog"),
        (("dog", "cat"), "cat"),
    ],
)
def test_the_positive_label_is_told_by_its_name_or_is_the_rarer_one(tmp_path, labels, positive):
    path = tmp_path / "d.parquet"
    save(table(diagnosis=[labels[t] for t in TRUTH]), path)
    spec, read = started(path)

    assert spec.positive == positive
    assert read.positive == positive
    assert ("a guess" in spec.text) == ("dog" in labels)


@pytest.mark.parametrize(
    ("labels", "positive", "reason"),
    [
        (("dog", "cat"), "dog", "a guess: 'p_forest' is higher for it (AUC 0.97)"),
        (("ok", "defect"), "defect", "But 'p_forest' is higher for 'ok' (AUC 0.97)"),
    ],
)
def test_scores_say_which_label_is_positive_where_no_name_does(tmp_path, labels, positive, reason):
    """The rarer label is no guess where the scores are higher for the other one."""
    path = tmp_path / "d.parquet"
    truth = [s > 0.3 for s in SCORES[:-1]] + [False]  # most rows, and one error
    save(table(diagnosis=[labels[not t] for t in truth]), path)
    spec, _ = started(path)

    assert spec.positive == positive
    assert reason in spec.text


def test_boolean_and_float_truth_are_understood(tmp_path):
    for name, values in {"b": TRUTH, "f": [float(t) for t in TRUTH]}.items():
        path = tmp_path / f"{name}.parquet"
        save(table(diagnosis=values), path)
        _, read = started(path)

        assert read.frame["truth"].to_list() == TRUTH


def test_scores_and_labels_of_one_name_are_one_model(tmp_path):
    path = tmp_path / "d.csv"
    save(table(pred_forest=["malignant" if s > 0.5 else "benign" for s in SCORES]), path)
    spec, _ = started(path)

    assert spec.models == {"forest": specs.ScoreModel(score="p_forest", label="pred_forest")}


def test_the_truth_is_found_without_a_telling_name_by_what_the_scores_separate(tmp_path):
    path = tmp_path / "d.csv"
    frame = table(sex=["f" if i % 2 else "m" for i in range(ROWS)]).rename({"diagnosis": "xq"})
    save(frame.select("sex", "xq", "p_forest"), path)
    spec, _ = started(path)

    assert spec.truth == "xq"


ALARM = [int(score > 0.5) for score in SCORES]
FLAWED = [int(t) if i % 9 else 1 - int(t) for i, t in enumerate(TRUTH)]


@pytest.mark.parametrize(
    ("truth", "score", "predicted"),
    [
        ("died", "risk", "alarm"),
        ("default", "pd_scorecard", "decision"),
        ("fraude", "probabilité", "prédiction"),
        ("真实标签", "预测概率", "预测标签"),
        ("spam", "p", "above"),
    ],
)
def test_a_decision_that_follows_a_score_exactly_is_not_the_truth(
    tmp_path, truth, score, predicted
):
    path = tmp_path / "d.csv"
    frame = pl.DataFrame(
        {"nr": range(100, 100 + ROWS), truth: FLAWED, score: SCORES, predicted: ALARM}
    )
    for columns in (frame.columns, frame.columns[::-1]):
        save(frame.select(columns), path)
        spec, _ = started(path)

        outputs = {c for model in spec.models.values() for c in (model.score, model.label)}
        assert (spec.truth, spec.columns.id) == (truth, "nr")
        assert outputs - {None} == {score, predicted}


def test_confidence_in_whatever_was_said_is_no_score(tmp_path):
    path = tmp_path / "d.csv"
    predicted = ["malignant" if s > 0.5 else "benign" for s in SCORES]
    sure = [max(s, 1 - s) for s in SCORES]
    save(table(prediction=predicted, confidence=sure).drop("p_forest"), path)
    spec, _ = started(path)

    assert spec.models == {"model": specs.ScoreModel(label="prediction")}


def test_a_measure_of_two_values_is_not_a_truth(tmp_path):
    path = tmp_path / "d.csv"
    save(pl.DataFrame({"n_train": [512, 513] * 5, "score_a": SCORES[:10]}), path)

    with pytest.raises(DataError, match="no truth"):
        init_spec(path)


def test_features_between_0_and_1_are_not_models_when_names_say_which_are(tmp_path):
    path = tmp_path / "d.parquet"
    save(table(humidity=OTHER), path)
    spec, _ = started(path)

    assert list(spec.models) == ["forest"]
    assert "'humidity'" in spec.text


def test_a_score_with_holes_is_not_taken_and_that_is_said(tmp_path):
    path = tmp_path / "d.parquet"
    save(table(p_tree=[None, *OTHER[1:]], p_bush=[float("nan"), *OTHER[1:]]), path)
    spec, _ = started(path)

    assert list(spec.models) == ["forest"]
    assert "# Left out: 'p_tree', 'p_bush' (missing or infinite values: if" in spec.text


@pytest.mark.parametrize(("values", "group"), [(3, None), (12, "age group")])
def test_a_group_of_few_values_is_a_subgroup(tmp_path, values, group):
    path = tmp_path / "d.parquet"
    save(table(**{"age group": [f"g{i % values}" for i in range(ROWS)]}), path)

    assert started(path)[0].columns.group == group


def test_weight_role_repeat_and_group_columns_are_found(tmp_path):
    path = tmp_path / "d.parquet"
    save(
        table(
            case_id=[i % 20 for i in range(ROWS)],
            repeat=[i // 20 for i in range(ROWS)],
            weight=[1.0 + i % 2 for i in range(ROWS)],
            split=["test" if i % 2 else "train" for i in range(ROWS)],
            patient=[i % 7 for i in range(ROWS)],
        ),
        path,
    )
    spec, _ = started(path)

    assert spec.columns == specs.Columns(
        id="case_id", repeat="repeat", role="split", weight="weight", group="patient"
    )


def test_a_column_that_repeats_is_no_id(tmp_path):
    path = tmp_path / "d.parquet"
    save(table(case_id=[i // 2 for i in range(ROWS)]), path)

    assert started(path)[0].columns.id is None


def test_long_form_is_found(tmp_path):
    path = tmp_path / "d.csv"
    parts = [
        table().rename({"p_forest": "score"}).with_columns(model=pl.lit(m)) for m in ("a", "b")
    ]
    save(pl.concat(parts), path)
    spec, read = started(path)

    assert spec.models == specs.LongModels(column="model", score="score")
    assert [m.name for m in read.models] == ["a", "b"]
    assert read.unpaired is None


@pytest.mark.parametrize(
    "name", ["breast_cancer/predictions.parquet", "watermelon/predictions.csv"]
)
def test_the_examples_are_understood(tmp_path, name):
    source = resources.SCHEMAS.parent / "examples" / name
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes())
    spec, _ = started(path)

    assert spec.positive in ("malignant", "好瓜")


ODD = [
    "a: b",
    "it's",
    'say "x"',
    "名前",
    "- x",
    "# c",
    "{a}",
    "[b]",
    "no",
    "1",
    "null",
    "a,b",
    "é ü",
]


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_odd_column_and_label_names_are_quoted(tmp_path, name, ending):
    path = tmp_path / f"odd {name.replace('/', '')}.{ending}"
    save(
        pl.DataFrame(
            {
                f"{name} truth": [name if t else "other" for t in TRUTH],
                name: SCORES,
                f"id {name}": [f"{name}{i}" for i in range(ROWS)],
            }
        ),
        path,
    )
    spec, read = started(path)

    assert spec.truth == f"{name} truth"
    assert {read.positive, read.negative} == {name, "other"}
    assert [m.score for m in spec.models.values()] == [name]


@settings(
    max_examples=sample_size(15, 40),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
        min_size=3,
        max_size=3,
        unique=True,
    )
)
def test_any_column_names_give_a_spec_that_reads(tmp_path, names):
    path = tmp_path / "d.parquet"
    columns = dict(zip(names, (SCORES, TRUTH, OTHER), strict=True))
    save(pl.DataFrame(columns), path)
    try:
        text = init_spec(path)
    except DataError as refused:
        assert refused.problems[0].code == "not-found"  # noqa: PT017  # either is right
        return
    (tmp_path / "report.yaml").write_text(text, encoding="utf-8")

    assert predictions.read(specs.read(tmp_path / "report.yaml")).frame.height == ROWS


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        (pl.DataFrame({"p": SCORES}), "no truth column"),
        (pl.DataFrame({"y": ["a", "b", "c", "d"], "p": [0.1, 0.2, 0.3, 0.4]}), "no truth column"),
        (pl.DataFrame({"y": ["a", "b"], "x": [10.5, 200.25]}), "no score or label column"),
    ],
)
def test_what_cannot_be_found_is_said_with_the_columns(tmp_path, frame, what):
    path = tmp_path / "d.csv"
    save(frame, path)

    with pytest.raises(DataError, match=what) as caught:
        init_spec(path)
    assert frame.columns[0] in caught.value.problems[0].hint


def test_a_file_that_cannot_be_read_or_has_no_rows_is_told_apart(tmp_path):
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "header.csv").write_text("y,p\n")
    (tmp_path / "empty.csv").write_text("")

    with pytest.raises(DataError, match="damaged"):
        init_spec(tmp_path / "bad.parquet")
    with pytest.raises(DataError, match="no such file"):
        init_spec(tmp_path / "none.csv")
    for name in ("header.csv", "empty.csv"):
        with pytest.raises(EmptyError):
            init_spec(tmp_path / name)


def test_a_packed_file_that_is_damaged_is_refused(tmp_path):
    path = tmp_path / "d.csv.gz"
    path.write_bytes(gzip.compress(b"y,p\n1,0.4\n0,0.3\n")[:-9])
    with pytest.raises(DataError, match=r"d\.csv\.gz: .*damaged or is not gzip"):
        init_spec(path)


@pytest.mark.parametrize(("name", "content"), [("d.csv", b"\n"), ("d.csv", b"\xef\xbb\xbf")])
def test_a_file_of_nothing_but_marks_has_no_rows(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(EmptyError, match=r"d\.csv: no-rows"):
        init_spec(tmp_path / name)


def test_a_table_of_very_many_columns_is_understood_in_time(tmp_path):
    """Columns that add up to 1 are looked for among all pairs, of which there are many."""
    noise = {
        f"c{i}": [(7919 * (i + 1) * (k + 3) % 1000) / 1000 for k in range(12)] for i in range(200)
    }
    odd = noise["c5"]
    truth = {"y": [int(p > 0.5) for p in odd], "p_1": odd, "p_0": [1 - p for p in odd]}
    path = tmp_path / "wide.csv"
    pl.DataFrame(truth | noise).write_csv(path)
    began = time.process_time()
    text = init_spec(path, truth="y", positive="1")
    assert time.process_time() - began < 5
    assert "score: p_1" in text
    assert "p_0" not in text.replace("'p_0' is 1 minus it", "")
