"""Commands on a published build: sign it off, and check it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from reportgen.cli.options import Settings, common, out_of_builds
from reportgen.errors import DataError


@click.command()
@click.argument("build")
@click.option("--by", required=True, metavar="NAME", help="Who signs.")
@click.option("--role", required=True, metavar="ROLE", help="In which role.")
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
@common
def verify(settings: Settings, build: Path) -> int:
    """Check that a build, or a PDF, is what was published.

    Compares every file with the manifest, the attachments of the PDF with the files beside
    it, the pages with those rendered again from the numbers, and sign-offs with the results
    that they are of. The exit code is 3 when a check fails.

    \b
    Example:
      reportgen verify reports/breast-cancer/latest
    """
    from reportgen.delivery.verification import verify as checks_of

    checks = checks_of(build)
    failed = any(check.state == "failed" for check in checks)
    settings.result(
        {"verified": not failed, "checks": [asdict(check) for check in checks]},
        "\n".join(map(str, checks)),
    )
    return DataError.exit_code if failed else 0
