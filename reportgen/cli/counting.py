"""The command that counts a shard where its rows are: count."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

import click

from reportgen.cli.options import Settings, common, force, limited, reading, set_keys
from reportgen.errors import OutputError, Problem

_path = click.Path(path_type=Path)


@click.command()
@click.argument("spec", type=_path)
@click.argument("shards", nargs=-1, required=True, type=_path, metavar="SHARD...")
@click.option(
    "--out",
    type=_path,
    required=True,
    metavar="FILE",
    help="File to write; its name ends in .counts.",
)
@set_keys
@force
@reading
@limited
@common
def count(
    settings: Settings,
    spec: Path,
    shards: Sequence[Path],
    out: Path,
    overrides: Sequence[str],
    force: bool,
    allowed_roots: Sequence[Path] | None,
) -> None:
    """Count rows where they are stored, and write only the counts.

    Run it once per shard, where the shard is stored; then build the report from the files of
    counts, which hold no rows, with `build --from`. The numbers are those of `engine: streaming`
    on all rows.

    \b
    Example:
      reportgen count report.yaml east.parquet --out east.counts
      reportgen build report.yaml --from east.counts --from west.counts
    """
    from reportgen.engines.cache import default
    from reportgen.engines.shards import SUFFIX, count_shard
    from reportgen.predictions import inputs
    from reportgen.spec import read

    if out.suffix != SUFFIX:
        message = f"the name of a file of counts ends in {SUFFIX}"
        raise OutputError(Problem("output", message, str(out)))
    if out.exists() and not force:
        problem = Problem("exists", "the file already exists", str(out), "--force overwrites it")
        raise OutputError(problem)
    with settings.progress() as on_step:
        data = f"data={json.dumps([str(path.absolute()) for path in shards])}"
        loaded = read(spec, [*overrides, data], allowed_roots=allowed_roots)
        files, hashes = inputs(loaded)
        shard, content = count_shard(loaded, files, hashes, default(), on_step)
        _write(content, out)
    plain = {"path": str(out), "rows": shard.rows, "bytes": len(content), "plan": shard.plan}
    settings.result(plain, f"{shard.rows:,} rows counted\n{out}")


def _write(content: bytes, target: Path) -> None:
    """Write aside, then rename: there is never half a file."""
    aside: Path | None = None
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as file:
            aside = Path(file.name)
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        aside.chmod(0o666 & ~umask)
        aside.replace(target)
    except OSError as error:
        if aside is not None:
            aside.unlink(missing_ok=True)
        reason = (error.strerror or "it cannot be opened").lower()
        raise OutputError(Problem("output", f"cannot write: {reason}", str(target))) from None
