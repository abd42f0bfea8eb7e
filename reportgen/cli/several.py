"""Several specs: each in a process of its own, some at a time; none keeps the others from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import click

from reportgen import interrupts
from reportgen.cli import ci, faults, notifying, outcomes, streams
from reportgen.cli.outcomes import OutcomeRecord, SpecOutcome
from reportgen.cli.supervisor import Supervisor
from reportgen.errors import ReportgenError

if TYPE_CHECKING:
    from reportgen.cli.options import BuildOptions


def options_of(words: Sequence[str]) -> BuildOptions | None:
    """The options of a command line that builds several specs, or tells somebody of one.

    What is wrong with a command line is left to the worker, which says so.
    """
    from reportgen.cli import reports

    if words[0] != "build":
        return None
    try:
        with reports.build.make_context("build", list(words[1:])) as context:
            options = cast("BuildOptions", context.params)
    except (click.ClickException, click.exceptions.Exit):
        return None
    return options if len(options["specs"]) > 1 or _tells(options) else None


def run(words: Sequence[str], options: BuildOptions, file: Callable[[], IO[bytes]]) -> int:
    """Build every spec of a command line; return the worst exit code."""
    from reportgen.cli.options import Settings
    from reportgen.spec import naming  # a command line with one spec needs no specs here

    style = faults.Style.of(words)
    paths: Sequence[Path] = options["specs"]
    try:
        naming.refuse_shared_names(paths, options["out"], options["overrides"])
        notifying.check(options)
        ci.check(options)
        pool = _served(words, options, file)
        settings = Settings(options["as_json"], options["verbose"], options["quiet"], style)
        results = pool.outcomes(options["overrides"])
        code = outcomes.tell(settings, results)
        ci.tell(settings, options, results)
        code = outcomes.worst([code, notifying.tell(settings, options, results)])
    except Exception as error:  # every way out has its exit code
        return streams.UNWRITTEN if streams.is_of_output(error) else faults.tell(error, style)
    return pool.stopped or code


def _served(words: Sequence[str], options: BuildOptions, file: Callable[[], IO[bytes]]) -> Pool:
    """The supervisors of all specs, each of which has ended."""
    pool = Pool(words, options["specs"], options["jobs"], file)
    try:
        pool.serve()
    finally:
        pool.close()
    return pool


def _tells(options: BuildOptions) -> bool:
    """Whether somebody is reported what the builds came to."""
    return ci.is_requested(options) or notifying.is_requested(options)


class Pool:
    """The supervisors that work, those that wait, and how each ended."""

    def __init__(
        self, words: Sequence[str], paths: Sequence[Path], jobs: int, file: Callable[[], IO[bytes]]
    ) -> None:
        self.words, self.paths, self.jobs, self.file = words, paths, jobs, file
        self.waiting = deque(range(len(paths)))
        self.active: dict[int, Supervisor] = {}
        self.ended: dict[int, tuple[int, OutcomeRecord | None]] = {}
        self.stopped: int | None = None

    def serve(self) -> None:
        """Work until every spec has ended; a signal ends those that work, and starts no more."""
        while self.waiting or self.active:
            try:
                self._start()
                for index, supervisor in list(self.active.items()):
                    if not supervisor.step():
                        self.ended[index] = supervisor.end(), supervisor.outcome
                        supervisor.close()
                        del self.active[index]
            except interrupts.Stopped as stop:
                self.stopped = 128 + stop.number
                self.waiting.clear()
                for supervisor in self.active.values():
                    supervisor.stop(stop.number)

    def close(self) -> None:
        """Leave nothing behind."""
        for supervisor in self.active.values():
            supervisor.close()

    def outcomes(self, overrides: Sequence[str]) -> list[SpecOutcome]:
        """What each spec came to, in their order."""
        result = []
        for index, path in enumerate(self.paths):
            code, outcome = self.ended.get(index, (self.stopped or 0, None))
            if outcome is None:
                result.append(outcomes.not_built(path, _name(path, overrides), code))
            else:
                result.append(replace(SpecOutcome(**outcome), exit=code))
        return result

    def _start(self) -> None:
        while self.waiting and len(self.active) < self.jobs:
            index = self.waiting.popleft()
            self.active[index] = Supervisor(self.words, self.file(), only=index)


def _name(path: Path, overrides: Sequence[str]) -> str:
    from reportgen.spec import naming

    try:
        return naming.declared(path, overrides)[0]
    except (ReportgenError, OSError):
        return naming.name_of(path)
