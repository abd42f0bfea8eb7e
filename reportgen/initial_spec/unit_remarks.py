"""What ``init`` says of the design: values that recur, rows in time, pooled folds, intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from reportgen.column_statistics import as_float
from reportgen.initial_spec import dates
from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.column_roles import hinted, possible_groups
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.initial_spec.repeats import numbers_runs
from reportgen.predictions.undeclared import identifies, named_as_units
from reportgen.spec.nearest import listing
from reportgen.spec.yaml_text import quoted


def remarks(
    roles: ColumnRoles,
    others: Sequence[ColumnProfile],
    uses: Mapping[str, str],
    identity: ColumnProfile | None,
) -> Iterator[str]:
    """What to tell of ``others``, which have no role, and of the roles ``uses``."""
    if "group" not in uses:
        for column in _returning(others):
            yield (
                f"{column.name!r} has {column.distinct:,} values in {len(column.texts):,} rows and "
                "is not declared: if rows with the same value resemble each other, limits are too "
                f"narrow without columns: {{group: {quoted(column.name)}}}"
            )
    in_time = [c for c in [identity, *others] if c is not None and _counts_time(c)]
    for column in [] if "time" in uses else in_time[:1]:
        instead = f" in place of id: {quoted(column.name)}" if column is identity else ""
        yield (
            f"{column.name!r} numbers the rows in time: if neighbours resemble each other, limits "
            f"are too narrow without columns: {{time: {quoted(column.name)}}}{instead}"
        )
    for column in others if "weight" not in uses else []:
        if hinted(column, "weight") and column.complete and column.within(0, float("inf")):
            yield (
                f"{column.name!r} stands among features and is not declared: if it weights the "
                f"rows, add columns: {{weight: {quoted(column.name)}}}"
            )
    yield from _runs(others, uses)
    yield from _several_labels(roles.truth)
    yield from _readers(roles)
    yield from _quantiles(roles)
    yield from _without_level(roles)


def _runs(others: Sequence[ColumnProfile], uses: Mapping[str, str]) -> Iterator[str]:
    """Columns of seeds and the like: no id names the rows of their runs."""
    for column in others if not {"repeat", "fold"} & uses.keys() else []:
        if numbers_runs(column) and column.distinct < len(column.texts) // 2:
            yield (
                f"{column.name!r} has {column.distinct:,} values: if each is a run of its own, "
                f"declare columns: {{id: EXAMPLE, repeat: {quoted(column.name)}}} with a column "
                "that names each example once in a run"
            )


def _returning(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """The columns of units that recur in several rows: names, and numbers that are named so."""
    named = possible_groups(columns)
    return [
        c
        for c in columns
        if any(c is one for one in named)
        or (
            c.complete
            and not c.fractional
            and 2 < c.distinct <= len(c.texts) // 2
            and not hinted(c, "label")
            and not hinted(c, "score")
            and (named_as_units(c.name) or (c.numbers is not None and identifies(c.name)))
        )
    ]


def _counts_time(column: ColumnProfile) -> bool:
    """Whether whole numbers that never fall are named for time."""
    return (
        column.numbers is not None
        and column.complete
        and not column.fractional
        and column.distinct > 2
        and bool(column.words & (dates.WORDS | {"t"}))
        and bool(column.numbers.is_sorted())
    )


def _quantiles(roles: ColumnRoles) -> Iterator[str]:
    of_quantiles = [model.keys for model in roles.models if "quantile" in model.keys]
    columns = {keys["estimate"] for keys in of_quantiles}
    names = [c.name for c in roles.assigned if c.name in columns]
    if len({keys["quantile"] for keys in of_quantiles}) > 1:
        yield (
            f"{listing(map(repr, names))} are quantiles by their names, each with its own quantile "
            "loss; if one model forecasts them, write one model instead: the middle one as "
            "estimate:, the outer ones as low: and high:, and the level: between them"
        )


_READERS = ("reader", "rater", "radiologist", "observer", "doctor", "physician", "pathologist")


def _readers(roles: ColumnRoles) -> Iterator[str]:
    """Models that are readers, each under several conditions: a question of these over readers."""
    parts = [model.name.rsplit("_", 1) for model in roles.models if "_" in model.name]
    readers, ways = ({part[end] for part in parts} for end in (0, -1))
    crossed = len(parts) == len(roles.models) == len(readers) * len(ways)
    named = all(reader.lower().startswith(_READERS) for reader in readers)
    if crossed and named and len(readers) > 1 and len(ways) > 1:
        yield (
            f"each of {len(readers)} readers is a model for each of {listing(sorted(ways))}: to "
            "compare these over readers write a row for each case and reader, a column of scores "
            "for each of them, and columns: {group: CASE}"
        )


def _several_labels(truth: ColumnProfile) -> Iterator[str]:
    """Labels that are others joined by a mark: each cell has several."""
    for mark in "|;,+":
        joined = [label for label in truth.labels if mark in label.strip(mark)]
        parts = {part.strip() for label in joined for part in label.split(mark)}
        if len(joined) > 1 and parts & set(truth.labels) and len(parts) < len(truth.labels):
            yield (
                f"{truth.name!r} has several labels in a cell, such as {joined[0]!r}, and each "
                "combination is taken for a class: for a report of several labels write a column "
                "of 0 and 1 for each label"
            )


def _without_level(roles: ColumnRoles) -> Iterator[str]:
    """How often intervals whose level no name says hold the truth."""
    by_name = {c.name: c.numbers for c in roles.assigned}
    for model in roles.models:
        if "low" not in model.keys or "level" in model.keys:
            continue
        low, high = (by_name.get(str(model.keys[end])) for end in ("low", "high"))
        if low is None or high is None or roles.truth.numbers is None:
            continue
        inside = (roles.truth.numbers >= low) & (roles.truth.numbers <= high)
        share = as_float(inside.mean(), 0.0)
        yield (
            f"{100 * share:.1f} % of the true values lie in the intervals of {model.name!r}; what "
            "they should hold is not declared: add level: to the model"
        )


def turned(roles: ColumnRoles) -> str:
    """What else helps where a score is higher for the other label: not where folds make that."""
    fold = roles.used.get("fold")
    if fold is None:
        return ", or turn the score around"
    rows = pl.DataFrame([fold.texts.alias("fold"), *_repeats(roles)]).n_unique()
    one_each = rows == len(fold.texts)
    why = "each row is a fold of its own (leave-one-out)" if one_each else "folds are pooled"
    return (
        f", but do not turn the score around: {why}, and a model that says little more than the "
        "share of its training rows is then lower for the rows of the label that it lacks"
    )


def _repeats(roles: ColumnRoles) -> list[pl.Series]:
    used = [roles.used.get(use) for use in ("repeat", "model")]
    return [c.texts.alias(str(n)) for n, c in enumerate(used) if c is not None]
