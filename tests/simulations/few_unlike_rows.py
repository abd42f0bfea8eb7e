"""Winners of models that differ in few rows: ``python -m tests.simulations.few_unlike_rows SETS``.

Two models give the same outputs but for so many rows, in which each has errors of its own, or one
of them, by chance, is far off: none is better. Of each design the share of reports that name a
winner, and how many do so without saying on how few rows that rests.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from tests.quick import QUICK
from tests.simulations.report_data_alike import Generator

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


if __name__ == "__main__":
    for line in shares(int(sys.argv[1])):
        print(line, flush=True)
