"""Models run through an evaluation scheme: the predictions table that a spec reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.errors import DataError, Problem
from reportgen.frames import FrameLike, polars_frame
from reportgen.progress import Advance, progress
from reportgen.scheme_names import ROLES, Role
from reportgen.spec.nearest import suggestion
from reportgen.splitting.input_rows import id_texts
from reportgen.splitting.kept_columns import KeptColumns, kept_columns
from reportgen.splitting.scheme import Scheme
from reportgen.splitting.splits import KEYS as SPLIT_KEYS
from reportgen.splitting.splits import split
from reportgen.tables import Splits

HEAD = ("id", "truth", "repeat", "fold", "role")
"""The columns that every table of predictions begins with."""


@dataclass(frozen=True)
class TrainingData:
    """What models learn from: the features as they take them, and the truth."""

    ids: pl.Series
    features: Any
    truth: pl.Series
    classes: tuple[Any, ...]
    positive: Any

    def part(self, rows: Any) -> tuple[Any, Any]:
        """Features and truth of some rows."""
        return self.features[rows], self.truth.to_numpy()[rows]


def cross_predict(  # noqa: PLR0913  # columns and options by name
    models: Mapping[str, Any],
    data: FrameLike,
    scheme: Scheme | FrameLike | str = "k_fold",
    *,
    truth: str,
    features: Sequence[str] | None = None,
    id: str | None = None,
    group: str | None = None,
    time: str | None = None,
    weight: str | None = None,
    slices: Sequence[str] = (),
    stratify: bool = True,
    positive: Any = None,
    roles: Sequence[Role] = ROLES,
    frames: bool = False,
    **options: Any,
) -> pl.DataFrame:
    """Fit copies of every model in every fit of a scheme, and let them predict.

    ``data`` is a Polars frame (eager or lazy), a pandas or PyArrow table, or a mapping of
    columns. A model is anything with ``fit(X, y)`` and ``predict_proba``,
    ``decision_function`` or ``predict``, as scikit-learn has them; X is a NumPy
    array, or with ``frames`` a Polars frame. ``scheme`` is what ``split``
    takes, or a table that it gave; classes are stratified unless ``stratify``
    is off. ``features`` are all columns that have no other use (``weight`` and
    ``slices`` are kept, not learned from; models are fitted without weights). ``roles`` are
    the rows that predictions are kept of: with the training rows the report
    shows empirical beside generalisation error. A bootstrap gets a fit on all
    rows as repeat 0, whose error the .632 estimates need.

    Returns one row per example and fit: ``id``, ``truth``, ``repeat``,
    ``fold``, ``role``; the columns of ``group``, ``time``, ``weight`` and ``slices``,
    and those that a table of splits brings, under their own names; then for each
    model ``p_MODEL`` (probability of ``positive``, by default the last class),
    ``p_MODEL_CLASS`` of more than two classes, ``score_MODEL`` in place of ``p_``
    where there are no probabilities, ``said_MODEL`` (a label) or ``estimate_MODEL``
    (a number).
    A class that a training part lacks has probability 0. In a spec these are
    ``columns: {id: id, repeat: repeat, fold: fold, role: role, group: …, time: …,
    weight: …}`` and ``slices: […]``, so that limits and tests allow for rows that
    depend on each other.

    Args:
        models: what has ``fit`` and predicts, by name.
        data: a Polars frame (eager or lazy), a pandas or PyArrow table, or a mapping of columns.
        scheme: what ``split`` takes, or a table that it gave.
        truth: the column of the truth.
        features: the columns to learn from; None: all that have no other use.
        id: the column of ids.
        group: the column of what must not be on both sides.
        time: the column that orders the rows.
        weight: the column of weights, which is kept and not learned from.
        slices: columns of subgroups, which are kept and not learned from.
        stratify: whether every part gets its share of each class.
        positive: the class that ``p_MODEL`` is of, by default the last.
        roles: the rows that predictions are kept of.
        frames: whether models get Polars frames in place of arrays.
        **options: the scheme's, as in ``split``.

    Returns:
        One row per example and fit, as below.

    Raises:
        SpecError, DataError, EmptyError: as ``split``; a column is missing, or a
            model cannot be fitted.

    >>> class Share:
    ...     def fit(self, X, y):
    ...         self.classes_, self.share = np.unique(y), np.mean(y)
    ...         return self
    ...
    ...     def predict_proba(self, X):
    ...         return np.tile([1 - self.share, self.share], (len(X), 1))
    >>> rows = {"x": [1.0, 2.0, 3.0, 4.0], "y": [0, 1, 0, 1]}
    >>> table = cross_predict({"share": Share()}, rows, "k_fold", truth="y", folds=2)
    >>> table.filter(role="test")["p_share"].to_list()
    [0.5, 0.5, 0.5, 0.5]
    """
    data = polars_frame(data, "data frame")
    _there(data, [truth, *(features or ())])
    number = data[truth].dtype.is_float()
    if not isinstance(scheme, Scheme | str):
        splits: pl.DataFrame = Splits.validate(polars_frame(scheme, "splits"))
    else:
        by = truth if stratify and not number and not time else None
        splits = split(data, scheme, id=id, stratify=by, group=group, time=time, **options)
    beside = _beside(data, KeptColumns(group, time, weight, slices).columns(), splits, id)
    used = {truth, id, *beside.columns}
    names = list(features or (column for column in data.columns if column not in used))
    subject = _subject(data, truth, names, id, positive, frames=frames)
    count = splits.select("repeat", "fold").n_unique() + int((splits["draws"] > 1).any())
    with progress("fitting", count * len(models)) as advance:
        parts = [
            _predicted(models, subject, fit, numbers, roles, advance)
            for numbers, fit in _fits(splits, subject.ids)
        ]
    predictions = pl.concat(parts).sort(
        "repeat", "fold", pl.col("role").replace_strict(_PLACES), "place"
    )
    outputs = [column for column in predictions.columns if column not in (*HEAD, "place")]
    kept_columns(beside, beside.columns, (*HEAD, *outputs))  # no name stands for two columns
    whole = predictions.hstack([column.gather(predictions["place"]) for column in beside])
    return whole.select(*HEAD, *beside.columns, *outputs)


_PLACES = {role: place for place, role in enumerate(ROLES)}


def _beside(
    data: pl.DataFrame,
    columns: Sequence[str],
    splits: pl.DataFrame,
    id: str | None,
) -> pl.DataFrame:
    """The columns to keep of every row of the data, with those that the splits bring."""
    names = [column for column in columns if (id, column) != ("id", "id")]
    data_columns = kept_columns(data, names, HEAD)
    brought = [c for c in splits.columns if c not in (*SPLIT_KEYS, *data_columns.columns)]
    if not brought:
        return data_columns
    of_id = splits.select("id", *brought).unique("id", keep="first")
    ids = id_texts(data, id).alias("id").to_frame()
    matched = ids.join(of_id, on="id", how="left", maintain_order="left").drop("id")
    return pl.DataFrame([*data_columns, *kept_columns(matched, brought, HEAD, "splits")])


def _there(data: pl.DataFrame, columns: Sequence[str]) -> None:
    problems = [
        Problem(
            "missing-column",
            f"there is no column {column!r}",
            "data frame",
            suggestion(column, data.columns),
        )
        for column in columns
        if column not in data.columns
    ]
    if problems:
        raise DataError(*problems)


def _subject(
    data: pl.DataFrame,
    truth: str,
    names: Sequence[str],
    id: str | None,
    positive: Any,
    *,
    frames: bool,
) -> TrainingData:
    ids = id_texts(data, id)
    classes = () if data[truth].dtype.is_float() else tuple(data[truth].unique().sort())
    if positive is not None and positive not in classes:
        message = f"the positive class {positive!r} is not in {truth!r}"
        hint = suggestion(str(positive), map(str, classes))
        raise DataError(Problem("unknown-class", message, "data frame", hint))
    chosen = data.select(names)
    return TrainingData(
        ids,
        chosen if frames else chosen.to_numpy(),
        data[truth],
        classes,
        classes[-1] if positive is None and classes else positive,
    )


def _fits(splits: pl.DataFrame, ids: pl.Series) -> Iterator[tuple[tuple[int, int], pl.DataFrame]]:
    """Each fit with the places of its rows; of a bootstrap first the one on all rows."""
    places = pl.DataFrame({"id": ids}).with_row_index("place")
    strange = splits.join(places, on="id", how="anti")
    if strange.height:
        message = f"the splits have {strange['id'].n_unique()} ids that the data does not have"
        raise DataError(Problem("unknown-id", message, "splits", "split the same data"))
    if (splits["draws"] > 1).any():
        whole = places.with_columns(role=pl.lit("train"), draws=pl.lit(1, pl.UInt32))
        yield (0, 1), whole
    placed = splits.join(places, on="id", maintain_order="left")
    for numbers, fit in placed.group_by("repeat", "fold", maintain_order=True):
        yield (int(numbers[0]), int(numbers[1])), fit


def _predicted(
    models: Mapping[str, Any],
    subject: TrainingData,
    fit: pl.DataFrame,
    numbers: tuple[int, int],
    roles: Sequence[Role],
    advance: Advance,
) -> pl.DataFrame:
    trained = fit.filter(role="train")
    rows = trained["place"].repeat_by(trained["draws"]).explode().to_numpy()
    role_rows = fit.filter(pl.col("role").is_in(list(roles)))
    at = role_rows["place"].to_numpy()
    outputs: list[pl.Series] = []
    for name, model in models.items():
        fitted = deepcopy(model)
        try:
            fitted.fit(*subject.part(rows))
            outputs += _outputs(name, fitted, subject, at)
        except ValueError as fault:
            message = f"{name!r} fails in repeat {numbers[0]}, fold {numbers[1]}: {fault}"
            raise DataError(Problem("fit", message, "cross_predict")) from fault
        advance()
    head = role_rows.select(
        id="id",
        truth=subject.truth.gather(at),
        repeat=pl.lit(numbers[0], pl.UInt32),
        fold=pl.lit(numbers[1], pl.UInt32),
        role="role",
        place="place",
    )
    return head.hstack(outputs)


def _outputs(name: str, fitted: Any, subject: TrainingData, at: Any) -> list[pl.Series]:
    """The columns of one model: the best that it gives."""
    features = subject.features[at]
    for method, prefix in (("predict_proba", "p"), ("decision_function", "score")):
        if subject.classes and hasattr(fitted, method):
            values = np.asarray(getattr(fitted, method)(features), dtype=np.float64)
            return _by_class(f"{prefix}_{name}", values, list(fitted.classes_), subject)
    values = np.asarray(fitted.predict(features))
    if subject.classes and values.dtype.kind != "f":
        return [pl.Series(f"said_{name}", values, dtype=subject.truth.dtype)]
    return [pl.Series(f"estimate_{name}", values.astype(np.float64))]


def _by_class(
    column: str, values: Floats, model_classes: list[Any], subject: TrainingData
) -> list[pl.Series]:
    """Scores of the positive class, or of every class where there are more than two."""
    if values.ndim == 1:  # a decision function of two classes speaks for the second
        values = np.column_stack([-values, values])
    none = np.zeros(len(values))
    by_class = {
        label: values[:, model_classes.index(label)] if label in model_classes else none
        for label in subject.classes
    }
    if len(by_class) == 2:
        return [pl.Series(column, by_class[subject.positive])]
    return [pl.Series(f"{column}_{label}", scores) for label, scores in by_class.items()]
