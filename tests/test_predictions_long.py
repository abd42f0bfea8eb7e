"""Models in long form: paired by id, or not paired for a reason."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, SpecError
from reportgen.predictions import ModelColumns

SPEC = {
    "truth": "y",
    "models": {"column": "model", "score": "s"},
    "columns": {"id": "id"},
}


def rows(**models) -> pl.DataFrame:
    """Return long rows: per model a list of (id, truth, score)."""
    return pl.DataFrame(
        [
            {"model": name, "id": i, "y": y, "s": s}
            for name, entries in models.items()
            for i, y, s in entries
        ]
    )


def read(frame: pl.DataFrame, **changes):
    """Read long rows with the example's spec and some changes to it."""
    return predictions.from_frame(frame, specs.from_dict(SPEC | changes))


A = [("u", 1, 0.9), ("v", 0, 0.1), ("w", 1, 0.5)]
B = [("u", 1, 0.8), ("v", 0, 0.3), ("w", 1, 0.2)]


def test_models_become_columns_in_the_order_of_their_names():
    result = read(rows(alpha=A, zeta=B))

    assert result.models == (
        ModelColumns("alpha", "score:0", None),
        ModelColumns("zeta", "score:1", None),
    )
    assert result.frame.to_dict(as_series=False) == {
        "truth": [True, False, True],
        "score:0": [0.9, 0.1, 0.5],
        "score:1": [0.8, 0.3, 0.2],
    }


def test_rows_are_paired_by_id_in_whatever_order_they_come():
    shuffled = read(rows(a=A, b=B[::-1]))
    interleaved = read(rows(a=A, b=B).sort("id"))

    assert shuffled.frame.equals(read(rows(a=A, b=B)).frame)
    assert interleaved.frame.equals(shuffled.frame)


@pytest.mark.parametrize("columns", [{"id": "id"}, {}])
def test_the_order_of_rows_does_not_order_the_models(columns):
    frame = rows(m10=A, M9=B, m2=A)
    shuffles = [frame, frame.reverse(), frame.sample(fraction=1, shuffle=True, seed=3)]

    names = [[m.name for m in read(rows, columns=columns).models] for rows in shuffles]
    assert names == [["m2", "M9", "m10"]] * 3


def test_the_same_id_in_two_repeats_is_two_examples():
    first = rows(a=A, b=B).with_columns(rep=pl.lit(1))
    second = rows(a=A, b=B[::-1]).with_columns(rep=pl.lit(2), s=pl.col("s") / 2)
    result = read(pl.concat([first, second]), columns={"id": "id", "repeat": "rep"})

    assert result.frame["score:1"].to_list() == [0.8, 0.3, 0.2, 0.4, 0.15, 0.1]


def test_labels_are_paired_too():
    frame = rows(a=A, b=B).with_columns(l=pl.Series([1, 0, 1, 0, 0, 1]))
    result = read(frame, models={"column": "model", "label": "l"})

    assert result.frame["label:1"].to_list() == [False, False, True]


@pytest.mark.parametrize(
    ("frame", "columns", "why"),
    [
        (rows(a=A, b=B), {}, "no id column is declared"),
        (
            rows(a=A, b=B[:2]),
            {"id": "id"},
            "b lacks 1 of the 3 rows of a, a coverage of 67\N{NO-BREAK SPACE}%",
        ),
        (
            rows(a=A[:1], b=B),
            {"id": "id"},
            "a lacks 2 of the 3 rows of b, a coverage of 33\N{NO-BREAK SPACE}%",
        ),
        (
            rows(a=A[:2], b=B[1:]),
            {"id": "id"},
            "a and b share 1 row; a has 1 more, b 1 more",
        ),
        (rows(a=A[:1], b=B[1:]), {"id": "id"}, "a and b have no row in common"),
        (
            rows(a=A, b=B[:2], c=A[:1]),
            {"id": "id"},
            "c lacks 2 of the 3 rows of a, a coverage of 33\N{NO-BREAK SPACE}%",
        ),
        (
            rows(a=A[:2], b=B[:1], c=A),
            {"id": "id"},
            "b lacks 2 of the 3 rows of c, a coverage of 33\N{NO-BREAK SPACE}%",
        ),
    ],
)
def test_rows_without_partners_stay_apart_and_the_reason_is_given(frame, columns, why):
    result = read(frame, columns=columns)

    assert result.unpaired is not None
    assert why in result.unpaired
    assert result.frame.height == frame.height
    scored = result.frame.filter(pl.col("score:1").is_not_null())
    assert scored["score:0"].null_count() == scored.height


def test_one_model_needs_no_partner():
    result = read(rows(a=A), columns={})

    assert result.unpaired is None
    assert result.frame.height == 3


def test_models_that_disagree_about_an_example_are_refused():
    frame = rows(a=A, b=[("u", 0, 0.8), ("v", 0, 0.3), ("w", 0, 0.2)])

    with pytest.raises(DataError) as caught:
        read(frame)
    (problem,) = caught.value.problems
    assert (problem.code, problem.count) == ("contradiction", 2)
    assert "column 'y'" in problem.place


def test_an_id_twice_for_one_model_is_refused():
    with pytest.raises(DataError) as caught:
        read(rows(a=[*A, A[0]], b=B))
    (problem,) = caught.value.problems
    assert (problem.code, problem.rows) == ("duplicate-id", (4,))


def test_a_row_without_a_model_is_refused():
    with pytest.raises(DataError, match="null: 1 value is missing"):
        read(rows(a=A, b=B).with_columns(model=pl.Series([None, "a", "a", "b", "b", "b"])))


def test_a_column_with_too_many_names_is_refused():
    frame = pl.DataFrame(
        {"model": [str(i) for i in range(200)], "y": [0, 1] * 100, "s": [0.5] * 200}
    )

    with pytest.raises(DataError, match="200 different models"):
        read(frame, columns={})


def test_names_in_the_spec_are_checked_once_the_models_are_known():
    with pytest.raises(SpecError) as caught:
        read(rows(forest=A, tree=B), baseline="forst", gates=["bush.auc > 0"])

    assert [p.code for p in caught.value.problems] == ["unknown-model", "unknown-model"]
    assert caught.value.problems[0].hint == "did you mean 'forest'?"


def test_long_and_wide_form_give_the_same_table():
    wide = pl.DataFrame(
        {"id": ["u", "v", "w"], "y": [1, 0, 1], "a": [0.9, 0.1, 0.5], "b": [0.8, 0.3, 0.2]}
    )
    models = {"a": {"score": "a"}, "b": {"score": "b"}}

    assert read(wide, models=models).frame.equals(read(rows(a=A, b=B)).frame)
