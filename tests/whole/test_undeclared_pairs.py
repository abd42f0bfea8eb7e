"""Two columns that are not declared and cross, as users who rate items: errors depend on both."""

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.translation import translator
from reportgen.translation.names import names_of

MODELS = {name: {"estimate": name} for name in "ab"}


def ratings(seed, rows=800, number=25):
    """Estimates of two models that are equally good, with errors by user and by item."""
    random = np.random.default_rng(seed)
    user, item = np.divmod(random.choice(number * number, rows, replace=rows > number**2), number)
    truth = 2 * random.normal(size=rows)
    columns = {"y": truth, "user_id": user, "item_id": item}
    for name in MODELS:
        of_user, of_item = random.normal(size=(2, number))
        columns[name] = truth + of_user[user] + of_item[item] + random.normal(size=rows)
    return pl.DataFrame(columns)


def evaluated(frame, **columns):
    spec = {"truth": "y", "task": "regression", "models": MODELS, "columns": columns}
    return reportgen.evaluate(spec | {"bootstrap": {"replicates": 0}}, frame)


def stated(results):
    [text] = [c.text for c in results.decision.caveats if c.code == "undeclared_groups"]
    return text


@pytest.mark.parametrize("seed", [5, 29])
def test_a_winner_that_either_column_leaves_and_both_together_do_not_is_none(seed):
    frame = ratings(seed)
    both = evaluated(frame)

    assert both.decision.headline.startswith("No conclusion on which model is better")
    assert "_id as groups it would not reject" in both.decision.headline
    for kept in ("user_id", "item_id"):
        assert " beats " in evaluated(frame.select("y", "a", "b", kept)).decision.headline


def test_the_caveat_names_both_and_is_translated():
    results = evaluated(ratings(5))

    first, second = results.data["undeclared_groups"]
    assert (first["column"], first["crossed"], second["column"]) == (
        "user_id",
        "item_id",
        "item_id",
    )
    text = stated(results)
    assert text == (
        "Neither user_id nor item_id is declared, but rows with the same value of either have "
        "similar errors (25 and 25 values). With the values of both as groups, limits would be up "
        f"to {first['times_as_wide']:.1f} times as wide. Declare user_id as columns.group."
    )
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "p")
    into.text(results.decision.headline, "p")
    assert not into.missing


def test_limits_by_both_are_those_by_one_that_is_declared_and_crossed_by_the_other():
    frame = ratings(5)
    neither, alone = evaluated(frame), evaluated(frame.drop("item_id"))
    declared = evaluated(frame, group="user_id")

    both, user, beyond = (
        {tuple(of["models"]): of["times_as_wide"] for of in first["limits"]}
        for first in (of.data["undeclared_groups"][0] for of in (neither, alone, declared))
    )
    assert both == pytest.approx({models: user[models] * beyond[models] for models in both})


def test_a_column_within_the_other_is_no_second_one():
    frame = ratings(5).with_columns(city=pl.col("user_id") // 2).drop("item_id")

    assert "crossed" not in evaluated(frame).data["undeclared_groups"][0]
