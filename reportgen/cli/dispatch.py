"""Give a command line a process of its own, or one for each of its specs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from glob import has_magic
from typing import IO

from reportgen import interrupts

COMMANDS = frozenset({"build", "check", "demo", "init", "render", "split"})
"""The commands that read data or evaluate."""


def is_for(words: Sequence[str]) -> bool:
    """Whether a command line is worth a process of its own."""
    helping = {"--help", "-h"} & set(words) or "_REPORTGEN_COMPLETE" in os.environ
    return bool(words) and words[0] in COMMANDS and not helping


VALUED, FLAGS = frozenset({"--out", "--set", "--format"}), frozenset({"--json", "-q", "-v"})
"""The usual options of ``build``, with a value and without."""


def has_one_spec(words: Sequence[str]) -> bool:
    """Whether a command line can be seen to build no more than one spec and to tell nobody of it.

    Where it cannot, its options are read, for which the library of command lines is loaded.

    >>> has_one_spec(["build", "a.yaml", "-q"]), has_one_spec(["build", "a.yaml", "b.yaml"])
    (True, False)
    """
    specs, remaining = 0, iter(words[1:])
    for word in remaining:
        if word in VALUED:
            next(remaining, None)
        elif word not in FLAGS:
            if word.startswith("-") or has_magic(word):
                return False
            specs += 1
    return specs <= 1


def run(words: Sequence[str]) -> int:
    """Run a command in a process of its own, or one for each of its specs; return its exit code."""
    if words[0] == "build" and not has_one_spec(words):
        from reportgen.cli import several  # a command that computes nothing needs neither

        options = several.options_of(words)
        if options is not None:
            return several.run(words, options, _file)
    from reportgen.cli.supervisor import Supervisor

    with _file() as errors:
        try:
            supervisor = Supervisor(words, errors)
        except OSError as fault:
            return _unstarted(words, fault)
        try:
            while True:
                try:
                    return supervisor.code()
                except interrupts.Stopped as stop:
                    supervisor.stop(stop.number)
        finally:
            supervisor.close()


def _unstarted(words: Sequence[str], fault: OSError) -> int:
    """Tell why there is no process for a command, such as too few file descriptors."""
    from reportgen.cli import faults
    from reportgen.errors import LimitError, Problem
    from reportgen.exhaustion import exhausted

    reason = exhausted(fault) or LimitError(Problem("limit", f"no process was started: {fault}"))
    return faults.report_faults(reason.exit_code, reason.problems, faults.Style.of(words))


def _file() -> IO[bytes]:
    """A file without a name, in memory where the system has such."""
    in_memory = getattr(os, "memfd_create", None)
    return os.fdopen(in_memory("errors"), "w+b") if in_memory else tempfile.TemporaryFile()
