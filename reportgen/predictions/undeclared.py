"""Columns that a spec does not name and that may say which rows belong together."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import polars as pl

from reportgen.predictions.column_names import named_in_periods, period_column
from reportgen.predictions.dated_rows import (
    FIRST,
    TIMES,
    are_dates,
    are_times,
    by_day,
    holds_names,
    in_periods,
    is_day,
)
from reportgen.predictions.file_order import in_order
from reportgen.predictions.files import DataFile, repeated_columns, scan
from reportgen.predictions.required_columns import required_columns
from reportgen.predictions.text_values import as_text
from reportgen.predictions.unreadable import UNREADABLE
from reportgen.predictions.validated import Predictions
from reportgen.spec import Spec
from reportgen.text.words import name_words, words_in_order

UNITS = name_words(
    "annotator article artist author batch book branch buyer campaign case center centre child "
    "city class classroom clinic clinician cluster company context conversation country county "
    "customer dialogue district doc doctor document driver examiner farm film firm grader "
    "hospital host household institution item judge lab laboratory listing machine merchant movie "
    "nurse office operator participant passage pathologist patient person physician plant plot "
    "product prompt provider psu question radiologist rater reader region restaurant reviewer "
    "school seller sensor session shop site song speaker station store student subject supplier "
    "teacher track user vehicle vendor video village ward writer "
    "医院 用户 患者 学校 门店 商店 商品 电影"
)
"""Words in the name of what has several rows, which may resemble each other."""

_SHORT = name_words(
    "account acct agent animal block cell claim cust dept device dist domain donor emp employee "
    "fam family field flight game group hh hosp image indiv inst invoice job litter loan loc "
    "member nest order owner pat pers player policy post prov rider route sample scan sch slide "
    "specimen stud study subj task team thread ticket tree trip usr worker"
)
_NUMBERED = re.compile(
    r"(\w+?)_?(ids?|no|nr|num|number|code|key|fips?)\d*|id(?P<unit>\w+)|(?P<of>\w+?)id\w{1,3}"
)
"""What stands at a unit's name without a gap, as in ``schoolid``; also of these short forms."""

_NUMBERED_ID = re.compile(r"id\d+")

_PLACES = name_words(
    "cow fip fips msa municipality nbh neighborhood neighbourhood postcode province puma st state "
    "tract vill zip"
)
"""Places that whole numbers stand for, as in ``fips``; names of such may be kinds of rows."""

_NUMBERS = name_words("code id ids key no nr num number")
"""Last words of what tells units apart, as in ``store_no``."""

SHORTEST_ID = 3
"""So many letters before ``id`` may be short for anything, as in ``pid`` and ``uid``."""

_IDS = name_words("id ids idcode idno idnr idnum")

_OF_EACH = name_words("by count each in mean n of per rate sum total")
"""Words in the name of what is counted or measured of units."""

_NO_IDS = name_words(
    "acid aid arid avid bid covid did fluid grid hid humid kid laid lid lipid maid mid paid raid "
    "rapid rigid said solid valid vivid void"
)

FEWEST_VALUES = 8
"""Fewer values divide the rows into slices, as sex and grade do."""

FEWEST_CODES = 20
"""So many whole numbers may be codes of units under any name, as 79 schools are."""

MOST_ROWS_OF_CODES = 200_000

MOST_LOOKED_AT = 100
"""Of more columns those alone are read that may be of units, and none gives the rows an order."""

MOST_COLUMNS = 20
MOST_ROWS = 2_000_000

_WHOLE = re.compile(r"^\s*[+-]?\d+(\.0+)?\s*$").pattern
_MEASURED = re.compile(r"^\s*[+-]?\d[\d.,:/\-\s%eET+Z]*$").pattern
"""Numbers, dates and times of day."""

_OUTPUTS = name_words(
    "label labels pred preds predicted prediction predictions target truth true actual answer text "
    "comment date time timestamp fold split day week month year hour"
)
"""Words in the name of what is no unit whatever its values are, but for calendar dates."""


def of_files(spec: Spec, files: Sequence[DataFile], predictions: Predictions) -> pl.DataFrame:
    """The candidates of the files that were read, in the order of the rows of ``predictions``.

    None where weights are declared, small counts are withheld, the rows are many, or a file lacks
    the column.
    """
    rows = sum(file.rows for file in predictions.files)
    if _needless(spec, predictions, rows) or any(file.format == "counts" for file in files):
        return pl.DataFrame()
    used = {column.column for column in required_columns(spec)}
    columns = _read(files, used, rows if rows <= MOST_ROWS_OF_CODES else None)
    return _returning(columns, predictions, rows)


