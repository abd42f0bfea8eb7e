"""The command that checks a published build."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from reportgen.cli.options import Settings, common
from reportgen.errors import DataError


@click.command()
@click.argument("build", type=click.Path(path_type=Path), metavar="BUILD|PDF")
@common
def verify(settings: Settings, build: Path) -> int:
    """Check that a build, or a PDF, is what was published.

    Compares every file with the manifest, the attachments of the PDF with the files beside
    it, and the pages with those rendered again from the numbers. The exit code is 3 when a
    check fails.

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
