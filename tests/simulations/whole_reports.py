"""What whole reports conclude where nothing differs, and where much does.

``python -m tests.simulations.whole_reports 300`` makes so many reports of every design, by the
public evaluation, and reads what the decision record and the tables beside it say; names of designs
after the number run these alone. A false statement counts once per report, however many models,
slices or measures it could be made of: that is the family.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtr
from scipy.stats import binom

from reportgen.concluding.slice_gaps import WITHIN_CLASSES, gaps_that_matter
from reportgen.metric_names import COST
from reportgen.results import Results, evaluate
from tests.report_data import data_sets, resampled
from tests.simulations.report_data_alike import CLASSES, Alike, Frame

ALPHA = 0.05
MOST = 0.065
"""In how many of the reports a false statement may be made."""

CHANCE = 1e-3
"""How rarely chance alone may show what is allowed at most."""

NOT_BETTER = ("brier_skill",)
"""One that says of models whose probabilities are said to be off that no difference is significant:
counted, but no false statement."""

CAVEATS = (
    "cheaper_model",
    "top_of_the_list",
    "better_probabilities",
    "calibration_in_the_large",
    "calibration_slope",
    *NOT_BETTER,
    "nominal_coverage",
    "total",
    "mean_or_median",
    "favoured_median",
    "against_leader",
    "ahead_elsewhere",
    "other_measure",
    "gap_between_slices",
    "off_in_slice",
    "shifted_classes",
    "shifted_since_reference",
    "changed_since_reference",
    "worse_in_time",
)
"""The caveats that say that something differs."""


@dataclass(frozen=True)
class Design:
    """How to draw data, the spec of their report, and what would be no false statement.

    ``best`` is the model that is much better, where one is. ``reference``: the report has the
    data of an earlier period, drawn alike.
    """

    draw: Frame
    spec: Mapping[str, Any]
    columns: Mapping[str, str] = field(default_factory=dict)
    best: str | None = None
    guesses: bool = False
    reference: bool = False

    def report(self, seed: int, run: int) -> Results:
        """The results of one data set."""
        random = np.random.default_rng([seed, run])
        frame = self.draw(random)
        spec = {**self.spec, "data": "frame", "columns": dict(self.columns)}
        if "task" not in spec:
            spec["bootstrap"] = {"replicates": 0}  # which page one does not read
        if not self.reference:
            return evaluate(spec, frame)
        with TemporaryDirectory() as folder:
            earlier = Path(folder) / "earlier.parquet"
            self.draw(random).write_parquet(earlier)
            return evaluate({**spec, "reference": str(earlier)}, frame, allowed_roots=None)


def statements(results: Results, design: Design) -> dict[str, bool]:
    """What a report says that differs, by kind."""
    return {
        **_of_models(results, design),
        **_of_slices(results),
        **_of_gates(results),
        **_of_margins(results),
        **_of_caveats(results),
    }


def _of_models(results: Results, design: Design) -> dict[str, bool]:
    """Whether a model is ahead, and which ones are no better, or worse, than guessing."""
    decision, names = results.decision, [model["name"] for model in results.data["models"]]
    guess = [row for row in decision.at_chance if row.measure != COST]
    said = {"worse than guessing": any(row.worse for row in guess)}
    ahead = decision.relation in ("ahead", "mixed")
    if design.best is not None:
        said["winner"] = ahead and decision.leader == design.best
    elif len(names) > 1:
        said["winner"] = ahead or any(model.significant for model in decision.models)
    if design.guesses:
        models = {row.model for row in guess if row.class_ is None and not row.worse}
        said["better than guessing"] = len(models) < len(names)
    if results.spec.get("costs"):
        said["another threshold"] = decision.action is not None and decision.action.worthwhile
    return said


def _of_slices(results: Results) -> dict[str, bool]:
    """Gaps that are significant in the report or in their slicing, and large ones in classes."""
    if not results.gaps.height:
        return {}
    matter = {gap.metric for gap in gaps_that_matter(results)}
    said = {"gap in the whole report": bool((results.gaps["p_report"] <= ALPHA).any())}
    for (slicing,), gaps in results.gaps.group_by("slicing", maintain_order=True):
        significant = bool((gaps["p_adjusted"] <= ALPHA).any())
        said[f"gap by {' and '.join(slicing)}"] = significant
    return {**said, "gap within classes that matters": not matter.isdisjoint(WITHIN_CLASSES)}


def _of_gates(results: Results) -> dict[str, bool]:
    """The gates that passed, and the claims that are refuted."""
    states = results.gates.select("gate", "state").iter_rows()
    said = {f"gate {gate}": state == "pass" for gate, state in states}
    tests = results.comparisons.filter(
        pl.col("slice").is_null(), pl.col("models").list.len() == 1, recommendation="recommended"
    )
    for metric, reject in tests.select("metric", "reject").iter_rows():
        name = f"claim on {metric}"
        said[name] = said.get(name, False) or bool(reject)
    return said


def _of_margins(results: Results) -> dict[str, bool]:
    """Whether models are within the margin, by tests that have no reason against them."""
    tests = results.comparisons.filter(
        pl.col("slice").is_null(), pl.col("shows").is_in(["equivalence", "non_inferiority"])
    )
    said: dict[str, bool] = {}
    for row in tests.drop_nulls("reject").iter_rows(named=True):
        name = f"{row['shows'].replace('_', '-')} in {row['metric']}"
        against = row["why"] is not None or row["recommendation"] == "avoid"
        said[name] = said.get(name, False) or bool(row["reject"] and not against)
    return said


def _of_caveats(results: Results) -> dict[str, bool]:
    """Caveats that say that something differs, and shifts."""
    codes = {caveat.code for caveat in results.decision.caveats}
    said = {code: True for code in CAVEATS if code in codes}
    if results.shift is not None:
        said["shift"] = any(bool(row.reject) for row in results.shift.quantities)
    return said


@dataclass
class Counts:
    """How often each statement was made in so many reports, and the limits beside the headline."""

    runs: int = 0
    said: Counter[str] = field(default_factory=Counter)
    limits: list[tuple[str, bool, float, float, float]] = field(default_factory=list)

    def add(self, results: Results, design: Design) -> None:
        """Count one report."""
        self.runs += 1
        self.said.update({k: int(v) for k, v in statements(results, design).items()})
        for model in results.decision.models:
            if None not in (model.value, model.low, model.high):
                leads = model.standing == "leader"
                key = f"{results.decision.measure} {model.model if design.best else ''}".strip()
                self.limits.append((key, leads, model.value, model.low, model.high))

    def covered(self) -> dict[str, tuple[float, float]]:
        """Share of limits of all models, and of the leader, that hold the mean of the values."""
        result = {}
        for key in sorted({row[0] for row in self.limits}):
            rows = [row for row in self.limits if row[0] == key]
            truth = float(np.mean([row[2] for row in rows]))
            held = np.array([row[3] <= truth <= row[4] for row in rows])
            leads = np.array([row[1] for row in rows])
            result[key] = (float(held.mean()), float(held[leads].mean()) if leads.any() else np.nan)
        return result

    def too_often(self, design: Design, chance: float) -> dict[str, int]:
        """The false statements that were made more often than in ``MOST`` of the reports.

        ``chance``: how rarely so many may be made where the rate is ``MOST``.
        """
        return {
            kind: count
            for kind, count in self.said.items()
            if binom.sf(count - 1, self.runs, MOST) < chance
            and kind not in NOT_BETTER
            and (kind != "winner" or design.best is None)
        }

    def text(self, name: str) -> str:
        """One line per design."""
        rates = ", ".join(f"{kind} {count / self.runs:.3f}" for kind, count in self.said.items())
        covers = ", ".join(f"{k} {a:.3f} (leader {b:.3f})" for k, (a, b) in self.covered().items())
        return f"{name} ({self.runs}): {rates}; limits hold: {covers}"


def scored(models: str = "ab", **more: Any) -> dict[str, Any]:
    """A spec of models with a score each."""
    return {"truth": "truth", "models": {m: {"score": m} for m in models}, **more}


def several(models: str = "ab", **more: Any) -> dict[str, Any]:
    """A spec of models with scores of three classes."""
    return {"truth": "truth", "models": _of_classes(models), **more}


def labels(models: str = "ab", **more: Any) -> dict[str, Any]:
    """A spec of models with scores of three labels."""
    return {"truth": {k: f"is_{k}" for k in CLASSES}, "models": _of_classes(models), **more}


def estimates(models: str = "ab", **more: Any) -> dict[str, Any]:
    """A spec of models with an estimate each."""
    return {"truth": "truth", "models": {m: {"estimate": m} for m in models}, **more}


def _of_classes(models: str) -> dict[str, Any]:
    return {m: {"scores": {k: m + k for k in CLASSES}} for m in models}


def decided(model: str, at: float) -> Frame:
    """The decisions of a model in place of its scores."""
    rows = Alike()

    def draw(random: np.random.Generator) -> pl.DataFrame:
        return rows(random).with_columns((pl.col(model) >= at).cast(pl.Int64))

    return draw


def guessing(random: np.random.Generator) -> pl.DataFrame:
    """Scores of three models, and a truth that has nothing to do with them."""
    return Alike(models="abc")(random).with_columns(pl.col("truth").shuffle(random.integers(2**31)))


def fitted(scheme: str, **options: Any) -> Frame:
    """Two logistic regressions on features of their own, over the fits of a scheme."""
    draw = resampled(scheme, "logistic", 0.5, 200, **options)
    return lambda random: draw(random, 1)


TWELVE = "abcdefghijkl"
AUC = float(ndtr(1.2 / sqrt(2)))
ACCURACY = float(ndtr(0.6))
"""Of equally frequent classes that are 1.2 standard deviations apart; accuracy at 0.5."""

WORSE = 0.4
"""By how much the classes are less far apart for the second model of a margin."""

MARGIN = float(ndtr(1.6 / sqrt(2)) - AUC)
COSTS = {"false_negative": 5, "false_positive": 1}
BEST = 1 / 6
"""The threshold of least expected cost of calibrated scores."""

FITS = {name: name for name in ("id", "repeat", "fold", "role")}
GROUP, TIME, WEIGHT = ({name: name} for name in ("group", "time", "weight"))
SETS = {"dataset": "dataset", "model": "model", "value": "value"}
FIVE_SLICES = {"slices": ["part", "site"]}
GATES = ["a.auc - b.auc > 0", "a.accuracy - b.accuracy > 0", f"a.auc >= {AUC:.6f}"]
CLAIMS = [f"a.accuracy >= {ACCURACY:.6f}"]
EVERYTHING = {**FIVE_SLICES, "gates": GATES, "costs": COSTS, "threshold": BEST}
GRADED = {"graded": True, "models": {m: {"label": m} for m in "ab"}}

DESIGNS = {
    "two models": Design(Alike(), scored(**EVERYTHING)),
    "rare positives": Design(Alike(600, prevalence=0.05, apart=1.8), scored()),
    "groups": Design(Alike(300, size=10, correlation=0.4), scored(**EVERYTHING), GROUP),
    "classes": Design(Alike(task="multiclass", prevalence=0.2), several(**FIVE_SLICES)),
    "labels": Design(Alike(task="multilabel", prevalence=0.3), labels()),
    "estimates": Design(Alike(task="regression"), estimates(**FIVE_SLICES)),
    "estimates in time": Design(Alike(400, task="regression", memory=0.5), estimates(), TIME),
    "twelve estimates in time": Design(
        Alike(400, TWELVE, task="regression", memory=0.5), estimates(TWELVE, baseline="a"), TIME
    ),
    "scores in time": Design(Alike(400, memory=0.5), scored(), TIME),
    "120 days of scores": Design(Alike(120, memory=0.5), scored(), TIME),
    "120 days of estimates": Design(Alike(120, task="regression", memory=0.5), estimates(), TIME),
    "60 days of estimates": Design(Alike(60, task="regression", memory=0.5), estimates(), TIME),
    "10 folds": Design(fitted("k_fold", folds=10), scored(), FITS),
    "15 splits": Design(fitted("repeated_hold_out", repeats=15), scored(), FITS),
    "weights": Design(Alike(), scored(), WEIGHT),
    "labels against scores": Design(
        decided("b", 0.5),
        {"truth": "truth", "models": {"a": {"score": "a"}, "b": {"label": "b"}}},
    ),
    "graded answers": Design(Alike(task="graded", apart=0.8), {**GRADED, "slices": ["part"]}),
    "graded answers in groups": Design(
        Alike(300, task="graded", apart=0.8, size=10, correlation=0.3), GRADED, GROUP
    ),
    "twelve models": Design(Alike(models=TWELVE), scored(TWELVE, baseline="a")),
    "twelve models of classes": Design(
        Alike(models=TWELVE, task="multiclass", prevalence=0.2), several(TWELVE, baseline="a")
    ),
    "twelve models, rare positives": Design(
        Alike(600, TWELVE, prevalence=0.05, apart=1.8), scored(TWELVE, baseline="a")
    ),
    "a reference": Design(Alike(), scored(slices=["part"]), reference=True),
    "data sets": Design(
        lambda random: data_sets(14, "abcd")(random, 1),
        {"task": "comparison", "measure": "accuracy"},
        SETS,
    ),
    "three models that guess": Design(guessing, scored("abc"), guesses=True),
    "claims": Design(
        Alike(models="a", prevalence=0.5), scored("a", comparisons={"claims": CLAIMS})
    ),
    "a margin": Design(
        Alike(400, better=WORSE),
        scored(baseline="a", comparisons={"margin": MARGIN}),
        best="a",
    ),
    "much better": Design(Alike(better=1.5), scored(), best="a"),
    "much better, rare": Design(Alike(600, prevalence=0.05, better=1.5), scored(), best="a"),
    "much better in groups": Design(
        Alike(300, size=10, correlation=0.4, better=1.5), scored(), GROUP, best="a"
    ),
    "much better classes": Design(
        Alike(task="multiclass", prevalence=0.2, better=1.5), several(), best="a"
    ),
    "much better labels": Design(Alike(task="multilabel", better=1.5), labels(), best="a"),
    "much better estimates": Design(Alike(task="regression", better=3.0), estimates(), best="a"),
    "much better estimates in time": Design(
        Alike(400, task="regression", memory=0.5, better=3.0), estimates(), TIME, best="a"
    ),
    "much better answers": Design(Alike(task="graded", apart=0.3, better=1.0), GRADED, best="a"),
    "much better of twelve": Design(
        Alike(models=TWELVE, better=1.5), scored(TWELVE, baseline="a"), best="a"
    ),
    "much better with weights": Design(Alike(better=1.5), scored(), WEIGHT, best="a"),
}


def counted(design: Design, runs: int, seed: int = 0) -> Counts:
    """The counts of so many reports."""
    counts = Counts()
    for run in range(runs):
        counts.add(design.report(seed, run), design)
    return counts


def main(runs: str = "300", *names: str) -> None:
    """Print the counts of every design, or of those that are named, and what exceeds the level.

    Ends with an error where chance would hardly show so much.
    """
    wrong = []
    for name in names or DESIGNS:
        counts = counted(DESIGNS[name], int(runs))
        print(counts.text(name), flush=True)
        if often := counts.too_often(DESIGNS[name], ALPHA):
            print(f"  too often: {', '.join(often)}", flush=True)
        wrong += [f"{name}: {kind}" for kind in counts.too_often(DESIGNS[name], CHANCE)]
    if wrong:
        sys.exit(f"more often than {MOST}: {'; '.join(wrong)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
