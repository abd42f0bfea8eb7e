"""What is measured: pairs of functions without arguments, made of a folder and a number of rows."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.resources import EXAMPLES
from tests.benchmarks import contenders
from tests.benchmarks.evaluation import predictions, spec
from tests.benchmarks.tasks import numbers, of_two_numbers, two_classes
from tests.benchmarks.tasks import of_two as spec_of_two
from tests.quick import BINARY_SPEC

Work = Callable[[], object]


Floats = npt.NDArray[np.float64]


Flags = npt.NDArray[np.bool_]


def of_two(rows: int, digits: int | None = None) -> tuple[list[Floats], Flags]:
    """Scores of two models and whose are positive, about 12 %; rounded to ``digits``."""
    random = np.random.default_rng(0)
    truth = random.random(rows) < 0.12
    noise = random.normal(size=rows)
    a = 1 / (1 + np.exp(-(noise + truth * 1.2 - 1.8)))
    b = 1 / (1 + np.exp(-(0.7 * noise + 0.7 * random.normal(size=rows) + truth - 2)))
    return [a, b] if digits is None else [a.round(digits), b.round(digits)], truth


def midranks(values: Floats) -> Floats:
    """Ranks from 1, those with one value sharing the mean of theirs."""
    order = np.argsort(values)
    ordered = values[order]
    starts = np.flatnonzero(np.append([True], ordered[1:] != ordered[:-1]))
    stops = np.append(starts[1:], len(values))
    ranks = np.empty(len(values))
    ranks[order] = np.repeat((starts + stops + 1) / 2, stops - starts)
    return ranks


def sun_xu(scores: list[Floats], truth: Flags) -> tuple[Floats, Floats]:
    """AUCs and their covariance from midranks.

    Sun & Xu (2014), doi:10.1109/LSP.2014.2337313, algorithm 2.
    """
    m, n = int(truth.sum()), int((~truth).sum())
    areas, of_positives, of_negatives = [], [], []
    for score in scores:
        x, y = score[truth], score[~truth]
        together = midranks(np.concatenate([x, y]))
        of_positives.append((together[:m] - midranks(x)) / n)
        of_negatives.append(1 - (together[m:] - midranks(y)) / m)
        areas.append(together[:m].sum() / (m * n) - (m + 1) / (2 * n))
    return np.array(areas), np.cov(of_positives) / m + np.cov(of_negatives) / n


def delong(digits: int | None) -> Callable[[Path, int], tuple[Work, Work]]:
    """Both AUCs with their covariance."""

    def make(_: Path, rows: int) -> tuple[Work, Work]:
        from reportgen.comparisons import area_covariance

        (a, b), truth = of_two(rows, digits)
        frame = pl.DataFrame({"truth": truth, "a": a, "b": b})
        return lambda: area_covariance(frame, ("a", "b")), lambda: sun_xu([a, b], truth)

    return make


def against_rest(_: Path, rows: int, classes: int = 100) -> tuple[Work, Work]:
    """The AUC of each class against the rest, of probabilities in a column per class."""
    from sklearn.metrics import roc_auc_score

    from reportgen import one_vs_rest_areas

    random = np.random.default_rng(0)
    truth = random.integers(0, classes, rows)
    score = random.exponential(size=(rows, classes))
    score[np.arange(rows), truth] += 2 * random.exponential(size=rows)
    score /= score.sum(axis=1, keepdims=True)
    names = [f"class {k}" for k in range(classes)]
    frame = pl.DataFrame({n: score[:, k].copy() for k, n in enumerate(names)} | {"truth": truth})
    return (
        lambda: one_vs_rest_areas(frame, names, truth="truth"),
        lambda: roc_auc_score(truth, score, multi_class="ovr", average=None),
    )


def declared(path: Path, rows: int, *, whole: bool = False) -> tuple[Work, Work]:
    """Columns that are read and checked; of the ``whole`` reading also what the labels say."""
    from reportgen import predictions
    from reportgen.predictions import checks
    from reportgen.predictions.load import load_file
    from reportgen.predictions.required_columns import required_columns
    from reportgen.predictions.source import Source
    from reportgen.spec import from_dict

    (a, b), truth = of_two(rows)
    pl.DataFrame({"y": truth.astype(np.int8), "a": a, "b": b}).write_parquet(path)
    models = {m: {"score": m} for m in ("a", "b")}
    report = from_dict({"data": str(path), "truth": "y", "models": models})
    (file,), hashes = predictions.inputs(report)
    columns, source = required_columns(report), Source((file.name,), (rows,))

    def checked() -> object:
        if whole:
            return predictions.read(report, [file], hashes)
        return checks.problems(load_file(file, columns, report).frame, columns, source)

    return checked, lambda: pl.scan_parquet(path).select("y", "a", "b").collect()


def read(path: Path, rows: int) -> tuple[Work, Work]:
    """All of the reading, but for the file's hash."""
    return declared(path, rows, whole=True)


def unique(*, text: bool) -> Callable[[Path, int], tuple[Work, Work]]:
    """Ids in no order, none of them twice."""

    def make(_: Path, rows: int) -> tuple[Work, Work]:
        import pandera.polars as pa

        from reportgen.predictions import ids
        from reportgen.predictions.source import Source

        number = pl.Series("id", np.random.default_rng(0).permutation(rows))
        frame = number.to_frame().select(pl.format("case-{}", "id").alias("id") if text else "id")
        schema = pa.DataFrameSchema({"id": pa.Column(frame.schema["id"], unique=True)})
        source = Source(("data",), (rows,))
        return lambda: ids.duplicates(frame, "id", source), lambda: schema.validate(frame)

    return make


