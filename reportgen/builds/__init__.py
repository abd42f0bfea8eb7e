"""Builds: one run's outputs in a folder of its own, never changed after it is published.

OUT/<build id>/report.html  report.pdf  results.json  summary.md  manifest.json
OUT/latest -> <build id>
"""

from reportgen.builds.make import FILES, Build, build, render_again

__all__ = ["FILES", "Build", "build", "render_again"]
