"""Winners where items cross the declared groups: ``… tests.simulations.crossed_columns SETS``.

Users rate items, the users are the declared groups, and two models are alike but for what each of
them does to single items: over other items they are equally good. Of each design the share of
reports that name a winner, with the column of the items at hand and without; and, where the models
do nothing to single items, the share in which page one names the column.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

import reportgen

Generator = np.random.Generator

DESIGNS: Mapping[str, tuple[int, int, int]] = {
    "30 users × 40 items": (30, 40, 40),
    "40 users × 12 items": (40, 12, 12),
    "60 users, 20 of 60 items each": (60, 60, 20),
}
"""Users, items, items of each user."""

TASKS = ("estimates", "scores", "decisions")


def rated(
    random: Generator, design: str, task: str, of_item: float, of_user: float
) -> pl.DataFrame:
    """Rows of users and items, with the outputs of two models that are equally good."""
    users, items, each = DESIGNS[design]
    item = np.concatenate([random.permutation(items)[:each] for _ in range(users)])
    user = np.repeat(np.arange(users), each)
    truth = random.normal(size=len(user))
    positive = truth > 0
    columns = {"user": [f"u{k}" for k in user], "item": [f"i{k}" for k in item]}
    for model in "ab":
        by_item, by_user = random.normal(size=items) * of_item, random.normal(size=users) * of_user
        error = by_item[item] + by_user[user] + random.normal(size=len(user))
        if task == "estimates":
            columns[model] = truth + 0.5 * error
        else:
            score = np.where(positive, 1, -1) * (0.8 + 0.5 * error)
            columns[model] = score if task == "scores" else (score > 0).astype(int)
    return pl.DataFrame(columns | {"y": truth if task == "estimates" else positive.astype(int)})


def report(frame: pl.DataFrame, task: str) -> reportgen.Results:
    """The report with the users as groups."""
    output = {"estimates": "estimate", "scores": "score", "decisions": "label"}[task]
    spec = {
        "truth": "y",
        "models": {name: {output: name} for name in "ab"},
        "columns": {"group": "user"},
        "bootstrap": {"replicates": 0},
    }
    if task == "estimates":
        spec |= {"task": "regression", "comparisons": {"primary": "mae"}}
    else:
        spec |= {"task": "binary", "positive": 1}
    if task == "scores":
        spec["threshold"] = 0
    return reportgen.evaluate(spec, frame)


def shares(sets: int) -> Iterator[str]:
    """A line of each design: winners without the column and with it; how often it is named."""
    for design in DESIGNS:
        for task in TASKS:
            random = np.random.default_rng([len(design), len(task)])
            without = with_column = named = 0
            for _ in range(sets):
                frame = rated(random, design, task, 1.0, 0.5)
                with_column += report(frame, task).decision.relation == "ahead"
                without += report(frame.drop("item"), task).decision.relation == "ahead"
                independent = report(rated(random, design, task, 0.0, 0.5), task)
                named += "undeclared_groups" in independent.data
            of_all = " ".join(f"{n / sets:.3f}" for n in (without, with_column, named))
            yield f"- {design}, {task}: {of_all}"


if __name__ == "__main__":
    for line in shares(int(sys.argv[1])):
        print(line, flush=True)
