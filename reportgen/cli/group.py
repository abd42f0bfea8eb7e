"""The command group, and the one place where faults become messages and exits."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Sequence

import click

from reportgen.cli import (
    catalogue,
    counting,
    faults,
    history,
    published,
    reports,
    schedules,
    serving,
    specs,
    splitting,
    streams,
)
from reportgen.errors import Problem, SpecError
from reportgen.version import __version__


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 built, 1 a gate failed, 2 usage or spec, 3 data, 4 undefined, 5 nothing "
    "to evaluate, 6 rendering, 7 a limit, 8 output, 70 a bug, 75 locked, 130 and 143 stopped.",
)
@click.version_option(__version__, prog_name="reportgen")
def group() -> None:
    """Turn predictions and a short spec into an evaluation report.

    \b
    Example:
      reportgen init predictions.parquet     # writes report.yaml
      reportgen build report.yaml            # reports/report/latest/report.html, ...
    """


for command in (
    reports.demo,
    specs.init,
    specs.check,
    counting.count,
    reports.build,
    reports.render,
    published.compare,
    published.export,
    history.history,
    history.accept,
    history.prune,
    history.index,
    serving.serve,
    splitting.split,
    schedules.schedule,
    schedules.review,
    schedules.comment,
    schedules.log,
    published.sign,
    published.verify,
    catalogue.catalogue,
    specs.schema,
):
    group.add_command(command)


def run(words: Sequence[str], prepare: Callable[[], object] = tuple) -> int:
    """Run the command line, after ``prepare``; return its exit code."""
    gc.set_threshold(OBJECTS)
    try:
        if not {"-h", "--help", "--version"} & set(words):
            check_threads()
        for name in OF_LIBRARIES:
            os.environ.pop(name, None)
        prepare()
        code = group.main(list(words), prog_name="reportgen", standalone_mode=False)
    except SystemExit:  # click leaves with 1, a failed gate here, where the reader has gone
        return streams.UNWRITTEN
    except BaseException as error:  # every way out has its exit code
        if streams.is_of_output(error):
            return streams.UNWRITTEN
        return faults.tell(error, faults.Style.of(words))
    return code if isinstance(code, int) else 0


OBJECTS = 400_000
"""So many objects are made before it is looked for those that nothing uses.

A build makes more than 200,000 that live as long as it does; to look through 100,000 takes 35 ms.
"""

OF_LIBRARIES = (
    "PANDERA_VALIDATION_DEPTH",
    "PANDERA_VALIDATION_ENABLED",
    "POLARS_ENGINE_AFFINITY",
    "POLARS_PANIC_ON_ERR",
)
"""Settings of libraries by which a command would check less, or end in a bug."""

THREADS = "POLARS_MAX_THREADS"

MOST_THREADS = 1024


def check_threads() -> None:
    """Refuse a number of threads that Polars cannot start; an empty one is unset.

    Raises:
        SpecError: it is not a whole number from 1 to ``MOST_THREADS``.
    """
    text = os.environ.get(THREADS)
    if text is None:
        return
    if not text:
        del os.environ[THREADS]
        return
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MOST_THREADS):
        hint = f"set it to a whole number from 1 to {MOST_THREADS:,}, or unset it"
        raise SpecError(Problem("threads", "it is not a number of threads", THREADS, hint))
