"""Commands on published builds: compare two, write one in parts, sign one off, check it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import click

from reportgen.cli.options import OneOf, Settings, common, force, out_of_builds
from reportgen.errors import DataError, OutputError, Problem, SpecError

FORMATS = ("text", "markdown", "html", "pdf", "json")

_path = click.Path(path_type=Path)


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--format", "form", type=OneOf(FORMATS), help="[default: by --to, else text]")
@click.option("--to", type=_path, metavar="FILE", help="Write the comparison to this file.")
@force
@out_of_builds
@common
def compare(
    settings: Settings,
    first: str,
    second: str,
    form: str | None,
    to: Path | None,
    force: bool,
    out: Path,
) -> int:
    """Compare two builds; the first one is the reference.

    A build is a folder, OUT/SPEC/latest, OUT/SPEC/latest~1, OUT/SPEC/accepted, or an id.
    Where both have the same rows every difference is paired. Exits with 3 where the
    builds cannot be compared, and says why.

    \b
    Example:
      reportgen compare reports/breast-cancer/latest~1 reports/breast-cancer/latest
      reportgen compare breast-cancer/accepted breast-cancer/latest --to change.pdf
    """
    from reportgen.builds import comparison_pages as pages
    from reportgen.builds.comparison import compare as compared_builds

    form = form or _form_of(to)
    if form == "pdf" and to is None:
        raise SpecError(Problem("usage", "a PDF is written to a file", hint="--to change.pdf"))
    if to is not None and to.is_file() and not force:
        problem = Problem("exists", "the file already exists", str(to), "--force overwrites it")
        raise OutputError(problem)
    with settings.progress() as on_step:
        on_step("comparing the builds")
        compared = compared_builds(first, second, out=out)
    plain = compared.to_dict()
    if form == "pdf" and to is not None:
        _write(to, pages.pdf(compared))
    else:
        makers = {"markdown": pages.markdown, "html": pages.html, "text": pages.plain_text}
        text = makers[form](compared) if form in makers else _json(plain)
        if to is None:
            settings.result(plain, text.rstrip("\n"))
        else:
            _write(to, (text.rstrip("\n") + "\n").encode())
    if to is not None:
        settings.result(plain, f"{compared.verdict}\n{to}")
    return DataError.exit_code if compared.state == "not comparable" else 0


def _json(plain: dict[str, object]) -> str:
    import json

    return json.dumps(plain, ensure_ascii=False, indent=1)


def _form_of(to: Path | None) -> str:
    """The format that the end of a file's name means."""
    ends = {".md": "markdown", ".html": "html", ".pdf": "pdf", ".json": "json"}
    return ends.get(to.suffix.lower(), "text") if to else "text"


def _write(path: Path, content: bytes) -> None:
    from reportgen.cli import ci

    ci.write(path, content)


@click.command()
@click.argument("build", metavar="BUILD")
@click.option(
    "--to",
    type=_path,
    required=True,
    metavar="DIR",
    help="Folder to write to: a new one, or an earlier export.",
)
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
    """Write numbers, charts and tables of a report as files.

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
    from reportgen.builds.stored import results_text
    from reportgen.exporting import DEFAULT_KINDS, refuse_unknown
    from reportgen.exporting import export as exported
    from reportgen.results import Results
    from reportgen.text import numbers

    names = [name.strip() for text in kinds for name in text.split(",")]
    refuse_unknown(names)
    path = find_build(build, out)
    with settings.progress() as on_step:
        on_step("exporting the report")
        results = Results.from_json(results_text(path), str(path / "results.json"))
        files = exported(results, to, names or DEFAULT_KINDS)
    paths = [str(file) for file in files]
    settings.result({"files": paths}, f"{numbers.plural(len(files), 'file')} in {to}")


@click.command()
@click.argument("build")
@click.option("--by", required=True, metavar="NAME", help="Name of the signer.")
@click.option("--role", required=True, metavar="ROLE", help="Role of the signer.")
@out_of_builds
@common
def sign(settings: Settings, build: str, by: str, role: str, out: Path) -> None:
    """Sign a build off: a new PDF that says so on page one.

    The sign-off is bound to the hash of the results, and holds for this build alone. The PDF
    has a signature field for each sign-off, carries the record, and is kept beside the builds
    of the spec. The build itself stays as it is, and `prune` keeps it.

    \b
    Example:
      reportgen sign reports/breast-cancer/latest --by NAME --role "model owner"
    """
    from reportgen.builds.address import find_build
    from reportgen.delivery import signing

    signed = signing.sign(find_build(build, out), by, role)
    plain = {
        "pdf": str(signed.pdf),
        "is_new": signed.is_new,
        "sign_offs": [asdict(one) for one in signed.sign_offs],
    }
    note = "" if signed.is_new else "  (signed off before)"
    settings.result(plain, f"{signed.pdf}{note}")


@click.command()
@click.argument("build", type=click.Path(path_type=Path), metavar="BUILD|PDF")
@out_of_builds
@common
def verify(settings: Settings, build: Path, out: Path) -> int:
    """Check that a build, or a PDF, is what was published.

    Compares every file with the manifest, the attachments of the PDF with the files beside
    it, the pages with those rendered again from the numbers, and sign-offs with their results. The
    exit code is 3 when a check fails.

    \b
    Example:
      reportgen verify reports/breast-cancer/latest
    """
    from reportgen.builds.address import find_build
    from reportgen.delivery.verification import verify as checks_of

    if not build.exists():
        with suppress(DataError):  # what is no build has a message of its own
            build = find_build(build, out)
    checks = checks_of(build)
    failed = any(check.state == "failed" for check in checks)
    settings.result(
        {"verified": not failed, "checks": [asdict(check) for check in checks]},
        "\n".join(map(str, checks)),
    )
    return DataError.exit_code if failed else 0
