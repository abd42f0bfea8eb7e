"""Tables of values whose data sets share something, as questions on one text."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen import evaluate, render
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError, SpecError
from reportgen.initial_spec import init_spec
from reportgen.spec import read

MODELS = ["gpt", "llama", "mistral"]
SPEC = {"task": "comparison", "measure": "score", "data": []}
WIDE = {"dataset": "question", "models": MODELS}


def judged(passages: int, questions: int, *, shared: float, seed: int = 0) -> pl.DataFrame:
    """Grades of models alike in skill, of which passages share so much of the variance."""
    random = np.random.default_rng(seed)
    of_passage = np.repeat(np.arange(passages), questions)

    def skill():
        own = random.normal(size=passages * questions)
        common = random.normal(size=passages)[of_passage]
        return 0.5 + 0.25 * (np.sqrt(shared) * common + np.sqrt(1 - shared) * own)

    return pl.DataFrame(
        {
            "question": [f"q{k}" for k in range(len(of_passage))],
            "passage": [f"p{k:02d}" for k in of_passage],
            **{model: skill() for model in MODELS},
        }
    )


def compared(frame, **columns):
    return evaluate({**SPEC, "columns": {**WIDE, **columns}}, frame)


def test_each_group_counts_once_with_the_mean_of_its_data_sets():
    frame = judged(12, 5, shared=0.5).with_row_index().filter(pl.col("index") != 3)
    means = frame.group_by("passage", maintain_order=True).agg(pl.col(MODELS).mean())

    grouped = compared(frame, group="passage")
    averaged = compared(means, dataset="passage")

    assert grouped.data["datasets"] == 12
    assert grouped.data["averaged"] == 59
    for table in ("metrics", "comparisons"):
        assert_frame_equal(getattr(grouped, table), getattr(averaged, table))
    assert "over 12 groups" in render.summary(grouped)
    assert "data set" not in render.summary(grouped)


def test_a_data_set_that_lacks_a_model_counts_in_no_mean():
    frame = judged(10, 4, shared=0.5)
    one = pl.col("question") == "q2"
    lacking = frame.with_columns(gpt=pl.when(~one).then("gpt"))

    assert compared(lacking, group="passage").metrics.equals(
        compared(frame.filter(~one), group="passage").metrics
    )


@pytest.mark.parametrize("long", [True, False])
def test_an_undeclared_column_of_which_differences_depend_takes_the_conclusion_away(long):
    frame = judged(10, 20, shared=0.5, seed=2)
    columns = WIDE
    if long:
        frame = frame.unpivot(on=MODELS, index=["question", "passage"], variable_name="model")
        columns = {"dataset": "question", "model": "model", "value": "value"}
    results = evaluate({**SPEC, "columns": columns}, frame)
    decision = results.decision

    first = results.data["undeclared_groups"][0]
    assert first["column"] == "passage"
    assert first["times_as_wide"] > 2
    assert any("passage is not declared" in caveat.text for caveat in decision.caveats)
    tests = results.comparisons.filter(recommendation="recommended")
    assert tests.filter("reject").is_empty()
    assert decision.relation == "no conclusion"
    assert "with passage as group it would not reject" in decision.headline


def test_families_of_sixty_data_sets_are_named_whatever_the_column_is_called():
    """Rows of a feature's grades are independent; data sets of one family are not."""
    frame = judged(12, 5, shared=0.7, seed=3).rename({"passage": "fam"})
    results = compared(frame)

    assert [one["column"] for one in results.data["undeclared_groups"]] == ["fam"]
    assert results.comparisons.filter("reject", recommendation="recommended").is_empty()
    [text] = [c.text for c in results.decision.caveats if c.code == "undeclared_groups"]
    assert text.endswith("Declare it as columns.group.")


def test_what_differences_do_not_depend_on_is_not_named():
    seen = [
        compared(judged(10, 20, shared=0.0, seed=seed)).data.get("undeclared_groups")
        for seed in range(20)
    ]

    assert seen == [None] * 20


def test_a_data_set_lies_in_one_group():
    frame = judged(10, 4, shared=0.5).unpivot(
        on=MODELS, index=["question", "passage"], variable_name="model"
    )
    columns = {"dataset": "question", "group": "passage", "model": "model", "value": "value"}
    wrong = frame.with_columns(
        passage=pl.when(pl.int_range(pl.len()) == 41).then(pl.lit("p09")).otherwise("passage")
    )

    with pytest.raises(DataError) as fault:
        evaluate({**SPEC, "columns": columns}, wrong)

    assert [(p.code, p.rows) for p in fault.value.problems] == [("contradiction", (42,))]


def test_one_group_is_refused():
    with pytest.raises(EmptyError, match="1 group has a value of every model"):
        compared(judged(1, 20, shared=0.5), group="passage")


def test_groups_of_folds_are_refused():
    columns = {"fold": "question", "group": "passage", "models": MODELS}
    with pytest.raises(SpecError) as fault:
        specs.from_dict({**SPEC, "columns": columns})

    assert [(p.code, "group" in p.place) for p in fault.value.problems] == [("conflict", True)]


def test_init_names_the_group(tmp_path):
    frame = judged(10, 4, shared=0.5).select("question", "passage", *map(pl.col, MODELS))
    shares = frame.with_columns(pl.col(MODELS).clip(0, 1))
    shares.write_csv(tmp_path / "judged.csv")
    shares.unpivot(
        on=MODELS, index=["question", "passage"], variable_name="model", value_name="score"
    ).write_csv(tmp_path / "long.csv")

    for name in ("judged", "long"):
        text = init_spec(tmp_path / f"{name}.csv")
        (tmp_path / f"{name}.yaml").write_text(text)
        spec = read(tmp_path / f"{name}.yaml")
        assert (spec.columns.dataset, spec.columns.group) == ("question", "passage")
        assert evaluate(spec).data["datasets"] == 10
