"""Winners where models are alike: ``python -m tests.simulations.further_winners SETS``.

Whole reports of ordered classes decided by accuracy, of labels in groups, of weights of 0 and 1
beside the same rows without those of weight 0, of few rows with heavy tails, of long form in which
one of three models lacks rows, and of data sets of which some have one class. Of each the share of
reports that name a winner, the share in which a recommended test of two models rejects and that in
which page one says so of others than the best, and passes of each gate; of weights also the share
in which the report of the rows alone concludes otherwise.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit, logit

from reportgen.results import Results, evaluate
from tests.simulations.report_data_alike import Alike, Generator
from tests.simulations.whole_reports import estimates, labels, scored

GROUPS, SETS = {"group": "group"}, {"dataset": "dataset"}
CUTS = (-1.2, -0.4, 0.4, 1.2)


@dataclass(frozen=True)
class Situation:
    """How to draw rows of two models that are alike, and what the spec says of them.

    ``beside``: the rows of weight 1 are also reported alone, without weights.
    """

    draw: Callable[[Generator], pl.DataFrame]
    spec: Mapping[str, Any]
    columns: Mapping[str, str] = field(default_factory=dict)
    beside: bool = False

    def report(self, frame: pl.DataFrame, *, weighted: bool = True) -> Results:
        """The results of one data set."""
        columns = {k: v for k, v in self.columns.items() if weighted or k != "weight"}
        more = {"data": "frame", "columns": columns, "bootstrap": {"replicates": 0}}
        return evaluate({**self.spec, **more}, frame)


def ordered(rows: int, size: int = 1) -> Callable[[Generator], pl.DataFrame]:
    """Five ordered classes: a truth, and two estimates of it with errors of their own, in steps."""

    def draw(random: Generator) -> pl.DataFrame:
        of = Alike(rows, size=size, correlation=0.0 if size == 1 else 0.3)
        truth = of.noise(random)
        seen = {m: truth + 0.7 * of.noise(random) for m in "ab"}
        columns = {"truth": truth} | {m: v / np.sqrt(1.49) for m, v in seen.items()}
        steps = {name: np.searchsorted(CUTS, values) + 1 for name, values in columns.items()}
        return pl.DataFrame(steps | {"group": np.arange(rows) // size})

    return draw


def halved(of: Alike) -> Callable[[Generator], pl.DataFrame]:
    """Rows of which about half have weight 0, the others 1."""

    def draw(random: Generator) -> pl.DataFrame:
        frame = of(random)
        weight = random.integers(0, 2, frame.height)
        return frame.with_columns(weight=pl.Series(weight))

    return draw


def heavy(rows: int, tails: Callable[[Generator, int], Any]) -> Callable[[Generator], pl.DataFrame]:
    """A truth, and two estimates with errors of such tails, half of whose variance they share."""

    def draw(random: Generator) -> pl.DataFrame:
        truth, shared = random.normal(size=rows) * 3, tails(random, rows)
        columns = {m: truth + shared + tails(random, rows) for m in "ab"}
        return pl.DataFrame({"truth": truth, **columns})

    return draw


def unlike(random: Generator) -> pl.DataFrame:
    """20 rows of two models with the same mean absolute error, normal and of heavy tails."""
    truth, tailed = random.normal(size=20) * 3, random.standard_t(3, 20)
    size = np.sqrt(2 / np.pi) / (2 * np.sqrt(3) / np.pi)  # E|normal| over E|t3|
    errors = {"a": random.normal(size=20), "b": tailed * size}
    return pl.DataFrame({"truth": truth} | {m: truth + error for m, error in errors.items()})


def lacking(of: Alike, *, hard: bool) -> Callable[[Generator], pl.DataFrame]:
    """Long form of models of which the last lacks a quarter of the rows: at random, or the hardest.

    Those are where its own errors are largest, as of a model that abstains where it is in doubt.
    """

    def draw(random: Generator) -> pl.DataFrame:
        wide = of(random).with_row_index("id")
        last = of.models[-1]
        errors = (pl.col("truth") - pl.col(last)).abs()
        ease = -errors if hard else pl.col("id").shuffle(random.integers(2**31))
        keeps = wide.select("id", has=ease.rank("ordinal") > of.rows / 4)
        index = ["id", "truth", "group"]
        long = wide.unpivot(list(of.models), index=index, variable_name="model")
        rows = long.join(keeps, on="id", maintain_order="left")
        return rows.filter(pl.col("has") | (pl.col("model") != last)).drop("has")

    return draw


def in_data_sets(sets: int, rows: int, prevalence: float) -> Callable[[Generator], pl.DataFrame]:
    """Rows of small data sets, some of one class; in each another model separates them better."""

    def draw(random: Generator) -> pl.DataFrame:
        frame = Alike(sets * rows, prevalence=prevalence)(random)
        signs = 2 * frame["truth"].to_numpy() - 1
        scores = {
            model: expit(logit(frame[model].to_numpy()) + signs * favour.repeat(rows))
            for model, favour in zip("ab", random.normal(0, 0.5, (2, sets)), strict=True)
        }
        return frame.with_columns(dataset=np.arange(sets * rows) // rows, **scores)

    return draw


def lognormal(random: Generator, rows: int) -> Any:
    """Errors to both sides, lognormal in size."""
    return np.exp(random.normal(size=rows)) * random.choice([-1, 1], rows)


ORDERED = {"truth": "truth", "task": "multiclass", "ordered": True, "classes": [*range(1, 6)]}
ORDERED |= {"models": {m: {"label": m} for m in "ab"}}
LONG = {"column": "model"}
LACKING = {
    "truth": "truth",
    "models": {**LONG, "score": "value"},
    "gates": ["a.auc - b.auc > 0", "a.auc - c.auc > 0", "c.auc - a.auc > 0"],
}
LACKING_ESTIMATES = {"truth": "truth", "models": {**LONG, "estimate": "value"}}
IN_GROUPS = Alike(300, "abc", size=10, correlation=0.4)
MAE = {"comparisons": {"primary": "mae"}}

TAILS: Mapping[str, Callable[[Generator, int], Any]] = {
    "t2": lambda random, rows: random.standard_t(2, rows),
    "t3": lambda random, rows: random.standard_t(3, rows),
    "lognormal": lognormal,
}

SITUATIONS: Mapping[str, Situation] = {
    "ordered classes, 30 rows": Situation(ordered(30), ORDERED),
    "ordered classes, 200 rows": Situation(ordered(200), ORDERED),
    "ordered classes, 40 groups of 15": Situation(ordered(600, 15), ORDERED, GROUPS),
    "labels, 40 groups of 15": Situation(
        Alike(600, task="multilabel", prevalence=0.3, size=15, correlation=0.3), labels(), GROUPS
    ),
    "weights 0 and 1, scores": Situation(
        halved(Alike(300)), scored(), {"weight": "weight"}, beside=True
    ),
    "weights 0 and 1, decisions": Situation(
        halved(Alike(300, task="graded", apart=0.8)),
        {"graded": True, "models": {m: {"label": m} for m in "ab"}},
        {"weight": "weight"},
        beside=True,
    ),
    "weights 0 and 1, estimates": Situation(
        halved(Alike(300, task="regression")), estimates(), {"weight": "weight"}, beside=True
    ),
    **{
        f"20 rows, errors {name}, {measure}": Situation(heavy(20, tails), estimates(**more))
        for name, tails in TAILS.items()
        for measure, more in (("MSE", {}), ("MAE", MAE))
    },
    "20 rows, normal errors against t3, MAE": Situation(unlike, estimates(**MAE)),
    **{
        f"long form, one of three lacks {which} rows{name}": Situation(
            lacking(of, hard=which == "hard"), spec, {"id": "id", **columns}
        )
        for name, of, spec, columns in (
            (", scores", Alike(models="abc"), LACKING, {}),
            (" in groups, scores", IN_GROUPS, LACKING, GROUPS),
            (", estimates", Alike(models="abc", task="regression"), LACKING_ESTIMATES, {}),
        )
        for which in ("random", "hard")
    },
    **{
        f"{sets} data sets of {rows}, {prevalence:.0%} positive": Situation(
            in_data_sets(sets, rows, prevalence), scored(gates=["a.auc - b.auc > 0"]), SETS
        )
        for sets, rows, prevalence in ((12, 20, 0.1), (30, 12, 0.1))
    },
}


def counts(situation: Situation, sets: int, seed: int = 1) -> Counter[str]:
    """How many of so many reports name a winner, reject, or differ from that of the rows alone."""
    counted: Counter[str] = Counter()
    for run in range(sets):
        frame = situation.draw(np.random.default_rng([seed, run]))
        results = situation.report(frame)
        counted["winner"] += _won(results)
        tests = results.comparisons.filter(
            pl.col("slice").is_null(), recommendation="recommended", shows="difference"
        )
        counted["recommended"] += tests.height > 0
        counted["rejected"] += bool(tests["reject"].fill_null(value=False).any())
        counted["ahead elsewhere"] += any(
            caveat.code == "ahead_elsewhere" for caveat in results.decision.caveats
        )
        for gate, state in results.gates.select("gate", "state").iter_rows():
            counted[gate] += state == "pass"
        if situation.beside:
            alone = situation.report(frame.filter(pl.col("weight") == 1), weighted=False)
            counted["winner of the rows alone"] += _won(alone)
            counted["otherwise"] += _won(alone) != _won(results)
    return counted


def _won(results: Results) -> bool:
    return results.decision.relation in ("ahead", "mixed")


def shares(sets: int, *names: str) -> Iterator[str]:
    """A line of each situation."""
    for name in names or SITUATIONS:
        counted = counts(SITUATIONS[name], sets)
        yield f"- {name}: " + ", ".join(f"{k} {n / sets:.3f}" for k, n in counted.items())


if __name__ == "__main__":
    for line in shares(int(sys.argv[1]), *sys.argv[2:]):
        print(line, flush=True)