def _read(
    files: Sequence[DataFile], used: Collection[str], rows: int | None = None
) -> pl.DataFrame:
    """The candidates of the files, in their order; none where a file lacks the column.

    Codes under any name and the order of the ``rows`` where their number is given.
    """
    with_codes = rows is not None
    try:
        lazy = [scan(file) for file in files]
        schemas = [frame.collect_schema() for frame in lazy]
        names = [schema.names() for schema in schemas]
        common = [n for n in names[0] if all(n in of_file for of_file in names[1:])]
        again = set().union(*map(repeated_columns, files, names))
        # the first rows of a column take as long to read as its whole group of rows
        whole = with_codes and len(common) <= MOST_LOOKED_AT
        looked_at = [n for n in common if whole or _may_hold_units(n, schemas[0][n])]
        first = lazy[0].select(looked_at).head(FIRST).collect()
        chosen = _candidates(first, {*used, *again}, with_codes)
        parts = [frame.select(chosen).collect() for frame in lazy] if chosen else []
    except UNREADABLE:
        return pl.DataFrame()  # a column that nothing asks for is no reason to stop
    if len(parts) > 1:
        parts = [part.select(as_text(part[name]) for name in chosen) for part in parts]
    columns = pl.concat(parts) if parts else pl.DataFrame()
    return _with_order(columns, rows, first) if rows is not None and whole else columns


def _with_order(columns: pl.DataFrame, rows: int, first: pl.DataFrame) -> pl.DataFrame:
    """With the order of the rows, if no column says what that is."""
    order = in_order(rows, first)
    return columns if order is None else pl.DataFrame([*columns, order])


def of_values(files: Sequence[DataFile], used: Collection[str], blocks: pl.Series) -> pl.DataFrame:
    """The candidates of a table of values, one row per data set (``block``).

    ``blocks`` are the data sets of the rows of the files. Columns that differ within one are not
    looked at.
    """
    return _of_blocks(_read(files, used), blocks)


def of_frame_of_values(
    frame: pl.DataFrame, used: Collection[str], blocks: pl.Series
) -> pl.DataFrame:
    """The same of a frame in memory."""
    return _of_blocks(frame.select(_candidates(frame.head(FIRST), used)), blocks)


def _of_blocks(columns: pl.DataFrame, blocks: pl.Series) -> pl.DataFrame:
    if columns.height != len(blocks) or not columns.width:
        return pl.DataFrame()
    names = columns.columns
    several = columns.with_columns(block=blocks).group_by("block", maintain_order=True)
    same = several.agg(pl.col(names).n_unique()).select(pl.col(names).max())
    alike = [name for name in names if same[name].item() == 1]
    return several.agg(pl.col(alike).first()).select("block", *alike)


def of_frame(spec: Spec, frame: pl.DataFrame, predictions: Predictions) -> pl.DataFrame:
    """The same of a frame in memory."""
    if _needless(spec, predictions, frame.height):
        return pl.DataFrame()
    used = {column.column for column in required_columns(spec)}
    few, first = frame.height <= MOST_ROWS_OF_CODES, frame.head(FIRST)
    columns = frame.select(_candidates(first, used, few))
    if few and frame.width <= MOST_LOOKED_AT:
        columns = _with_order(columns, frame.height, first)
    return _returning(columns, predictions, frame.height)


def _needless(spec: Spec, predictions: Predictions, rows: int) -> bool:
    columns = spec.columns
    weighted, hidden = columns.weight is not None, bool(spec.privacy.small_cells)
    return weighted or hidden or predictions.unpaired is not None or rows > MOST_ROWS


def _candidates(first: pl.DataFrame, used: Collection[str], with_codes: bool = False) -> list[str]:
    """Columns of names, or of whole numbers that are named as units; at most ``MOST_COLUMNS``.

    Nor more than twice as many as are used, so that reading them costs little more than these.
    ``with_codes``: after these, as many whole numbers of any name that may be codes.
    """
    columns = [c for c in first if c.name not in used and not is_pattern(c.name)]
    unnamed = [c for c in columns if not name_words(c.name) & _OUTPUTS]
    units = {c.name for c in unnamed if may_be_units(c)}
    named = [c.name for c in columns if c.name in units or are_times(c)]
    codes = [c.name for c in unnamed if with_codes and may_be_codes(c)]
    return [*named[: min(MOST_COLUMNS, 2 * len(used))], *codes[:MOST_COLUMNS]]


def is_pattern(name: str) -> bool:
    """Whether Polars takes a name for a pattern of names.

    >>> is_pattern("^a$"), is_pattern("a")
    (True, False)
    """
    return name.startswith("^") and name.endswith("$")


def named_as_units(name: str) -> bool:
    """Whether a column is named for what has several rows.

    Words of languages without spaces stand inside longer ones.

    >>> named_as_units("store_id"), named_as_units("schoolid"), named_as_units("就诊医院编号")
    (True, True, True)
    >>> named_as_units("age"), named_as_units("casein")
    (False, False)
    """
    words, inside = name_words(name), (unit for unit in UNITS if unit >= "\u2e80")
    if words & UNITS or any(unit in name for unit in inside):
        return True
    numbered = filter(None, map(_NUMBERED.fullmatch, words))
    units = (match[1] or match["unit"] or match["of"] for match in numbered)
    return any(unit in UNITS | _SHORT | _PLACES for unit in units)


