"""The command that divides rows: split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, get_args

import click

from reportgen.cli.options import OneOf, Settings, common, force, limited
from reportgen.errors import OutputError, Problem
from reportgen.scheme_names import ROLES, SchemeName

if TYPE_CHECKING:
    import polars as pl

    from reportgen.splitting import Scheme

_path = click.Path(path_type=Path)
_share = click.FloatRange(0, 1, max_open=True)
_SCHEMES = [name.replace("_", "-") for name in get_args(SchemeName)]


@click.command()
@click.argument("data", type=_path)
@click.option(
    "--scheme", type=OneOf(_SCHEMES), default="k-fold", show_default=True, help="The method."
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    help="Number of folds, or of consecutive tests. [default: 10; time-ordered: 5]",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    help="Number of repetitions. [default: 10; bootstrap: 200]",
)
@click.option(
    "--test",
    type=_share,
    help=("Share of the rows in the test part of a hold-out. [default: 0.25]"),
)
@click.option(
    "--validation", type=_share, help=("Share of the rows in the validation part of a hold-out.")
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
@click.option("--id", "id_", metavar="COLUMN", help="Column of row ids. [default: row number]")
@click.option("--stratify", metavar="COLUMN", help="Column to stratify by.")
@click.option("--group", metavar="COLUMN", help="Column of groups, which are never split.")
@click.option(
    "--time",
    metavar="COLUMN",
    help="Column of times; no fit is trained on rows later than its test.",
)
@click.option("--weight", metavar="COLUMN", help="Column of row weights, copied to the table.")
@click.option(
    "--slice",
    "slices",
    metavar="COLUMN",
    multiple=True,
    help="Column of subgroups, copied to the table; may be repeated.",
)
@click.option("--out", type=_path, help="File: csv or parquet. [default: DATA.splits.csv]")
@force
@limited
@common
def split(
    settings: Settings,
    data: Path,
    scheme: str,
    id_: str | None,
    slices: tuple[str, ...],
    out: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Divide rows into training and test parts.

    The table that it writes has id, repeat, fold, role (train, validation, test) and draws (how
    often a row is trained on), and the columns of --group, --time, --weight and
    --slice under their own names, for the keys of these names in a spec. The division
    depends on ids, seed and options alone.

    \b
    Example:
      reportgen split cases.csv --scheme repeated-k-fold --id case --stratify diagnosis
    """
    from reportgen.splitting import split as divided
    from reportgen.splitting.scheme import scheme_of

    columns = {name: options.pop(name) for name in ("stratify", "group", "time", "weight")}
    given = {name: value for name, value in options.items() if value is not None}
    chosen = scheme_of(scheme.replace("-", "_"), given)
    target = out or data.with_name(f"{data.stem}.splits.csv")
    if target.exists() and not force:
        problem = Problem("exists", "the file already exists", str(target), "--force overwrites it")
        raise OutputError(problem)
    with settings.progress() as on_step:
        on_step("dividing the rows")
        splits = divided(data, chosen, id=id_, slices=slices, **columns)
        on_step("writing")
        _write(splits, target)
    lines = _spec_lines(splits, columns, slices)
    summary = _summary(splits, chosen)
    plain = {**summary, **lines, "path": str(target)}
    settings.result(plain, "\n".join([_sentence(summary), _in_a_spec(lines), str(target)]))


class SpecLines(TypedDict):
    """The lines of a spec that read the columns of a table of splits."""

    columns: dict[str, str]
    slices: list[str]


class SplitSummary(TypedDict):
    """A table of splits: its scheme and its sizes, the least and the most of all fits."""

    scheme: str
    seed: int | None
    rows: int
    fits: int
    train: tuple[int, int]
    validation: tuple[int, int]
    test: tuple[int, int]
    never_drawn: float | None


def _spec_lines(
    table: pl.DataFrame, columns: dict[str, str | None], slices: tuple[str, ...]
) -> SpecLines:
    roles = {name: name for name in ("id", "repeat", "fold", "role")}
    roles |= {use: c for use in ("group", "time", "weight") if (c := columns[use]) in table.columns}
    return {"columns": roles, "slices": list(slices)}


def _in_a_spec(lines: SpecLines) -> str:
    from reportgen.spec.yaml_text import quoted

    columns = ", ".join(f"{use}: {quoted(name)}" for use, name in lines["columns"].items())
    text = f"in a spec on predictions with these columns:\ncolumns: {{{columns}}}"
    slices = ", ".join(map(quoted, lines["slices"]))
    return f"{text}\nslices: [{slices}]" if slices else text


def _write(table: pl.DataFrame, target: Path) -> None:
    from reportgen.frames import write_csv, write_parquet

    try:
        if target.suffix in (".parquet", ".pq"):
            write_parquet(table, target)
        else:
            write_csv(table, target)
    except OSError as error:
        reason = error.strerror or "it cannot be opened"
        raise OutputError(Problem("output", f"cannot write: {reason}", str(target))) from None


def _summary(table: pl.DataFrame, scheme: Scheme) -> SplitSummary:
    import polars as pl

    from reportgen.splitting import out_of_bag_share
    from reportgen.tables import Splits

    sizes = table.group_by("repeat", "fold").agg(
        (pl.col("role") == role).sum().alias(role) for role in ("train", "validation", "test")
    )
    return {
        "scheme": scheme.kind,
        "seed": scheme.seed,
        "rows": table["id"].n_unique(),
        "fits": sizes.height,
        "train": _ends(sizes["train"]),
        "validation": _ends(sizes["validation"]),
        "test": _ends(sizes["test"]),
        "never_drawn": out_of_bag_share(Splits.validate(table)),
    }


def _ends(sizes: pl.Series) -> tuple[int, int]:
    listed: list[int] = sizes.to_list()
    return min(listed), max(listed)


def _sentence(summary: SplitSummary) -> str:
    kind = summary["scheme"].replace("_", "-")
    parts = [
        f"{role} {low:,}" + (f" to {high:,}" if high != low else "")
        for role in ROLES
        for low, high in [summary[role]]
        if high
    ]
    fits = "1 fit" if summary["fits"] == 1 else f"{summary['fits']:,} fits"
    text = f"{kind}: {summary['rows']:,} rows, {fits}; rows per fit: {', '.join(parts)}"
    if summary["never_drawn"] is not None:
        text += f"; {100 * summary['never_drawn']:.1f} % of the rows were never sampled, on average"
    return text
