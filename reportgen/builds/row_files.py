"""``rows.parquet``: the evaluated rows of a build, ids and groups as keyed hashes.

The key lies in the output folder, beside the folders of the specs: builds of one folder
can be compared row by row, and a row file alone tells no id, nor lets one be looked up.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import polars as pl

from reportgen.errors import OutputError, Problem
from reportgen.frames import write_parquet
from reportgen.predictions.column_names import IDENTITIES, columns_of

FILE = "rows.parquet"
KEY = ".reportgen.key"
BYTES = 12
"""Length of a hash: two of a billion ids share one with a probability below 10⁻¹⁰."""


def hashed(rows: pl.DataFrame, root: Path) -> pl.DataFrame:
    """The rows with ids and groups hashed by the key of the output folder."""
    names = [name for name in IDENTITIES if name in rows.columns]
    if not names:
        return rows
    key = key_of(root)
    return rows.with_columns(
        pl.Series(name, list(hashes(rows[name].cast(pl.String), key, name)), dtype=pl.Binary)
        for name in names
    )


def hashed_ids(ids: Iterable[str], root: Path) -> Iterable[str | None]:
    """The ids as they stand in the row files of an output folder, in hexadecimal."""
    return (None if value is None else value.hex() for value in hashes(ids, key_of(root), "id"))


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write the hashed rows of a build."""
    with path.open("wb") as file:  # Polars takes no path that is not UTF-8
        write_parquet(rows, file, compression="zstd", statistics=False)


def digest_of_test_set(rows: pl.DataFrame) -> str:
    """A hash of ids and truths, whatever their order: the same for the same test set.

    The ids are those of the data, so that the hash does not depend on the folder's key.

    >>> one = pl.DataFrame({"id": ["a", "b"], "truth": [True, False]})
    >>> digest_of_test_set(one) == digest_of_test_set(one.reverse())
    True
    """
    keys = [name for name in ("id", "dataset", "repeat") if name in rows.columns]
    truths = columns_of(rows.columns, "truth")
    table = rows.select(*(pl.col(key).cast(pl.String) for key in keys), *truths)
    digest = hashlib.sha256()
    for column in table.sort(keys) if keys else table:
        digest.update("\0".join([column.name, *map(str, column)]).encode())
    return digest.hexdigest()[:16]


def hashes(values: Iterable[str | None], key: bytes, purpose: str) -> Iterable[bytes | None]:
    """The keyed hash of each value: BLAKE2b, RFC 7693; ids and groups cannot be matched.

    >>> one, two = hashes(["case 7", None], b"key", "id")
    >>> len(one), two, one == next(iter(hashes(["case 7"], b"key", "group")))
    (12, None, False)
    """
    start = hashlib.blake2b(key=key, digest_size=BYTES, person=purpose.encode())
    for value in values:
        if value is None:
            yield None
            continue
        digest = start.copy()
        digest.update(value.encode())
        yield digest.digest()


def read_rows(path: Path) -> pl.DataFrame | None:
    """The rows of a build; nothing where it keeps none, or they cannot be read."""
    try:
        with (path / FILE).open("rb") as file:
            return pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError):
        return None


def stored_key(root: Path) -> str | None:
    """The text of an output folder's key; null where it has none."""
    try:
        return (root / KEY).read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None


def key_of(root: Path) -> bytes:
    """The key of an output folder, made where it has none; of two that make one the first counts.

    Raises ``OutputError`` where it holds something else.
    """
    path = root / KEY
    if not path.exists():
        fresh = root / f"{KEY}-{os.getpid()}"
        try:
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(secrets.token_hex(32))
            with suppress(FileExistsError):
                os.link(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
    text = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != 32:
        hint = "remove it; earlier builds can then no longer be compared row by row with later ones"
        raise OutputError(Problem("key", "this is not a key of row files", str(path), hint))
    return key
