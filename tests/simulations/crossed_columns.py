"""Winners where items cross the declared groups: ``… tests.simulations.crossed_columns SETS``.

Users rate items, the users are the declared groups, and two models are alike but for what each of
them does to single items: over other items they are equally good. Of each design the share of
reports that name a winner, with the column of the items at hand and without; and, where the models
do nothing to single items, the share in which page one names the column.

``… SETS estimates 2`` is of one task, where the errors of the second model are twice as large: the
share of reports that name the first model, without the column and with it, and that in which a
t-test over the mean differences of items would. ``… SETS declared`` is of equally good models where
the column is the id, is shown, or is a slice: the share of winners, and of those with a slice that
are named without saying that they hold for its values alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from scipy.stats import ttest_1samp

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
    random: Generator,
    design: str,
    task: str,
    of_item: float,
    of_user: float,
    worse: float = 1.0,
) -> pl.DataFrame:
    """Rows of users and items, with the outputs of two models.

    They are equally good unless the errors of the second one are ``worse`` times as large.
    """
    users, items, each = DESIGNS[design]
    item = np.concatenate([random.permutation(items)[:each] for _ in range(users)])
    user = np.repeat(np.arange(users), each)
    truth = random.normal(size=len(user))
    positive = truth > 0
    columns = {"user": [f"u{k}" for k in user], "item": [f"i{k}" for k in item]}
    for model in "ab":
        by_item, by_user = random.normal(size=items) * of_item, random.normal(size=users) * of_user
        error = by_item[item] + by_user[user] + random.normal(size=len(user))
        error *= worse if model == "b" else 1.0
        if task == "estimates":
            columns[model] = truth + 0.5 * error
        else:
            score = np.where(positive, 1, -1) * (0.8 + 0.5 * error)
            columns[model] = score if task == "scores" else (score > 0).astype(int)
    return pl.DataFrame(columns | {"y": truth if task == "estimates" else positive.astype(int)})


def report(frame: pl.DataFrame, task: str, **columns: object) -> reportgen.Results:
    """The report with the users as groups; ``columns`` are further entries of the spec."""
    output = {"estimates": "estimate", "scores": "score", "decisions": "label"}[task]
    spec = {
        "truth": "y",
        "models": {name: {output: name} for name in "ab"},
        "columns": {"group": "user"},
        "bootstrap": {"replicates": 0},
        **columns,
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


def of_items(frame: pl.DataFrame, task: str) -> bool:
    """Whether the mean differences of items, which are independent, leave out that none is."""
    losses = {name: _loss(pl.col(name), task) for name in "ab"}
    means = frame.group_by("item").agg((losses["b"] - losses["a"]).mean())["b"].to_numpy()
    test = ttest_1samp(means, 0)
    return bool(test.pvalue < 0.05 and test.statistic > 0)


def _loss(output: pl.Expr, task: str) -> pl.Expr:
    if task == "estimates":
        return (output - pl.col("y")).abs()
    return ((output > 0) != (pl.col("y") == 1)).cast(pl.Float64)


def power(sets: int, task: str, worse: float) -> Iterator[str]:
    """A line of each design: how often the better model is named; how often by means of items."""
    for design in DESIGNS:
        random, counts = np.random.default_rng([len(design), len(task), 1]), np.zeros(3)
        for _ in range(sets):
            frame = rated(random, design, task, 1.0, 0.5, worse)
            decisions = [report(of, task).decision for of in (frame.drop("item"), frame)]
            named = [of.relation == "ahead" and of.leader == "a" for of in decisions]
            counts += [*named, of_items(frame, task)]
        yield f"- {design}, {task}, {worse:g}: {' '.join(f'{n / sets:.3f}' for n in counts)}"


def declared(sets: int) -> Iterator[str]:
    """A line of each task: winners where the column is the id, shown or a slice, and not said."""
    ways = {
        "id": {"columns": {"group": "user", "id": "item"}},
        "shown": {"privacy": {"show": ["item"]}},
        "slice": {"slices": ["item"]},
    }
    for task in TASKS:
        random, counts = np.random.default_rng([len(task), 2]), dict.fromkeys([*ways, "unsaid"], 0)
        for _ in range(sets):
            frame = rated(random, "40 users × 12 items", task, 1.0, 0.5)
            for name, way in ways.items():
                decision = report(frame, task, **way).decision
                won = decision.relation == "ahead"
                counts[name] += won
                said = any(caveat.code == "grouping_slice" for caveat in decision.caveats)
                counts["unsaid"] += name == "slice" and won and not said
        yield f"- {task}: " + ", ".join(f"{name} {n / sets:.3f}" for name, n in counts.items())


def main(sets: str, task: str = "", worse: str = "1") -> None:
    """Print a line of each design."""
    number = int(sets)
    if task == "declared":
        lines = declared(number)
    else:
        lines = power(number, task, float(worse)) if task else shares(number)
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
