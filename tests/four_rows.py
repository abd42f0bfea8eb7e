"""The smallest report: one model of two classes on four rows."""

from __future__ import annotations

SPEC = """\
data: data.csv
truth: y
positive: "yes"
models: {m: {score: p}}
"""
ROWS = "y,p\nyes,0.9\nno,0.4\nyes,0.6\nno,0.7\n"
