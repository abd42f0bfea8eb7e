"""What a build is made of, in one hash: its inputs, its templates and the versions of libraries."""

from __future__ import annotations

import datetime as dt
import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version

from reportgen.clock import moment
from reportgen.records.rows import BuildRecord
from reportgen.resources import TEMPLATES
from reportgen.spec import Spec
from reportgen.version import __version__

PACKAGES = (
    "polars",
    "pandera",
    "numpy",
    "scipy",
    "altair",
    "vl-convert-python",
    "jinja2",
    "weasyprint",
)
"""The libraries whose versions can change a report."""


def versions() -> dict[str, str]:
    """Versions of the package, of Python and of the libraries that numbers or pages depend on."""
    return {
        "reportgen": __version__,
        "python": platform.python_version(),
        **dict(_library_versions()),
    }


@cache
def _library_versions() -> tuple[tuple[str, str], ...]:
    """Versions of the libraries, read once: each is a file to parse."""
    return tuple((name, version(name)) for name in PACKAGES)


def identity(spec: Spec, hashes: Iterable[str]) -> BuildRecord:
    """The spec's name, the moment and the hash of all that the results are made of.

    The logical date is the day of that moment in UTC, until a build says otherwise.
    ``SOURCE_DATE_EPOCH`` (seconds) stands in for the clock, so that a build can be repeated.
    """
    now = moment()
    digest = inputs_digest(spec, hashes)
    return {
        "name": spec.name,
        **dated(now.date(), digest),
        "created": f"{now:%Y-%m-%dT%H:%M:%SZ}",
    }


def dated(date: dt.date, digest: str) -> BuildRecord:
    """The id of a build, from its logical date and the hash of its inputs, and both of them.

    >>> dated(dt.date(2026, 11, 22), "5f0c4a1b" + 56 * "0")["id"]
    '20261122-5f0c4a1b'
    """
    return {
        "id": f"{date:%Y%m%d}-{digest[:8]}",
        "date": date.isoformat(),
        "inputs_sha256": digest,
    }


def inputs_digest(spec: Spec, hashes: Iterable[str]) -> str:
    """The hash of the spec, the data, the templates and every version that can change a report."""
    written = [repr(sorted(part.items())) for part in (spec.to_dict(), versions())]
    inputs = [*written, _templates_digest(), *hashes]
    return hashlib.sha256("\n".join(inputs).encode()).hexdigest()


@cache
def _templates_digest() -> str:
    """The hash of all that pages are drawn from, fonts and scripts included."""
    digest = hashlib.sha256()
    for path in sorted(path for path in TEMPLATES.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(TEMPLATES)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
