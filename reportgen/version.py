"""The version of this package, which what it writes carries."""

from __future__ import annotations

__version__ = "0.1.0"
