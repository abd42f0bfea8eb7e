"""Numbers of a build as OpenMetrics text, which GitLab and Prometheus read.

Every printed value of a whole model is a sample of ``reportgen_value``, its limits are
samples of ``reportgen_value_low`` and ``reportgen_value_high``. The state of each gate is a
state set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import polars as pl

from reportgen.records.gate_rows import name_of
from reportgen.records.rows import rows_of
from reportgen.results import Results
from reportgen.tables.results import GateRow

_STATES = ("pass", "fail", "inconclusive")


def openmetrics(builds: Iterable[tuple[str, Results]]) -> str:
    r"""Return the values and gates of builds, by the name of each spec, as OpenMetrics text.

    Values that are undefined are left out.

    >>> openmetrics([])
    '# EOF\n'
    """
    named = list(builds)
    families = {
        "value": "Value of a measure.",
        "value_low": "Lower confidence limit of a measure.",
        "value_high": "Upper confidence limit of a measure.",
    }
    lines: list[str] = []
    for family, help_text in families.items():
        column = family.removeprefix("value_")
        samples = [s for name, results in named for s in _values(name, results, family, column)]
        lines += _family(f"reportgen_{family}", "gauge", help_text, samples)
    states = [sample for name, results in named for sample in _gates(name, results)]
    lines += _family("reportgen_gate", "stateset", "State of a gate.", states)
    created = [
        f"reportgen_build_created_timestamp_seconds{_labels({'spec': name})} "
        f"{datetime.fromisoformat(results.build['created']).timestamp():.0f}"
        for name, results in named
    ]
    lines += _family(
        "reportgen_build_created_timestamp_seconds",
        "gauge",
        "When the newest build was made.",
        created,
        unit="seconds",
    )
    return "\n".join([*lines, "# EOF", ""])


def _family(
    name: str, kind: str, help_text: str, samples: list[str], unit: str | None = None
) -> list[str]:
    if not samples:
        return []
    head = [f"# TYPE {name} {kind}", *([f"# UNIT {name} {unit}"] if unit else [])]
    return [*head, f"# HELP {name} {help_text}", *samples]


def _values(name: str, results: Results, family: str, column: str) -> Iterator[str]:
    """Samples of one column; the threshold is a label where a measure has several."""
    several = pl.len().over("model", "metric", "average") > 1
    whole = (
        results.metrics.filter(pl.col("slice").is_null(), pl.col("class").is_null())
        .with_columns(several=several)
        .filter(pl.col(column).is_finite())
    )
    for row in whole.iter_rows(named=True):
        labels = {"spec": name, "model": row["model"], "measure": row["metric"]}
        if row["average"] is not None:
            labels["average"] = row["average"]
        if row["several"]:
            labels["threshold"] = repr(row["threshold"])
        yield f"reportgen_{family}{_labels(labels)} {row[column]!r}"


def _gates(name: str, results: Results) -> Iterator[str]:
    for gate in rows_of(results.gates, GateRow):
        for state in _STATES:
            labels = {"spec": name, "gate": name_of(gate), "reportgen_gate": state}
            yield f"reportgen_gate{_labels(labels)} {int(gate['state'] == state)}"


def _labels(labels: Mapping[str, str]) -> str:
    def quoted(text: str) -> str:
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    return "{" + ",".join(f'{key}="{quoted(value)}"' for key, value in labels.items()) + "}"
