"""The smallest report: one model of two classes on four rows, without the limits that take long."""

from __future__ import annotations

SPEC = """\
data: data.csv
truth: y
positive: "yes"
models: {m: {score: p}}
bootstrap: {replicates: 0}
intervals: {ratios: delta}
"""
ROWS = "y,p\nyes,0.9\nno,0.4\nyes,0.6\nno,0.7\n"
