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
from reportgen.results.evaluated_rows import IDENTITIES

FILE = "rows.parquet"
KEY = ".reportgen.key"
BYTES = 12
"""Length of a hash: two of a billion ids share one with a probability below 10⁻¹⁰."""


def write_rows(rows: pl.DataFrame, path: Path, key: bytes) -> None:
    """Write the rows of a build, with ids and groups hashed."""
    hashed = [
        pl.Series(name, list(hashes(rows[name].cast(pl.String), key, name)), dtype=pl.Binary)
        for name in IDENTITIES
        if name in rows.columns
    ]
    rows.with_columns(hashed).write_parquet(path, compression="zstd", statistics=False)


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
        return pl.read_parquet(path / FILE)
    except (OSError, pl.exceptions.PolarsError):
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
        hint = "remove it; builds from before cannot be compared row by row with later ones"
        raise OutputError(Problem("key", "this is no key of row files", str(path), hint))
    return key


def fingerprint(key: bytes) -> str:
    """What shows that two builds were hashed with one key, and tells nothing of it."""
    return hashlib.sha256(b"reportgen rows" + key).hexdigest()[:16]
