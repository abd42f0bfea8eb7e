"""The command that shows reports in a browser, and builds them again when files change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import click

from reportgen.cli.options import Settings, common, out_of_builds, reading


@click.command()
@click.argument(
    "specs", nargs=-1, type=click.Path(path_type=Path, exists=True), metavar="[SPEC...]"
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port on 127.0.0.1; 0 takes a free one.",
)
@out_of_builds
@reading
@common
def serve(
    settings: Settings,
    specs: Sequence[Path],
    port: int,
    out: Path,
    allowed_roots: Sequence[Path] | None,
) -> None:
    """Show reports in a browser, on this machine only.

    With specs, each is built at the start, and again when the spec, its data, its texts or the
    templates change. Ctrl-C ends it.

    \b
    Example:
      reportgen serve report.yaml
    """
    from reportgen.builds import index
    from reportgen.delivery.serving import Server, Watch

    options = ["--out", str(out)]
    for folder in allowed_roots or ():
        options += ["--allow-root", str(folder)]
    options += ["--allow-outside"] if allowed_roots is None else []
    out.mkdir(parents=True, exist_ok=True)
    if notice := index.notice(out):
        settings.warn(str(notice))
    with Server(out, port) as server:
        settings.result({"url": server.url}, server.url)
        watch = Watch(specs, options, settings.warn)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            if specs:
                watch.run()
            thread.join()
        finally:
            watch.stopped.set()
            server.shutdown()
