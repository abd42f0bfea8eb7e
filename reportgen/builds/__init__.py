"""Builds: one run's outputs in a folder of its own, never changed after it is published.

OUT/<build id>/report.html  report.pdf  results.json  summary.md  manifest.json
OUT/latest -> <build id>

What evaluates is imported when it is asked for: a supervisor publishes without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reportgen.builds.in_memory import Report, report
    from reportgen.builds.make import FILES, Build, build, render_again

__all__ = ["FILES", "Build", "Report", "build", "render_again", "report"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        home = "in_memory" if name in ("Report", "report") else "make"
        return getattr(import_module(f"reportgen.builds.{home}"), name)
    raise AttributeError(f"module 'reportgen.builds' has no attribute {name!r}")
