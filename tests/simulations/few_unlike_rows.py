"""Winners of models that differ in few rows: ``python -m tests.simulations.few_unlike_rows SETS``.

Two models give the same outputs but for so many rows, in which each has errors of its own, or one
of them, by chance, is far off: none is better. Of each design the share of reports that name a
winner, and how many do so without saying on how few rows that rests.

``… few_unlike_rows SETS groups``: of models that differ in so many of 40 groups, how often the
tests of rows in groups reject.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.comparisons import mcnemar_groups, obuchowski, paired_t_groups
from reportgen.results import Results, evaluate
from tests.quick import QUICK
from tests.simulations.report_data_alike import Generator
from tests.simulations.situations import ALPHA, asked

SAID = ("on which their test rests", "are predicted correctly")
UNLIKE = (4, 5, 6, 9)
"""In how many rows the models differ."""

KINDS = ("own errors", "one far off")
TASKS = ("AUC", "MSE", "MAE", "accuracy")


def drawn(random: Generator, rows: int, unlike: int, kind: str, task: str) -> pl.DataFrame:
    """A truth, and the outputs of two models that differ in so many of the rows."""
    signal = random.normal(size=rows)
    truth = signal + 0.7 * random.normal(size=rows)
    output = {model: signal.copy() for model in "ab"}
    places = random.choice(rows, unlike, replace=False)
    for place in places:
        if kind == "own errors":
            for values in output.values():
                values[place] += random.normal()
        else:
            output["ab"[random.integers(2)]][place] -= 3 * np.sign(truth[place])
    if task == "accuracy":
        output = {model: (values > 0).astype(int) for model, values in output.items()}
    of_numbers = task in ("MSE", "MAE")
    return pl.DataFrame({"y": truth if of_numbers else (truth > 0).astype(int), **output})


def report(frame: pl.DataFrame, task: str) -> Results:
    """The report of two models whose named measure decides."""
    output = {"AUC": "score", "accuracy": "label"}.get(task, "estimate")
    spec = {"truth": "y", "models": {model: {output: model} for model in "ab"}, **QUICK}
    if task == "AUC":
        spec["threshold"] = 0
    if task == "MAE":
        spec["comparisons"] = {"primary": "mae"}
    of_numbers = output == "estimate"
    return evaluate({"task": "regression" if of_numbers else "binary", **spec}, frame)


def counts(
    rows: int, unlike: int, kind: str, task: str, sets: int, seed: int = 1
) -> tuple[int, int]:
    """How many reports name a winner, and how many of these do not say how few rows differ."""
    won = unsaid = 0
    for run in range(sets):
        random = np.random.default_rng([seed, run, unlike])
        decision = report(drawn(random, rows, unlike, kind, task), task).decision
        if decision.relation in ("ahead", "mixed"):
            won += 1
            unsaid += not any(words in c.text for c in decision.caveats for words in SAID)
    return won, unsaid


def shares(sets: int, rows: int = 200) -> Iterator[str]:
    """A line of each kind and measure: the shares by the number of unlike rows."""
    for kind in KINDS:
        for task in TASKS:
            of = [counts(rows, unlike, kind, task, sets) for unlike in UNLIKE]
            won = " ".join(f"{n / sets:.3f}" for n, _ in of)
            yield f"- {kind}, {task}: {won}; {sum(n for _, n in of)} unsaid"


GROUPS = 40
TESTS = ("AUC", "accuracy", "MSE", "MAE")


def in_groups(random: Generator, unlike: int, kind: str, *, unequal: bool) -> Iterator[bool]:
    """Whether the test of each measure rejects where models differ in so many groups."""
    sizes = random.geometric(0.2, GROUPS) if unequal else np.full(GROUPS, 5)
    code = np.repeat(np.arange(GROUPS), sizes)
    of_group, own = random.normal(size=GROUPS)[code], random.normal(size=len(code))
    signal = np.sqrt(0.5) * (of_group + own)
    truth = signal + 0.7 * random.normal(size=len(code))
    outputs = {model: signal.copy() for model in "ab"}
    for group in random.choice(GROUPS, unlike, replace=False):
        there = code == group
        if kind == "own errors":
            for values in outputs.values():
                values[there] += random.normal() + 0.5 * random.normal(size=there.sum())
        else:
            outputs["ab"[random.integers(2)]][there] -= 3 * np.sign(truth[there])
    groups, positive = Groups(code, GROUPS), truth > 0
    frame = pl.DataFrame({"truth": positive, **outputs})
    correct = tuple((values > 0) == positive for values in outputs.values())
    errors = [np.abs(truth - values) for values in outputs.values()]
    tests = (
        obuchowski(frame, asked("auc"), groups),
        mcnemar_groups(correct, groups, asked("accuracy")),
        paired_t_groups((errors[0] ** 2, errors[1] ** 2), groups, asked("mean_squared_error")),
        paired_t_groups((errors[0], errors[1]), groups, asked("mean_absolute_error")),
    )
    for test in tests:
        yield test.p_value is not None and test.p_value < ALPHA


def shares_in_groups(sets: int) -> Iterator[str]:
    """A line of each kind, number of unlike groups, and sizes: the shares by test."""
    for kind in KINDS:
        for unequal in (False, True):
            for unlike in UNLIKE:
                random = np.random.default_rng([unlike, unequal])
                drawn_sets = [
                    list(in_groups(random, unlike, kind, unequal=unequal)) for _ in range(sets)
                ]
                rates = zip(TESTS, np.mean(drawn_sets, axis=0), strict=True)
                text = ", ".join(f"{test} {rate:.3f}" for test, rate in rates)
                yield f"- {kind}, {unlike} groups{', unequal' if unequal else ''}: {text}"


if __name__ == "__main__":
    of_kind = shares_in_groups if "groups" in sys.argv else shares
    for line in of_kind(int(sys.argv[1])):
        print(line, flush=True)
