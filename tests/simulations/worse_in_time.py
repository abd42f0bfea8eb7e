"""How often a model that does not change is said to get worse in time: ``… -m …worse_in_time``.

Estimates of two and of twelve models over points of time; page one names models of which the
limits of the change leave out 0. Printed are the share of data sets in which some model is named by
its own limits, and by those that hold for all models at once.
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen import predictions
from reportgen.comparing.period_changes import PeriodChanges
from reportgen.comparing.period_units import PeriodRows, joint_units
from reportgen.intervals import widening
from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.periods import periods
from reportgen.results.evaluators import evaluator
from reportgen.spec import from_dict
from tests.simulations.report_data_alike import Alike

DESIGNS = [
    Alike(rows, models, task="regression", memory=memory)
    for models in ("ab", "abcdefghijkl")
    for rows in (200, 1000)
    for memory in (0.0, 0.5)
]


def grew(design: Alike, random: np.random.Generator) -> tuple[bool, bool]:
    """Whether limits say that the losses of any model grew: its own, and those of all at once."""
    models = {m: {"estimate": m} for m in design.models}
    spec = from_dict(
        {
            "data": "frame",
            "truth": "truth",
            "models": models,
            "columns": {"time": "time"},
            "bootstrap": {"replicates": 0},
        }
    )
    context = EvaluationContext(predictions.from_frame(design(random), spec), spec)
    part, _ = periods(context.rows, most=2)
    sides = [PeriodRows(context, context.rows.filter(part == place)) for place in (0, 1)]
    both = (sides[0], sides[1])
    task_results = evaluator(context.predictions.task)(context)
    changes = [*PeriodChanges(both, joint_units(*both), task_results).changes()]
    wider = widening(len(changes), 0.95)
    lows = [(c.change, c.change_low) for c in changes if c.change_low is not None]
    return any(low > 0 for _, low in lows), any(v + wider * (low - v) > 0 for v, low in lows)


def main(runs: str = "500") -> None:
    """Print the shares of every design."""
    for design in DESIGNS:
        random = np.random.default_rng(design.rows)
        shares = np.mean([grew(design, random) for _ in range(int(runs))], axis=0)
        of = f"{len(design.models)} models, {design.rows} rows, memory {design.memory}"
        print(f"{of}: {shares[0]:.3f}, all at once {shares[1]:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
