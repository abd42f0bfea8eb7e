"""Read a long table of values: one per model and data set, or per model and fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.errors import DataError, EmptyError, Problem
from reportgen.predictions import grouped_values
from reportgen.predictions.evaluation_scheme import Evaluation, RecognisedScheme
from reportgen.predictions.fit_columns import FITS, fit_columns
from reportgen.predictions.input_tables import LARGEST
from reportgen.predictions.inputs import file_checks, inputs, listed
from reportgen.predictions.load import Loaded, load_file, load_frame, together
from reportgen.predictions.passed_checks import unchanged
from reportgen.predictions.reading import refuse
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source, counted, row_problems
from reportgen.predictions.text_values import as_text
from reportgen.predictions.undeclared import of_frame_of_values, of_values
from reportgen.predictions.validated import Check, InputFile
from reportgen.spec import ScoresSpec
from reportgen.spec.checks import model_issues
from reportgen.spec.scores import NAMES, STATED_DIRECTION
from reportgen.tables import BlockScores, FoldScores

SIZES = ("train_rows", "test_rows")
NUMBERS = ("value", *SIZES)

MOST_MODELS = 50
"""More models than this are refused: their pairs could not be read."""


@dataclass(frozen=True)
class Scores:
    """Values of every model on every data set, or in every fold of one, in file order.

    Data sets that lack a model are left out; ``left_out`` names them, and ``every`` has
    their values, too. ``folds`` and ``evaluation`` are there where the values are those of
    folds; a fold that lacks a model then has null. ``averaged`` is how many data sets the values
    are means of, where groups of them are declared. ``undeclared`` has a column of each candidate
    for such groups beside the ``block``, null where none was looked for.
    """

    frame: DataFrame[BlockScores]
    every: DataFrame[BlockScores]
    models: tuple[str, ...]
    files: tuple[InputFile, ...]
    checks: tuple[Check, ...]
    left_out: tuple[str, ...]
    folds: DataFrame[FoldScores] | None = None
    evaluation: Evaluation | None = None
    averaged: int | None = None
    undeclared: pl.DataFrame | None = None


def read_scores(spec: ScoresSpec, frame: pl.DataFrame | None = None) -> Scores:
    """Read and check the values that a spec names, or those of a frame.

    Raises ``DataError`` with every problem of the data, ``EmptyError`` when
    fewer than two models or two whole data sets (folds) are left.
    """
    columns = [
        RequiredColumn(name, column, "number" if name in NUMBERS else "text", ("columns", name))
        for name in NAMES
        if (column := getattr(spec.columns, name)) is not None
    ]
    where = ("columns", "datasets" if spec.columns.datasets else "models")
    columns += [
        RequiredColumn(f"value:{k}", column, "number", where)
        for k, column in enumerate(spec.columns.datasets or spec.columns.models)
    ]
    used = {column.column for column in columns}
    if frame is not None:
        loaded = [load_frame(frame, columns, spec)]
        table = _checked(spec, ["data frame"], loaded, ())
        return _with_undeclared(table, spec, loaded, partial(of_frame_of_values, frame, used))
    files, hashes = inputs(spec)
    loaded = [load_file(file, columns, spec) for file in files]
    rows = [part.frame.height for part in loaded]
    table = _checked(spec, [f.name for f in files], loaded, listed(files, hashes, rows))
    more = [*unchanged(table.files), *file_checks(files, columns)]
    table = replace(table, checks=(*table.checks, *more))
    return _with_undeclared(table, spec, loaded, partial(of_values, files, used))


def _with_undeclared(
    scores: Scores,
    spec: ScoresSpec,
    loaded: Sequence[Loaded],
    candidates: Callable[[pl.Series], pl.DataFrame],
) -> Scores:
    """With columns that data sets may share, where no groups of them are declared."""
    if spec.columns.group or not spec.columns.dataset:
        return scores
    blocks = pl.concat([as_text(part.frame["dataset"]) for part in loaded])
    return replace(scores, undeclared=candidates(blocks))


def _checked(
    spec: ScoresSpec, names: list[str], loaded: list[Loaded], files: tuple[InputFile, ...]
) -> Scores:
    problems = [problem for part in loaded for problem in part.problems]
    source = Source(tuple(names), tuple(part.frame.height for part in loaded))
    if problems:
        raise DataError(*problems)
    if not sum(source.rows):
        raise EmptyError(Problem("no-rows", "there are no rows", source.title))
    frame = together([part.frame for part in loaded])
    frame = frame.select(
        frame[name].cast(pl.Float64) if name.startswith(NUMBERS) else as_text(frame[name])
        for name in frame.columns
    )
    parts = _by_column(frame, spec)
    for part in parts:
        if faults := _faults(part, spec, source):
            raise DataError(*faults)
    frame = pl.concat(parts)
    if problem := _graded(frame, source):
        raise DataError(problem)
    if problem := _too_many(frame, source):
        raise DataError(problem)
    models = tuple(frame["model"].unique(maintain_order=True))
    of_direction = {"direction": spec.guessed, STATED_DIRECTION: spec.contradicted}
    guessed = [Check(name, text, warning=True) for name, text in of_direction.items() if text]
    refuse(spec, model_issues(spec, models))
    if len(models) < 2 and not spec.comparisons.claims:
        message = "there is only one model, so there is nothing to compare"
        hint = "a claim about it can be tested: comparisons: {claims: [MODEL.MEASURE <= NUMBER]}"
        raise EmptyError(Problem("one-model", message, source.title, hint))
    if "dataset" in frame.columns:
        scores = _over_data_sets(frame, models, source)
        checks = [*_averaged(frame), *guessed]
        return replace(scores, files=files, checks=(*scores.checks, *checks))
    folds = fold_scores(frame, models)
    scores = _whole(_of_folds(folds), models, "fold", source)
    checks = [*scores.checks, *guessed]
    evaluation = evaluation_of(folds, models[0])
    return replace(scores, files=files, folds=folds, evaluation=evaluation, checks=tuple(checks))


def _by_column(frame: pl.DataFrame, spec: ScoresSpec) -> list[pl.DataFrame]:
    """The long form of each column of values; the table itself where it is long."""
    listed = spec.columns.datasets or spec.columns.models
    if not listed:
        return [frame]
    name = "dataset" if spec.columns.datasets else "model"
    keys = [key for key in frame.columns if not key.startswith("value:")]
    order = [key for key in NAMES if key in (*keys, name)]
    return [
        frame.select(*keys, pl.lit(column).alias(name), value=f"value:{k}").select(*order, "value")
        for k, column in enumerate(listed)
    ]


def _graded(frame: pl.DataFrame, source: Source) -> Problem | None:
    """Answers right or wrong are no measures: their differences are compared as counts."""
    whole = frame["value"].drop_nulls()
    if whole.n_unique() != 2 or not whole.is_in([0.0, 1.0]).all():
        return None
    message = "every value is 0 or 1, as of answers that are graded wrong or right"
    hint = "declare them by graded: true and models: {NAME: {label: COLUMN}}, without a task"
    return Problem("graded", message, source.title, hint)


def _too_many(frame: pl.DataFrame, source: Source) -> Problem | None:
    number = frame["model"].n_unique()
    if number <= MOST_MODELS:
        return None
    message = f"{number} models; at most {MOST_MODELS} can be compared"
    return Problem("too-many", message, source.title, "is this the column of models?")


def _faults(frame: pl.DataFrame, spec: ScoresSpec, source: Source) -> list[Problem]:
    """Names that are missing, values that cannot be used or are repeated, sizes that are none."""
    problems: list[Problem] = []
    texts = [name for name in frame.columns if name not in NUMBERS]
    keys = [name for name in texts if name != "group"]
    unit = "data set" if keys == ["dataset", "model"] else "fold"
    for name in texts:
        problems += row_problems(
            "missing-value",
            lambda n: counted(n, "name is missing", "names are missing"),
            f"each row names its {unit} and its model",
            column=str(getattr(spec.columns, name)),
            wrong=frame[name].is_null(),
            source=source,
        )
    of_column = "dataset" if spec.columns.datasets else "model"
    value = spec.columns.value or str(frame[of_column][0])
    problems += row_problems(
        "not-finite",
        lambda n: counted(n, "value is not finite", "values are not finite"),
        "leave the cell empty where there is no value",
        column=value,
        wrong=~frame["value"].is_finite().fill_null(True),
        source=source,
        values=frame["value"],
    )
    problems += row_problems(
        "out-of-range",
        lambda n: counted(n, "value is", "values are") + f" beyond ±{LARGEST:g}",
        "give the measure in another unit: sums of squares of such values are lost",
        column=value,
        wrong=(frame["value"].is_finite() & (frame["value"].abs() > LARGEST)).fill_null(False),
        source=source,
        values=frame["value"],
    )
    problems += row_problems(
        "repeated-value",
        lambda n: counted(n, "row gives a value again", "rows give a value again"),
        f"one value per {unit} and model: give the mean, or name fold and repeat in columns",
        column=value,
        wrong=frame.select(pl.struct(keys).is_first_distinct().not_()).to_series(),
        source=source,
    )
    if "group" in texts:
        problems += grouped_values.faults(frame, str(spec.columns.group), source)
    return problems + _size_faults(frame, spec, source)


def _size_faults(frame: pl.DataFrame, spec: ScoresSpec, source: Source) -> list[Problem]:
    """Sizes of parts that are no positive numbers, or differ between the models of one fold."""
    problems: list[Problem] = []
    fold = [name for name in ("dataset", "repeat", "fold") if name in frame.columns]
    for name in SIZES:
        if name in frame.columns:
            first = pl.col(name).first().over(fold) if fold else pl.col(name).first()
            problems += row_problems(
                "contradiction",
                lambda n: counted(n, "size differs", "sizes differ") + " from another of the fold",
                "models are compared on the same folds: give one size for all of them",
                column=str(getattr(spec.columns, name)),
                wrong=frame.select(pl.col(name) != first).to_series().fill_null(False),
                source=source,
                values=frame[name],
            )
            problems += row_problems(
                "out-of-range",
                lambda n: counted(n, "size is not positive", "sizes are not positive"),
                "give the number of rows of the part",
                column=str(getattr(spec.columns, name)),
                wrong=~((frame[name] > 0) & frame[name].is_finite()).fill_null(False),
                source=source,
                values=frame[name],
            )
    return problems


def _of_data_sets(frame: pl.DataFrame) -> pl.DataFrame:
    """One value per data set and model: over folds their mean, null unless every fold has one."""
    keys = fit_columns(frame.columns)
    if not keys:
        return frame.select("model", "value", block="dataset")
    every = frame.group_by("dataset").agg(every=pl.struct(keys).n_unique())
    means = frame.group_by("dataset", "model", maintain_order=True).agg(
        pl.col("value").mean(), count=pl.col("value").count()
    )
    whole = pl.col("count") == pl.col("every")
    return means.join(every, on="dataset", maintain_order="left").select(
        "model", value=pl.when(whole).then("value"), block="dataset"
    )


def _over_data_sets(frame: pl.DataFrame, models: tuple[str, ...], source: Source) -> Scores:
    """One value per data set and model, or per group of data sets, on which all have values."""
    if "group" not in frame.columns:
        return _whole(_of_data_sets(frame), models, "data set", source)
    of_items = _whole(_of_data_sets(frame), models, "item", source)
    means = grouped_values.means(of_items.frame, grouped_values.groups_of(frame), source)
    number, items = (values["block"].n_unique() for values in (means, of_items.frame))
    check = Check("groups", f"{items} values of each model, averaged over {number} groups")
    checks = (*of_items.checks, check)
    return Scores(means, means, models, (), checks, (), averaged=items)


def _averaged(frame: pl.DataFrame) -> list[Check]:
    keys = fit_columns(frame.columns)
    if not keys:
        return []
    folds = frame.select(pl.struct("dataset", *keys).n_unique()).item()
    return [Check("folds", f"{counted(folds, 'fold', 'folds')}, averaged over each data set")]


def fold_scores(frame: pl.DataFrame, models: Sequence[str]) -> DataFrame[FoldScores]:
    """The values fold by fold, every model in every fold, with the sizes of its two parts."""
    one = pl.lit("1")
    given = frame.select(
        repeat="repeat" if "repeat" in frame.columns else one,
        fold="fold" if "fold" in frame.columns else one,
        model="model",
        value="value",
        **{n: n if n in frame.columns else pl.lit(None, pl.Float64) for n in SIZES},
    )
    keys = list(FITS)
    sizes = given.group_by(keys, maintain_order=True).agg(pl.col(SIZES).max())
    grid = sizes.join(pl.DataFrame({"model": models}), how="cross", maintain_order="left_right")
    values = given.select(*keys, "model", "value")
    whole = grid.join(values, on=[*keys, "model"], how="left", maintain_order="left")
    return FoldScores.validate(whole.select(*keys, "model", "value", *SIZES))


def _of_folds(folds: DataFrame[FoldScores]) -> pl.DataFrame:
    """Every fold as a block: named by its repeat and fold, where there are several of both."""
    several = [name for name in FITS if folds[name].n_unique() > 1] or ["fold"]
    return folds.select("model", "value", block=pl.concat_str(several, separator=", fold "))


def evaluation_of(folds: DataFrame[FoldScores], model: str) -> Evaluation:
    """What the folds show of the evaluation: repeats, folds of each, how much they share.

    Folds of one repeat are taken to be disjoint and of like size, so that of k
    each is trained on k − 1 parts, of which two share k − 2.
    """
    model_folds = folds.filter(model=model)
    counts = model_folds.group_by("repeat").len("folds")["folds"]
    repeats, fits = len(counts), model_folds.height
    k = int(counts[0]) if counts.n_unique() == 1 else 0
    train, test = model_folds.select(pl.col(SIZES).mean()).row(0)
    evaluation = Evaluation("unclear", fits, repeats, k, 0, test, train=train)
    if k == 1:
        return replace(evaluation, scheme="repeated_hold_out")
    if k == 0:
        return evaluation
    times = repeats * (k - 1)  # how often a row is trained on
    overlap = times * (times - 1) / (fits * (fits - 1)) * k / (k - 1)
    scheme: RecognisedScheme = "k_fold" if repeats == 1 else "repeated_k_fold"
    scheme = "five_by_two" if (repeats, k) == (5, 2) else scheme
    return replace(evaluation, scheme=scheme, overlap=overlap, implied=train is None)


def _whole(frame: pl.DataFrame, models: tuple[str, ...], unit: str, source: Source) -> Scores:
    """The blocks in which every model has a value."""
    counts = frame.drop_nulls("value").group_by("block").len()
    whole = counts.filter(pl.col("len") == len(models))["block"]
    blocks = frame["block"].unique(maintain_order=True)
    left_out = tuple(blocks.filter(~blocks.is_in(whole.implode())))
    if len(whole) < 2:
        count_text = counted(len(whole), f"{unit} has", f"{unit}s have")
        hint = "at least two are needed"
        hint += "; leave out the models that lack values" if left_out else ""
        message = f"{count_text} a value of every model"
        raise EmptyError(Problem("too-few", message, source.title, hint))
    every = BlockScores.validate(frame.select("block", "model", "value").drop_nulls("value"))
    values = every.filter(pl.col("block").is_in(whole.implode()))
    checks = [
        Check("values", f"{counted(values.height, 'value', 'values')}, all finite"),
        Check("pairing", f"every model has one value in each of {len(whole)} {unit}s")
        if unit != "data set"
        else Check("pairing", f"every model has one value on each of {len(whole)} data sets"),
    ]
    if left_out:
        count_text = counted(len(left_out), f"{unit} lacks", f"{unit}s lack")
        verb = "is" if len(left_out) == 1 else "are"
        checks.append(
            Check(f"whole {unit}s", f"{count_text} a model and {verb} left out", warning=True)
        )
    return Scores(BlockScores.validate(values), every, models, (), tuple(checks), left_out)
