"""Files that a spec names outside the folders that it may read.

A spec may come from someone else. Whatever path it names, written with ``..``,
absolute, as a pattern or through a link, is read only where the file itself lies
in the folder of the spec, or in one that the command line allows.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reportgen.errors import Problem
from reportgen.spec.base import Issue
from reportgen.spec.document import OPTION, Steps
from reportgen.spec.models import Spec
from reportgen.spec.option_groups import text_sections

CODE = "outside-folder"
_HINT = (
    "a spec reads files in its own folder and below; if this one may read there, "
    "build it with --allow-root {folder} or with --allow-outside"
)


def issues(spec: Spec) -> Iterator[Issue]:
    """Return every file that the spec names outside its roots."""
    for steps, name in _files(spec):
        if _from_the_file(spec, steps) and not spec.roots.hold(spec.base / name):
            yield Issue(steps, CODE, *_message(spec, steps, name), value=name)


def refusals(spec: Spec, names: Iterable[str]) -> list[Problem]:
    """Return a problem for each data file outside the roots that a pattern stands for."""
    if not _from_the_file(spec, ("data",)):
        return []
    outside = [name for name in names if not spec.roots.hold(spec.base / name)]
    return [spec.problem(("data",), CODE, *_message(spec, ("data",), name)) for name in outside]


def _files(spec: Spec) -> Iterator[tuple[Steps, str]]:
    for index, name in enumerate(spec.data_names):
        yield ("data", index), local_name(name)
    if spec.reference is not None:
        for index, name in enumerate(spec.of_reference().data_names):
            yield ("reference", index), local_name(name)
    if spec.theme.logo is not None:
        yield ("theme", "logo"), spec.theme.logo
    if spec.theme.fonts is not None:
        for key, name in spec.theme.fonts.model_dump(exclude_none=True).items():
            yield ("theme", "fonts", key), name
    if spec.theme.template is not None:
        yield ("theme", "template"), spec.theme.template
    for steps, entry in text_sections(spec.sections):
        yield (*steps, "markdown"), entry.markdown


def _from_the_file(spec: Spec, steps: Steps) -> bool:
    """Whether the value stands in the spec; what the command line says is trusted."""
    return not spec.place(steps).source.startswith(OPTION)


def _message(spec: Spec, steps: Steps, name: str) -> tuple[str, str]:
    field = next(step for step in reversed(steps) if isinstance(step, str))
    target = (spec.base / name).resolve()
    linked = Path(os.path.normpath(spec.base.resolve() / name)) != target
    how = f", through a link to {target}," if linked else ""
    field = spec.data_key if field == "data" else field
    message = f"{field}: {name!r}{how} is outside the folder of the spec"
    folder = next(part for part in target.parents if not glob.has_magic(str(part)))
    return message, _HINT.format(folder=folder)


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
