"""Models in long form, counted: the rows of an example meet wherever they lie."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen import evaluate
from reportgen.engines.cache import Cache
from reportgen.engines.shards import count_shard
from reportgen.errors import DataError
from reportgen.predictions import inputs
from reportgen.progress import silent
from reportgen.spec import from_dict
from tests.breadth import breadth
from tests.engine_data import rows, written
from tests.quick import QUICK

FORMS = {
    "two classes": (
        {"truth": "y", "positive": "ill", "slices": ["site"], "columns": {"id": "id"}},
        {"score": "value"},
    ),
    "regression": ({"truth": "w", "columns": {"id": "id"}}, {"estimate": "value"}),
}


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")


def wide_rows() -> pl.DataFrame:
    return rows(400).select("y", "a", "b", "site", "w").with_row_index("id")


def long_rows() -> pl.DataFrame:
    """The rows of each model, in another order, with ids of the rows as text."""
    whole = wide_rows().unpivot(
        ["b", "a"], index=["id", "y", "site", "w"], variable_name="m", value_name="value"
    )
    return whole.sample(fraction=1, shuffle=True, seed=3)


def spec(data, form: str, *, long: bool, engine: str = "streaming"):
    declared, outputs = FORMS[form]
    models = {m: {next(iter(outputs)): m} for m in "ab"}
    return {
        **declared,
        "data": data,
        "models": {"column": "m", **outputs} if long else models,
        "engine": engine,
        **QUICK,
    }


def in_files(folder, *, as_text: bool = False) -> list[str]:
    """Two files, over which the rows of most examples are spread; ids of the second as text."""
    frame = long_rows()
    parts = frame[:300], frame[300:]
    if as_text:
        parts = parts[0], parts[1].with_columns(pl.col("id").cast(pl.String))
    return [str(written(part, folder / f"{k}.parquet")) for k, part in enumerate(parts)]


@breadth(("form", "as_text"), [("two classes", True), ("regression", False)], 1)
def test_models_in_long_form_have_the_numbers_of_those_in_columns(
    tmp_path, monkeypatch, form, as_text
):
    """Bit for bit, however many parts the examples are dealt to."""
    monkeypatch.setattr("reportgen.engines.plan.LEAF_ROWS", 150)
    data = in_files(tmp_path, as_text=as_text)
    wide = evaluate(spec(str(written(wide_rows(), tmp_path / "w.parquet")), form, long=False))

    long = evaluate(spec(data, form, long=True))

    assert long.data["engine"]["leaves"] == 6
    assert long.metrics.equals(wide.metrics)
    assert long.comparisons.equals(wide.comparisons)
    assert all(table.equals(wide.curves[name]) for name, table in long.curves.items())
    assert [file["rows"] for file in long.data["files"]] == [300, 500]
    assert long.data["rows"] == 400
    assert long.spec["models"] == {"column": "m", **FORMS[form][1], **_unset(form)}


def _unset(form: str) -> dict:
    names = {"two classes": ("label",), "regression": ("low", "high", "quantile", "level")}
    return dict.fromkeys(names[form])


def test_shards_in_long_form_add_up(tmp_path):
    """Where all rows of an example are in one shard."""
    frame, counts = long_rows(), []
    for k, chosen in enumerate((pl.col("id") < 150, pl.col("id") >= 150)):
        path = str(written(frame.filter(chosen), tmp_path / f"{k}.parquet"))
        of_shard = from_dict(spec(path, "two classes", long=True))
        shard, content = count_shard(of_shard, *inputs(of_shard), Cache(None), silent)
        counts.append(str(tmp_path / f"{k}.counts"))
        (tmp_path / f"{k}.counts").write_bytes(content)
        assert shard.models == ("a", "b")
    whole = evaluate(spec(in_files(tmp_path), "two classes", long=True))

    added = evaluate(spec(counts, "two classes", long=True))

    assert added.metrics.equals(whole.metrics)
    assert added.comparisons.equals(whole.comparisons)


def test_faults_name_their_rows(tmp_path):
    frame = long_rows()
    at = pl.int_range(pl.len())
    faults = {
        "column 'value', row 8": frame.with_columns(value=pl.when(at != 7).then("value")),
        "column 'id', row 401": pl.concat([frame[:400], frame[5:6], frame[400:]]),
        "column 'y'": frame.with_columns(y=pl.when(at == 7).then(pl.lit("no")).otherwise("y")),
        "a lacks 1 of the 400 rows of b": frame[1:],
        "differs between models": frame.with_columns(
            site=pl.when(at == 7).then(pl.lit("9")).otherwise("site")
        ),
    }
    for fault, broken in faults.items():
        path = str(written(broken, tmp_path / "broken.parquet"))
        with pytest.raises(DataError, match=fault):
            evaluate(spec(path, "two classes", long=True))


@pytest.mark.parametrize("engine", ["exact", "streaming"])
def test_a_column_that_a_file_has_twice_is_refused(tmp_path, engine):
    lines = [f"{k},{'ill' if k % 2 else 'well'},{m},0.4,0.6" for k in range(20) for m in "ab"]
    data = tmp_path / "twice.csv"
    data.write_text("\n".join(["id,y,m,value,value", *lines, ""]))
    declared = spec(str(data), "two classes", long=True, engine=engine) | {"slices": []}

    with pytest.raises(DataError, match=r"repeated-column: there are two columns 'value'"):
        evaluate(declared)
