"""Commands on specs: init, check, schema."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

import click

from reportgen.cli.options import Settings, common, limited, reading, set_keys, text_of
from reportgen.errors import OutputError, Problem, SpecError
from reportgen.tasks import TASKS

if TYPE_CHECKING:
    import polars as pl

    from reportgen.predictions import Predictions, Scores
    from reportgen.spec import ScoresSpec, Spec

_path = click.Path(path_type=Path)


BESIDE_IT = "--force overwrites it, --out NAME.yaml writes another"


@click.command()
@click.argument("data", type=_path)
@click.option("--force", is_flag=True, help="Overwrite an existing spec.")
@click.option("--out", default="report.yaml", metavar="NAME", help="Name of the spec's file.")
@click.option(
    "--pin",
    is_flag=True,
    help="Record the SHA-256 of the data, so that a build refuses other data.",
)
@click.option("--encoding", metavar="NAME", help="Encoding of a text file; guessed when left out.")
@click.option(
    "--truth", metavar="COLUMN", help="Column of the observed outcome; guessed when left out."
)
@click.option(
    "--positive", metavar="LABEL", help="Which of two labels is positive; guessed when left out."
)
@limited
@common
def init(
    settings: Settings,
    data: Path,
    force: bool,
    out: str,
    pin: bool,
    encoding: str | None,
    truth: str | None,
    positive: str | None,
) -> None:
    """Write report.yaml beside a data file, from its columns.

    The spec is commented and builds as it is. Check it: the truth, the positive
    label and the score columns are guessed from the data where no name says so.

    \b
    Example:
      reportgen init predictions.parquet
    """
    from reportgen.initial_spec import init_spec
    from reportgen.spec.field_types import canonical_encoding

    name = canonical_encoding(encoding) if encoding else None
    if encoding and name is None:
        hint = "such as utf-8, latin-1 or utf-16"
        raise SpecError(Problem("encoding", f"{encoding!r} is not a text encoding", hint=hint))
    target = data.parent / out
    if target.parent != data.parent or not out.endswith((".yaml", ".yml")):
        hint = "such as churn.yaml: a spec is written beside its data"
        raise SpecError(Problem("out", f"{out!r} is not the name of a spec", hint=hint))
    guesses: list[str] = []
    text = init_spec(
        data, pin=pin, encoding=name, truth=truth, positive=positive, on_guess=guesses.append
    )
    try:
        with target.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        problem = Problem("exists", "the spec already exists", str(target), BESIDE_IT)
        raise OutputError(problem) from None
    except OSError as error:
        hint = "a spec is written beside its data: copy the data to a folder of your own"
        problem = Problem("output", f"cannot write: {error.strerror}", str(target), hint)
        raise OutputError(problem) from None
    settings.result({"path": str(target)}, str(target))
    for guess in guesses:
        settings.warn(f"warning: {guess}")
    settings.notice(f"next: reportgen build {shlex.quote(str(target))}")


@click.command()
@click.argument("spec", type=_path)
@set_keys
@reading
@limited
@common
def check(
    settings: Settings,
    spec: Path,
    overrides: Sequence[str],
    allowed_roots: Sequence[Path] | None,
) -> None:
    """Check a spec and its data; build nothing.

    \b
    Example:
      reportgen check report.yaml
    """
    from reportgen import engines, predictions
    from reportgen.builds.given_files import given_files
    from reportgen.spec import ScoresSpec, read

    with settings.progress() as on_step:
        on_step("reading the spec")
        declared = read(spec, overrides, allowed_roots=allowed_roots)
        given_files(declared)
        if isinstance(declared, ScoresSpec):
            on_step("reading the values")
            scores = predictions.read_scores(declared)
            _try_chosen_test(declared, scores)
            _tell_scores(settings, spec, declared, scores)
            return
        on_step("reading the predictions")
        files, hashes = predictions.inputs(declared)
        engines.chosen(declared, files)  # refuses what counts cannot stand for
        data = predictions.read(declared, files, hashes)
        if declared.reference is not None:
            on_step("reading the reference")
            predictions.read_reference(declared, data)
        if declared.comparisons.test is not None:
            on_step("running the chosen test")
            _try_chosen_test(declared, data)
    plain = _checked(spec, declared, data)
    odd = [check for check in data.checks if check.warning]
    percent = _percentages(data)
    end = "no problems" if not percent else "see the note"
    end = "see the warning" if odd or data.unpaired else end
    left = data.left_out
    without = f" ({_counted(left.rows, 'row')} left out)" if left else ""
    lines = [f"{spec}: {_counted(data.frame.height, 'row')}{without}, {_models(data)}; {end}"]
    lines += [f"  {c.name}: {c.detail}" for c in data.checks if not c.warning]
    for warned in odd:
        settings.warn(f"warning: {warned.name}: {warned.detail}")
    for name, values in _many_values(data.frame):
        advice = "ranges in a column of their own, such as 20-29, are easier to compare"
        settings.notice(f"note: slices: {name!r} has {values:,} values; {advice}")
    if percent:
        advice = "divide them by 100, so that they are probabilities, or declare a threshold"
        settings.notice(f"note: the scores of {percent} look like percentages; {advice}")
    if data.unpaired:
        from reportgen.predictions.long import WITHOUT_ID

        how = " (columns: {id: ...})" if data.unpaired == WITHOUT_ID else ""
        settings.warn(f"warning: the models cannot be compared row by row: {data.unpaired}{how}")
    settings.result(plain, "\n".join(lines))


@click.command()
@common
def schema(settings: Settings) -> None:
    """Print the JSON schema of a spec, for editors.

    \b
    Example:
      reportgen schema > report.schema.json
    """
    from reportgen.resources import SCHEMAS

    del settings  # the schema is JSON in any case
    # the file that is made from the models; a test says when the two drift
    click.echo(text_of(SCHEMAS / "report.schema.json"), nl=False)


def _try_chosen_test(spec: Spec, data: Predictions | Scores) -> None:
    """Make the test that a spec chooses, if it does; ``SpecError`` where these data have none."""
    if spec.comparisons.test is None:
        return
    from reportgen.results.evaluation import of_predictions
    from reportgen.results.score_table import of_scores
    from reportgen.spec import ScoresSpec

    if isinstance(spec, ScoresSpec):
        of_scores(cast("Scores", data), spec)
    else:
        alone = spec.model_copy(update={"slices": (), "gates": ()})
        of_predictions(cast("Predictions", data), alone)


def _tell_scores(settings: Settings, path: Path, spec: ScoresSpec, scores: Scores) -> None:
    """Say what a table of values holds."""
    sets = scores.frame["block"].n_unique()
    odd = [check for check in scores.checks if check.warning]
    end = "see the warning" if odd else "no problems"
    unit = "data set" if scores.folds is None else "fold"
    unit = unit if scores.averaged is None else "group"
    lines = [f"{path}: {_counted(sets, unit)}, {_counted(len(scores.models), 'model')}; {end}"]
    lines += [f"  {c.name}: {c.detail}" for c in scores.checks if not c.warning]
    for warned in odd:
        settings.warn(f"warning: {warned.name}: {warned.detail}")
    plain = {
        "spec": str(path),
        "title": spec.title,
        "task": spec.task,
        "unit": unit,
        "datasets": sets,
        "models": list(scores.models),
        "files": [{"path": file.path, "rows": file.rows} for file in scores.files],
        "checks": [{"name": c.name, "detail": c.detail} for c in scores.checks if not c.warning],
        "warnings": [{"name": c.name, "detail": c.detail} for c in odd],
    }
    settings.result(plain, "\n".join(lines))


_MOST_VALUES = 20
"""Slices by one column that a page shows well."""


def _many_values(frame: pl.DataFrame) -> list[tuple[str, int]]:
    """The slices by numbers that have very many values, with how many."""
    from reportgen.predictions.column_names import slice_names

    slices = {
        name: frame[column].drop_nulls() for column, name in slice_names(frame.columns).items()
    }
    counts = {name: values.n_unique() for name, values in slices.items() if _are_numbers(values)}
    return [(name, values) for name, values in counts.items() if values > _MOST_VALUES]


def _percentages(data: Predictions) -> str:
    """The models whose scores look like percentages, in a list; empty without any."""
    from reportgen.sweeping.ranking import like_percentages

    if not TASKS[data.task].two_classes:
        return ""
    of = {m.name: data.frame[m.score].drop_nulls().to_numpy() for m in data.models if m.score}
    return ", ".join(n for n, x in of.items() if len(x) and like_percentages(x.min(), x.max()))


def _are_numbers(values: pl.Series) -> bool:
    return values.cast(str).str.contains(r"^-?\d+(\.\d+)?$").all()


def _models(data: Predictions) -> str:
    names = ", ".join(model.name for model in data.models)
    return f"{_counted(len(data.models), 'model')} ({names})"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


class FileAnswer(TypedDict):
    """A file of predictions in the answer of ``check``."""

    path: str
    rows: int | None


class CheckAnswer(TypedDict):
    """A check of the data in it."""

    name: str
    detail: str


class LeftOutAnswer(TypedDict, total=False):
    """The rows that were left out, where any were."""

    rows_left_out: int


class ClassesAnswer(TypedDict, total=False):
    """The two classes, where the task has two."""

    positive: str | None
    negative: str | None


class SpecAnswer(LeftOutAnswer, ClassesAnswer):
    """What ``check`` answers as JSON."""

    spec: str
    title: str | None
    rows: int
    task: str
    classes: list[str]
    models: list[str]
    files: list[FileAnswer]
    checks: list[CheckAnswer]
    warnings: list[CheckAnswer]
    unpaired: str | None


def _checked(path: Path, spec: Spec, data: Predictions) -> SpecAnswer:
    two: ClassesAnswer = {"positive": data.positive, "negative": data.negative}
    if not TASKS[data.task].two_classes:
        two = {}
    left: LeftOutAnswer = {} if data.left_out is None else {"rows_left_out": data.left_out.rows}
    return {
        "spec": str(path),
        "title": spec.title,
        "rows": data.frame.height,
        **left,
        "task": data.task,
        **two,
        "classes": list(data.classes),
        "models": [model.name for model in data.models],
        "files": [{"path": file.path, "rows": file.rows} for file in data.files],
        "checks": [{"name": c.name, "detail": c.detail} for c in data.checks if not c.warning],
        "warnings": [{"name": c.name, "detail": c.detail} for c in data.checks if c.warning],
        "unpaired": data.unpaired,
    }
