"""Builds: one run's outputs in a folder of its own, never changed after it is published.

OUT/<spec name>/<build id>/report.html  report.pdf  results.json  summary.md  manifest.json ...
OUT/<spec name>/latest -> <build id>

What evaluates is imported when it is asked for: a supervisor publishes without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reportgen.builds.acceptance import accept as accept
    from reportgen.builds.acceptance import accepted_by_hand as accepted_by_hand
    from reportgen.builds.address import find_build as find_build
    from reportgen.builds.address import spec_folders as spec_folders
    from reportgen.builds.comparison import Compared as Compared
    from reportgen.builds.comparison import compare as compare
    from reportgen.builds.history_file import history as history
    from reportgen.builds.in_memory import Report as Report
    from reportgen.builds.in_memory import report as report
    from reportgen.builds.make import FILES as FILES
    from reportgen.builds.make import Build as Build
    from reportgen.builds.make import build as build
    from reportgen.builds.make import render_again as render_again
    from reportgen.builds.retention import prune as prune
    from reportgen.builds.trends import trend as trend

_HOMES = {
    "reportgen.builds.acceptance": ("accept", "accepted_by_hand"),
    "reportgen.builds.address": ("find_build", "spec_folders"),
    "reportgen.builds.comparison": ("Compared", "compare"),
    "reportgen.builds.history_file": ("history",),
    "reportgen.builds.in_memory": ("Report", "report"),
    "reportgen.builds.make": ("FILES", "Build", "build", "render_again"),
    "reportgen.builds.retention": ("prune",),
    "reportgen.builds.trends": ("trend",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'reportgen.builds' has no attribute {name!r}")
