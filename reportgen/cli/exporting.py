"""The command that writes a published report in parts."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli.options import Settings, common, out_of_builds, text_of

_path = click.Path(path_type=Path)


@click.command()
@click.argument("build", metavar="BUILD")
@click.option("--to", type=_path, required=True, metavar="DIR", help="A new folder, or an export.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND,...",
    help="csv, parquet, svg, png, vega-lite, latex or word; several with commas, or with the "
    "option repeated. [default: all but word]",
)
@out_of_builds
@common
def export(settings: Settings, build: str, to: Path, kinds: tuple[str, ...], out: Path) -> None:
    """Write a report in parts: its numbers, its charts and its tables, each as a file.

    A build is a folder, OUT/SPEC/latest, OUT/SPEC/accepted, or an id. csv and parquet
    hold every number with all its digits (in csv a text that a spreadsheet would take for a
    formula begins with an apostrophe); latex and word the tables as they are printed.
    An earlier export in DIR is replaced as a whole.

    \b
    Example:
      reportgen export reports/breast-cancer/latest --to parts
      reportgen export breast-cancer/latest --to paper --kind latex,svg
    """
    from reportgen.builds import find_build
    from reportgen.exporting import DEFAULT_KINDS
    from reportgen.exporting import export as exported
    from reportgen.results import Results

    path = find_build(build, out) / "results.json"
    names = [name.strip() for text in kinds for name in text.split(",")]
    with settings.progress() as on_step:
        on_step("exporting the report")
        files = exported(Results.from_json(text_of(path), str(path)), to, names or DEFAULT_KINDS)
    settings.result({"files": [str(file) for file in files]}, f"{len(files)} files in {to}")
