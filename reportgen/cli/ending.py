"""How a process ended that could not say so itself, as a problem and an exit code."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.errors import DataError, LimitError, Problem, ReportgenError
from reportgen.exhaustion import MORE_MEMORY, address_space, spent

_STOPPED = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


@dataclass(frozen=True)
class Ending:
    """The command line, what native code wrote last, and what was published before."""

    words: Sequence[str]
    errors: str
    published: Sequence[str]

    def over(self, limit: str) -> int:
        """Tell that a limit was reached."""
        message = f"the run took more than {limit} and was stopped"
        return self._tell(LimitError.exit_code, Problem("limit", message))

    def stopped(self, number: int) -> int:
        """Tell that a signal asked us to stop."""
        problem = Problem(_STOPPED[signal.Signals(number)], "nothing incomplete was published")
        return self._tell(128 + number, problem)

    def died(self, code: int) -> int:
        """Tell why a worker died: of memory where anything says so, else of a bug."""
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if code == -signal.SIGTERM:
            return self.stopped(signal.SIGTERM)
        if code == -signal.SIGKILL:
            message = "the run was killed, most likely because the system ran out of memory"
            return self._tell(LimitError.exit_code, Problem("memory", message, hint=MORE_MEMORY))
        if code == -signal.SIGBUS:
            message = "a file was truncated while it was read, or its disk failed"
            hint = "something is writing to the data: build again when it has finished"
            return self._tell(DataError.exit_code, Problem("changed", message, hint=hint))
        if address_space() is not None or spent(self.errors):
            message = f"out of memory; the run ended with {how}"
            return self._tell(LimitError.exit_code, Problem("memory", message, hint=MORE_MEMORY))
        lines = [line for line in self.errors.splitlines() if line.strip()]
        last = f": {lines[-1][:200]}" if lines else ""
        problem = Problem("bug", f"native code ended with {how}{last}", hint="please report it")
        return self._tell(ReportgenError.exit_code, problem)

    def _tell(self, code: int, problem: Problem) -> int:
        from reportgen.cli import faults

        problems = [problem]
        if self.published:
            before = f"published before: {', '.join(self.published)}"
            problems.append(Problem("published", before))
        return faults.report_faults(code, problems, faults.Style.of(self.words))
