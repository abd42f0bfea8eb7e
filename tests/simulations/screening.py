"""Many situations, quickly: what whole evaluations recommend, and how often that rejects.

``python -m tests.simulations.screening 400`` runs every quick situation on so many data sets and
prints those in which a recommended test may reject more often than it should; further arguments
are parts of names, which then are printed whatever they say. ``slow`` adds the slow ones.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl

from reportgen.records.definitions import Definitions
from reportgen.results import assembler, binary, evaluate, multiclass, multilabel, regression
from reportgen.results import evaluation as evaluation_of_predictions
from tests.simulations.screened import SCREENED, Screened

ALPHA, MOST = 0.05, 0.065

OF_MARGIN = ("equivalence", "non_inferiority")

Rates = dict[str, tuple[int, int]]
"""Of each test and measure: data sets in which it is recommended, and in which it then rejects."""


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


@contextmanager
def without_measures() -> Iterator[None]:
    """Evaluations without what no test reads: curves, limits of measures, single rows, decision."""
    tasks = (binary, multiclass, multilabel)
    empty = [
        *((of_task, "curves", {}) for of_task in tasks),
        *((of_task, "_with_limits", []) for of_task in (multiclass, multilabel)),
        (binary, "numbers_with_limits_of", []),
        (regression, "_numbers_and_curves", ([], {})),
        (binary.differences, "of_rows", []),
        (binary, "dominances", []),
        (binary, "_threshold_changes", []),
        *(
            (evaluation_of_predictions, name, None)
            for name in ("notable_rows", "data_summary", "_shift")
        ),
        *((evaluation_of_predictions, name, []) for name in ("fold_means", "_averages")),
        (assembler, "definitions", Definitions()),
    ]
    with ExitStack() as stack:
        for module, name, value in empty:
            stack.enter_context(patch.object(module, name, _constant(value)))
        for name in ("with_decision", "without_small_cells"):
            stack.enter_context(patch.object(assembler, name, lambda first, *_: first))
        yield


def comparisons(case: Screened, frame: pl.DataFrame) -> pl.DataFrame:
    """The tests of one data set."""
    settings = {} if "task" in case.spec else {"bootstrap": {"replicates": 0}}
    spec: Mapping[str, Any] = {**settings, **case.spec, "data": "frame", "columns": case.columns}
    return evaluate(spec, frame).comparisons


def outcomes(rows: pl.DataFrame, case: Screened) -> dict[str, bool]:
    """Whether each recommended test rejects, and what is shown of a margin with no reason against.

    Of tests of several pairs any rejection counts, after their correction.
    """
    result: dict[str, bool] = {}
    for row in rows.filter(pl.col("slice").is_null()).drop_nulls("reject").to_dicts():
        of_margin = row["shows"] in OF_MARGIN
        counted = row["why"] is None if of_margin else row["recommendation"] == "recommended"
        counted &= of_margin or not case.differ
        if counted and (not case.measures or row["metric"] in case.measures):
            kind = f"{row['shows']} by " if of_margin else ""
            name = f"{kind}{row['comparison']} of {row['metric']}"
            result[name] = result.get(name, False) or row["reject"]
    return result


def rates(name: str, runs: int) -> Rates:
    """What the reports of so many data sets recommend and reject."""
    case, recommended, rejected = SCREENED[name], Counter[str](), Counter[str]()
    with ExitStack() as stack:
        if not case.whole:
            stack.enter_context(without_measures())
        for run in range(runs):
            random = np.random.default_rng([run, sum(map(ord, name))])
            tests = comparisons(case, case.draw(random))
            for test, rejects in outcomes(tests, case).items():
                recommended[test] += 1
                rejected[test] += rejects
    return {test: (recommended[test], rejected[test]) for test in recommended}


def line(name: str, runs: int, test: str, recommended: int, rejected: int) -> str:
    """One row of the table."""
    share = f"{rejected / runs:.3f}"
    return f"| {name} | {test} | {runs:,} | {recommended / runs:.2f} | {share} |"


def main(runs: str = "400", *parts: str) -> None:
    """Print the table; without names only what exceeds 0.065."""
    slow, parts = "slow" in parts, tuple(part for part in parts if part != "slow")
    names = [
        name
        for name, case in SCREENED.items()
        if case.slow <= slow and (not parts or any(part in name for part in parts))
    ]
    with ProcessPoolExecutor(2) as pool:
        results = pool.map(rates, names, [int(runs)] * len(names))
        for name, result in zip(names, results, strict=True):
            for test, (recommended, rejected) in sorted(result.items()):
                if parts or rejected > MOST * int(runs):
                    print(line(name, int(runs), test, recommended, rejected), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
