"""Read a long table of values: one per data set and model."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.errors import DataError, EmptyError, Problem
from reportgen.predictions.load import Loaded, load_file, load_frame, together
from reportgen.predictions.model import Check, InputFile
from reportgen.predictions.reading import inputs, refuse
from reportgen.predictions.source import Source, counted, row_problems
from reportgen.predictions.wanted import Wanted
from reportgen.spec import ScoresSpec
from reportgen.spec.checks import model_findings
from reportgen.tables import BlockScores

MOST_MODELS = 50
"""More models than this are refused: their pairs could not be read."""


@dataclass(frozen=True)
class Scores:
    """Values of every model on every data set, in file order.

    Data sets that lack a model are left out; ``left_out`` names them.
    """

    frame: DataFrame[BlockScores]
    models: tuple[str, ...]
    files: tuple[InputFile, ...]
    checks: tuple[Check, ...]
    left_out: tuple[str, ...]


def read_scores(spec: ScoresSpec, frame: pl.DataFrame | None = None) -> Scores:
    """Read and check the values that a spec names, or those of a frame.

    Raises ``DataError`` with every problem of the data, ``EmptyError`` when
    fewer than two models or two whole data sets are left.
    """
    columns = [
        Wanted("block", spec.columns.dataset, "text", ("columns", "dataset")),
        Wanted("model", spec.columns.model, "text", ("columns", "model")),
        Wanted("value", spec.columns.value, "number", ("columns", "value")),
    ]
    if frame is not None:
        return _checked(spec, ["data frame"], [load_frame(frame, columns, spec)], ())
    files, hashes = inputs(spec)
    loaded = [load_file(file, columns, spec) for file in files]
    listed = tuple(
        InputFile(file.name, digest, file.path.stat().st_size, part.frame.height)
        for file, digest, part in zip(files, hashes, loaded, strict=True)
    )
    return _checked(spec, [file.name for file in files], loaded, listed)


def _checked(
    spec: ScoresSpec, names: list[str], loaded: list[Loaded], files: tuple[InputFile, ...]
) -> Scores:
    problems = [problem for part in loaded for problem in part.problems]
    source = Source(tuple(names), tuple(part.frame.height for part in loaded))
    if problems:
        raise DataError(*problems)
    if not sum(source.rows):
        raise EmptyError(Problem("no-rows", "there are no rows", source.title))
    frame = together([part.frame for part in loaded]).select(
        pl.col("block", "model").cast(pl.String), pl.col("value").cast(pl.Float64)
    )
    if faults := _faults(frame, spec, source):
        raise DataError(*faults)
    return _whole(frame, files, source, spec)


def _faults(frame: pl.DataFrame, spec: ScoresSpec, source: Source) -> list[Problem]:
    found: list[Problem] = []
    for name, column in (("block", spec.columns.dataset), ("model", spec.columns.model)):
        found += row_problems(
            "missing-value",
            lambda n: counted(n, "name is missing", "names are missing"),
            "each row names its data set and its model",
            column=column,
            wrong=frame[name].is_null(),
            source=source,
        )
    found += row_problems(
        "not-finite",
        lambda n: counted(n, "value is not finite", "values are not finite"),
        "leave the cell empty where there is no value",
        column=spec.columns.value,
        wrong=frame["value"].is_infinite().fill_null(False)
        | frame["value"].is_nan().fill_null(False),
        source=source,
        values=frame["value"],
    )
    found += row_problems(
        "repeated-value",
        lambda n: counted(n, "row gives a value again", "rows give a value again"),
        "one value per data set and model: give the mean over repeats",
        column=spec.columns.value,
        wrong=frame.select(pl.struct("block", "model").is_first_distinct().not_()).to_series(),
        source=source,
    )
    if frame["model"].n_unique() > MOST_MODELS:
        message = f"{frame['model'].n_unique()} models; at most {MOST_MODELS} can be compared"
        found.append(Problem("too-many", message, source.title, "is this the column of models?"))
    return found


def _whole(
    frame: pl.DataFrame, files: tuple[InputFile, ...], source: Source, spec: ScoresSpec
) -> Scores:
    models = tuple(frame["model"].unique(maintain_order=True))
    refuse(spec, model_findings(spec, models))
    if len(models) < 2:
        message = "there is one model, so that there is nothing to compare"
        raise EmptyError(Problem("one-model", message, source.title))
    counts = frame.drop_nulls("value").group_by("block").len()
    whole = counts.filter(pl.col("len") == len(models))["block"]
    blocks = frame["block"].unique(maintain_order=True)
    left_out = tuple(blocks.filter(~blocks.is_in(whole.implode())))
    if len(whole) < 2:
        message = f"{counted(len(whole), 'data set has', 'data sets have')} a value of every model"
        cure = "two at least are needed; leave out the models that lack values"
        raise EmptyError(Problem("too-few", message, source.title, cure))
    kept = frame.filter(pl.col("block").is_in(whole.implode()))
    checks = [
        Check("values", f"{counted(kept.height, 'value', 'values')}, all finite"),
        Check("pairing", f"every model has one value on each of {len(whole)} data sets"),
    ]
    if left_out:
        told = counted(len(left_out), "data set lacks", "data sets lack")
        checks.append(Check("whole data sets", f"{told} a model and is left out", warning=True))
    return Scores(BlockScores.validate(kept), models, files, tuple(checks), left_out)