def rank_alike(_: Path, rows: int) -> tuple[Work, Work]:
    """Two models of which one is an increasing function of the other, and their order alone."""
    from reportgen.predictions import ModelColumns
    from reportgen.predictions.like_rankings import same_rankings

    frame = two_classes(rows).select("a", b=pl.col("a") ** 2)
    models, areas = [ModelColumns(name, score=name) for name in "ab"], dict.fromkeys("ab", 0.7)
    return lambda: same_rankings(frame, models, areas), frame["a"].arg_sort


def evaluated(first: dict[str, Any], second: dict[str, Any]) -> Any:
    """The whole evaluation of one spec beside that of another."""

    def make(path: Path, rows: int) -> tuple[Work, Work]:
        import reportgen

        predictions(rows).write_parquet(path)
        specs = [spec(path, **given) for given in (first, second)]
        return lambda: reportgen.evaluate(specs[0]), lambda: reportgen.evaluate(specs[1])

    return make


def in_groups(*, whole: bool, text: bool = True, ordered: bool = False) -> Any:
    """Closed forms of one model in a fifth as many groups as rows, beside those without groups.

    Of the ``whole`` evaluation from the file, which reads the groups, or of what follows reading
    for the measures of the model and their intervals.
    """

    def make(path: Path, rows: int) -> tuple[Work, Work]:
        import reportgen

        code = pl.Series(np.random.default_rng(1).integers(0, rows // 5, rows))
        name = "patient-" + code.cast(pl.String).str.zfill(6) if text else code
        frame = predictions(rows, 1).with_columns(g=name)
        (frame.sort("g") if ordered else frame).write_parquet(path)
        plain: dict[str, Any] = {"models": 1, "bootstrap": {"replicates": 0}}
        specs = [spec(path, **plain, columns={"group": "g"}), spec(path, **plain)]
        if whole:
            return lambda: reportgen.evaluate(specs[0]), lambda: reportgen.evaluate(specs[1])
        grouped, alone = map(closed_forms, specs)
        return grouped, alone

    return make


def streamed(path: Path, rows: int) -> tuple[Work, Work]:
    """Two models: counted, and in memory."""
    return _both_engines(path, two_classes(rows).select("y", "a", "b"), spec_of_two()())


def streamed_groups(path: Path, rows: int) -> tuple[Work, Work]:
    """Two models in a fifth as many groups as rows and 8 slices: counted, and in memory."""
    site = pl.Series(np.random.default_rng(1).integers(0, 8, rows))
    frame = two_classes(rows).with_columns(site=site.cast(pl.String))
    return _both_engines(path, frame, spec_of_two(columns={"group": "g"}, slices=["site"])())


def _both_engines(path: Path, frame: pl.DataFrame, given: dict[str, Any]) -> tuple[Work, Work]:
    import reportgen

    os.environ["REPORTGEN_CACHE"] = ""  # counts that are kept would not be made again
    frame.write_parquet(path)
    counted, exact = (
        {"data": str(path), **given, "engine": engine} for engine in ("streaming", "exact")
    )
    return lambda: reportgen.evaluate(counted), lambda: reportgen.evaluate(exact)


def closed_forms(given: dict[str, Any]) -> Work:
    """Every measure of the one model of a spec with its interval, from rows that are read."""
    from reportgen import predictions
    from reportgen.measuring.binary_model import evaluate_metrics
    from reportgen.measuring.context import EvaluationContext
    from reportgen.metrics.settings import ErrorCosts
    from reportgen.results.binary import binary_model
    from reportgen.spec import from_dict
    from reportgen.spec import measures as chosen

    asked_for = from_dict(given)
    rows = predictions.read(asked_for)
    costs = ErrorCosts(false_negative=1.0, false_positive=1.0)
    names = [measure.name for measure in chosen.evaluated(asked_for, "binary")]

    def work() -> object:
        model = binary_model(EvaluationContext(rows, asked_for), rows.models[0])
        return evaluate_metrics([model], BINARY_SPEC, costs, names)

    return work


def measures(kind: type[pl.DataType], other: Callable[[str], None] | None) -> Any:
    """Measures and curves alone of two models, beside another's or beside 64 bits where None."""

    def make(path: Path, rows: int) -> tuple[Work, Work]:
        wide = path.with_suffix(".64.parquet")
        frame = two_classes(rows)
        frame.write_parquet(wide)
        frame.with_columns(pl.col("a", "b").cast(kind)).write_parquet(path)
        beside = contenders.reportgen if other is None else other
        return lambda: contenders.reportgen(str(path)), lambda: beside(str(wide))

    return make


def regression(**more: Any) -> Callable[[Path, int], tuple[Work, Work]]:
    """The whole evaluation of two models' estimates, beside the same measures alone."""

    def make(path: Path, rows: int) -> tuple[Work, Work]:
        import reportgen

        frame = numbers(rows)
        frame.with_columns(pl.all().clip(1)).write_parquet(path)  # logarithms and deviances
        given = {"data": str(path), **of_two_numbers(**more)()}
        return (
            lambda: reportgen.evaluate(given),
            lambda: contenders.numbers_of_scikit_learn(str(path)),
        )

    return make


def whole_report(path: Path, rows: int) -> tuple[Work, Work]:
    """The command that builds the example in four formats, beside an evaluation in this process."""
    import reportgen

    two_classes(rows).write_parquet(path)
    example = str(EXAMPLES / "breast_cancer" / "report.yaml")
    command = [sys.executable, "-m", "reportgen", "build", example, "--quiet"]

    def build() -> None:
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([*command, "--out", out], check=True, capture_output=True)

    return build, lambda: reportgen.evaluate({"data": str(path), **spec_of_two()()})
