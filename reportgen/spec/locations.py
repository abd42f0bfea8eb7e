"""Where data live that are no files beside the spec: how ``data`` names them.

duckdb:warehouse.duckdb          a file of DuckDB, with ``query``
postgresql:REPORTGEN_DATABASE    a server, by the variable that holds its address, with ``query``
delta:tables/predictions@12      a Delta table, perhaps in a version
s3://bucket/predictions/*.parquet    an object store, in parquet or ipc
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

LocationKind = Literal["duckdb", "postgresql", "delta", "objects"]

KINDS: dict[str, LocationKind] = {"duckdb": "duckdb", "postgresql": "postgresql", "delta": "delta"}
STORES = ("s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss")

_PREFIXED = re.compile(r"(duckdb|postgresql|delta):(.+)", re.DOTALL)
_STORED = re.compile(rf"({'|'.join(STORES)})://.+", re.DOTALL)
_VERSION = re.compile(r"(.+)@(\d{1,18})")


@dataclass(frozen=True, slots=True)
class Location:
    """What kind of place it is, its address there, and the version of a table."""

    kind: LocationKind
    address: str
    version: int | None = None

    @property
    def is_local(self) -> bool:
        """Whether it is a file or folder of this machine."""
        return self.kind == "duckdb" or (self.kind == "delta" and not is_stored(self.address))


def location(name: str) -> Location | None:
    """What a name under ``data`` stands for; nothing where it is a file.

    >>> location("delta:tables/rows@12")
    Location(kind='delta', address='tables/rows', version=12)
    >>> location("s3://bucket/rows.parquet").kind, location("rows.parquet")
    ('objects', None)
    """
    if is_stored(name):
        return Location("objects", name)
    match = _PREFIXED.fullmatch(name)
    if match is None:
        return None
    kind, address = KINDS[match[1]], match[2]
    versioned = _VERSION.fullmatch(address) if kind == "delta" else None
    if versioned:
        return Location(kind, versioned[1], int(versioned[2]))
    return Location(kind, address)


def is_stored(name: str) -> bool:
    """Whether a name is the address of an object store."""
    return _STORED.fullmatch(name) is not None


def local_name(name: str) -> str:
    """The path that a name leads to on this machine; the name itself elsewhere.

    >>> local_name("duckdb:../secret.duckdb"), local_name("rows.csv")
    ('../secret.duckdb', 'rows.csv')
    """
    place = location(name)
    return place.address if place is not None and place.is_local else name
