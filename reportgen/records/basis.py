"""What an estimate is computed from: one number and its limits have one basis."""

from __future__ import annotations

from typing import Literal

from reportgen.records.rows import DataRecord, evaluation_of

Basis = Literal["pooled rows", "groups", "mean over folds", "data sets"]
"""All rows at once, all rows with limits of whole groups, or the mean over folds or data sets."""

IN_USE = "stated prevalence"
"""The basis of a gate on what all rows give where positives are as frequent as the spec states."""


def of_rows(data: DataRecord) -> Basis:
    """The basis of measures of all rows; ``data`` is the data section of the results."""
    evaluation = evaluation_of(data)
    return "groups" if evaluation.grouped else "pooled rows"


def of_unit(unit: str, data: DataRecord) -> Basis:
    """The basis of a test's estimate by its unit, which the values beside it must have too."""
    if unit == "data sets":
        return "data sets"
    return of_rows(data) if unit in ("rows", "samples") else "mean over folds"


def words(basis: str, data: DataRecord) -> str:
    """A basis as pages print it; rows are pooled where several fits predicted them.

    >>> words("pooled rows", {}), words("pooled rows", {"evaluation": {"pooled_fits": True}})
    ('all rows', 'pooled rows')
    """
    pooled = evaluation_of(data).pooled_fits
    printed = {
        "pooled rows": "pooled rows" if pooled else "all rows",
        "groups": "all rows, limits by group",
        "mean over folds": f"means over {parts(data)}",
        "data sets": "means over data sets",
        IN_USE: "all rows, at the prevalence that the spec states",
    }
    return printed.get(basis, basis)


def parts(data: DataRecord) -> str:
    """What means over the parts of an evaluation are taken over.

    >>> parts({"evaluation": {"scheme": "bootstrap"}}), parts({})
    ('bootstrap samples', 'folds')
    """
    scheme = evaluation_of(data).scheme
    named = {
        "repeated_hold_out": "hold-out splits",
        "bootstrap": "bootstrap samples",
        "data_sets": "data sets",
    }
    return named.get(str(scheme), "folds")