def identifies(name: str) -> bool:
    """Whether whole numbers of this name tell units apart, and are no feature of them.

    >>> identifies("patient"), identifies("store_no"), identifies("pid"), identifies("idcode")
    (True, True, True, True)
    >>> identifies("nr"), identifies("number"), identifies("state_fips"), identifies("zip")
    (True, False, True, True)
    >>> identifies("schidkn"), identifies("provnum"), identifies("candidate"), identifies("humid")
    (True, True, False, False)
    >>> identifies("patient_age"), identifies("sales_per_store"), identifies("amountpaid")
    (False, False, False)
    """
    words = words_in_order(name)
    last = words[-1] if words else ""
    if not _OF_EACH.isdisjoint(words):
        return False
    if not _IDS.isdisjoint(words) or _NUMBERED_ID.fullmatch(last):
        return True
    if name_words(last) & (UNITS | _PLACES):
        return True
    if last in _NUMBERS:
        return named_as_units(name) or words in (["nr"], ["no"])
    if last.endswith("id") and last not in _NO_IDS and len(last) <= SHORTEST_ID + 2:
        return True
    return named_as_units(last) or (named_as_units(name) and not last.isascii())


def _may_hold_units(name: str, dtype: pl.DataType) -> bool:
    """Whether a column may hold names, or times; numbers of units with one missing are floats."""
    of_name = bool(name_words(name) & TIMES) or (dtype.is_float() and identifies(name))
    return holds_names(dtype) or of_name


def may_be_units(column: pl.Series) -> bool:
    """Whether a column holds names, or whole numbers and is named as units."""
    if not _may_hold_units(column.name, column.dtype) or is_day(column.dtype):
        return False
    texts = column.cast(pl.String).drop_nulls()
    if texts.is_empty():
        return False
    if texts.str.contains(_WHOLE).all():
        return identifies(column.name)
    return 2 * int(texts.str.contains(_MEASURED).sum()) <= len(texts)


def may_be_codes(column: pl.Series) -> bool:
    """Whether a column holds many whole numbers, some of them again: codes, or a feature.

    >>> may_be_codes(pl.Series("fi", [*range(30), 7])), may_be_codes(pl.Series("n", range(30)))
    (True, False)
    """
    if named_in_periods(column.name) or identifies(column.name) or not _are_whole(column):
        return False
    if are_times(column.head(FIRST)):
        return False
    return FEWEST_CODES <= column.n_unique() < len(column)


def _are_whole(column: pl.Series) -> bool:
    if column.dtype == pl.String:
        return bool(column.drop_nulls().str.contains(_WHOLE).all())
    return column.dtype.is_integer()


def _returning(columns: pl.DataFrame, predictions: Predictions, rows: int) -> pl.DataFrame:
    """The columns whose values return, or are times, in the order of the evaluated rows."""
    if columns.height != rows or not columns.width:
        return pl.DataFrame()
    if (places := predictions.row_numbers) is not None:
        columns = columns[places]
    if columns.height != predictions.frame.height:
        return pl.DataFrame()
    try:
        grouped = [_grouped(column) for column in columns]
    except UNREADABLE:
        return pl.DataFrame()  # a column that nothing asks for is no reason to stop
    return pl.DataFrame([column for column in grouped if column is not None and returns(column)])


def _grouped(column: pl.Series) -> pl.Series | None:
    """Times of one row each as periods, other times of day as their days; no months or hours.

    Texts of whole numbers as these.
    """
    if named_in_periods(column.name):
        return column
    if column.dtype == pl.String and may_be_codes(column.head(FIRST)):
        numbers = column.str.replace(r"\.0+\s*$", "").str.strip_chars().cast(pl.Int64, strict=False)
        return numbers if numbers.null_count() == column.null_count() else None
    if (periods := in_named_periods(column)) is not None:
        return periods
    first = column.head(FIRST)
    return by_day(column) if are_dates(first) or not are_times(first) else None


def in_named_periods(column: pl.Series) -> pl.Series | None:
    """A column of times that each row has its own of as periods, under the name of such."""
    periods = in_periods(column) if are_times(column.head(FIRST)) else None
    return None if periods is None else periods.alias(period_column(column.name))


MANY_VALUES, FEW_ROWS_EACH = 20, 50
"""A column not named as units may still be of such: so many values, of so few rows on average."""


def may_be_sampled(column: pl.Series) -> bool:
    """Whether the values may be a sample of units, and not grades or kinds that all rows have.

    >>> may_be_sampled(pl.Series("store", ["a", "b"])), may_be_sampled(pl.Series("cut", ["a", "b"]))
    (True, False)
    """
    values = column.drop_nulls()
    is_whole = bool(values.head(FIRST).cast(pl.String).str.contains(_WHOLE).all())
    named = identifies(column.name) if is_whole else named_as_units(column.name)
    if named or "id" in name_words(column.name) or are_dates(column):
        return True
    number = values.n_unique()
    return number >= MANY_VALUES and len(values) <= FEW_ROWS_EACH * number


def returns(column: pl.Series, fewest: int = FEWEST_VALUES) -> bool:
    """Whether a column has so many values, on average in two rows or more."""
    values = column.drop_nulls()
    return fewest <= values.n_unique() <= len(values) // 2
