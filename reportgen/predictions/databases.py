"""Rows from databases, Delta tables and object stores, as a file that is read as any other.

The rows are written to a temporary file once, so that hash, checks and engines are those of
files. Credentials come from the environment alone. A spec may come from someone else: it reaches
a server only where the environment names it, its query of a DuckDB file reads nothing else, and
a Delta table keeps to the folders that the spec may read.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import unquote, urlsplit

import polars as pl

from reportgen.errors import DataError, Problem, SpecError
from reportgen.predictions.files import DataFile
from reportgen.spec import Spec
from reportgen.spec.outside import Location, is_stored, location, refusals

ALLOWED = "REPORTGEN_ALLOWED_SOURCES"
"""Beginnings of the addresses that specs may read from object stores, between blanks."""

_DATABASE = re.compile(r"REPORTGEN_DATABASE(_[A-Z0-9_]+)?")
_CLOSED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "lock_configuration": "true",
}
"""What keeps a query of DuckDB to its own file."""

_READ_ONLY = "options=-c%20default_transaction_read_only%3Don"
"""The options of a connection to PostgreSQL."""


def from_source(spec: Spec) -> list[DataFile] | None:
    """The rows of the place that a spec names, in a temporary file; nothing where it names files.

    Raises:
        SpecError: a library is missing, the place is not allowed, or it is one of several.
        DataError: it cannot be read.
    """
    names = spec.data_names
    places = [place for name in names if (place := location(name)) is not None]
    if not places:
        if spec.query:
            message = "a query needs data: duckdb:FILE or data: postgresql:REPORTGEN_DATABASE"
            raise SpecError(spec.problem("query", "conflict", message))
        return None
    if len(names) > 1:
        message = "a database, a table or an address is read alone"
        raise SpecError(spec.problem("data", "conflict", message, "query or combine it there"))
    rows = _rows(spec, places[0], names[0])
    folder = mkdtemp(prefix="reportgen-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "rows.arrow"
    rows.write_ipc(path, compression="uncompressed")
    return [DataFile(names[0], path, "ipc")]


def _rows(spec: Spec, place: Location, name: str) -> pl.DataFrame:
    takes_query = place.kind in ("duckdb", "postgresql")
    if takes_query != bool(spec.query):
        message = "needs a query" if takes_query else "takes no query"
        raise SpecError(
            spec.problem("data", "conflict", f"{place.kind} {message}", "query: SELECT …")
        )
    if place.is_local and (refused := refusals(spec, [place.address])):
        raise SpecError(*refused)
    reader: Callable[[Spec, Location], pl.DataFrame] = {
        "duckdb": _duckdb,
        "postgresql": _postgresql,
        "delta": _delta,
        "objects": _objects,
    }[place.kind]
    try:
        return reader(spec, place)
    except ImportError as missing:
        extra = place.kind
        hint = f"pip install 'reportgen-eval[{extra}]'"
        message = f"{missing.name or extra} is not installed"
        raise SpecError(spec.problem("data", "no-library", message, hint)) from None
    except (DataError, SpecError):
        raise
    except Exception as error:  # each library has errors of its own
        reason = _without_secrets(str(error).strip().partition("\n")[0])
        message = f"cannot be read: {reason or type(error).__name__}"
        raise DataError(Problem("unreadable", message, name)) from None


def _without_secrets(text: str) -> str:
    """A message without the addresses of servers, which hold passwords."""
    for name, value in os.environ.items():
        if _DATABASE.fullmatch(name) and value:
            text = text.replace(value, name)
            password = urlsplit(value).password
            text = text.replace(unquote(password), "…") if password else text
    return text


def _duckdb(spec: Spec, place: Location) -> pl.DataFrame:
    import duckdb

    path = spec.base / place.address
    if not path.is_file():
        raise DataError(Problem("missing-file", "there is no such file", str(path)))
    with duckdb.connect(str(path), read_only=True, config=_CLOSED) as connection:
        return pl.DataFrame(connection.sql(spec.dated_query))


def _postgresql(spec: Spec, place: Location) -> pl.DataFrame:
    address = os.environ.get(place.address)
    if not _DATABASE.fullmatch(place.address) or not address:
        hint = "set REPORTGEN_DATABASE=postgresql://USER:PASSWORD@HOST/NAME in the environment"
        message = f"{place.address!r} is no variable REPORTGEN_DATABASE… that is set"
        raise SpecError(spec.problem("data", "not-allowed", message, hint))
    if "options=" not in address:
        address = f"{address}{'&' if '?' in address else '?'}{_READ_ONLY}"
    return pl.read_database_uri(spec.dated_query, address, engine="adbc")


def _delta(spec: Spec, place: Location) -> pl.DataFrame:
    from deltalake import DeltaTable

    if place.is_local:
        address = str((spec.base / place.address).resolve())
    else:
        _check_allowed(spec, place.address)
        address = place.address
    table = DeltaTable(address, version=place.version)
    for uri in table.file_uris():
        _check_file(spec, address, unquote(uri))
    return pl.scan_delta(table).collect()


def _check_file(spec: Spec, table: str, uri: str) -> None:
    """Refuse a file of a table that lies elsewhere, as that of a clone may."""
    parts = uri.replace("\\", "/").split("/")
    inside = uri.startswith(f"{table.rstrip('/')}/") and ".." not in parts
    if inside and (is_stored(table) or spec.roots.hold(Path(uri))):
        return
    message = "a file of the table is outside its folder"
    raise SpecError(spec.problem("data", "outside-folder", message, value=uri))


def _objects(spec: Spec, place: Location) -> pl.DataFrame:
    _check_allowed(spec, place.address)
    ending = Path(urlsplit(place.address).path).suffix
    if ending == ".parquet":
        return pl.scan_parquet(place.address, hive_partitioning=spec.hive).collect()
    if ending in (".ipc", ".arrow", ".feather"):
        return pl.scan_ipc(place.address, hive_partitioning=spec.hive).collect()
    message = f"{ending or 'a name without an ending'} is not read from an object store"
    raise SpecError(spec.problem("data", "unknown-format", message, "parquet and ipc are"))


def _check_allowed(spec: Spec, address: str) -> None:
    """Refuse an address that the environment does not allow; a spec in Python is trusted."""
    allowed = os.environ.get(ALLOWED, "").split()
    held = any(address.startswith(f"{one.rstrip('/')}/") for one in allowed if is_stored(one))
    if ".." in address.split("/") or not (held or spec.path is None):
        hint = f"set {ALLOWED} to the addresses that specs may read, such as s3://bucket/"
        message = f"{address!r} is not allowed"
        raise SpecError(spec.problem("data", "not-allowed", message, hint))
