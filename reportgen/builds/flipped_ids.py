"""The ids of rows that flipped between two builds, as ``privacy.ids`` of both allows.

Row files hold hashes. Ids that are shown are read again from the data of the spec, and matched
by their hashes: one that the data no longer hold stays a hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from reportgen.builds import row_files
from reportgen.builds.change_records import Flip, HashedFlip, Way
from reportgen.builds.publish import source_of
from reportgen.errors import ReportgenError
from reportgen.predictions import identifiers
from reportgen.spec import read

MOST = 20
"""Ids of the rows that flip in one way."""

_LEVELS = ("hidden", "hashed", "shown")

WAYS: tuple[Way, ...] = ("right_to_wrong", "wrong_to_right")


@dataclass(frozen=True)
class FlippedIds:
    """How ids are shown, from the privacy that two builds were made under.

    ``folder`` is that of the builds of the later one's spec.
    """

    level: str
    folder: Path

    @classmethod
    def of(cls, specs: Iterable[Mapping[str, Any]], folder: Path) -> FlippedIds:
        """The most that every one of the specs allows."""
        levels = ((spec.get("privacy") or {}).get("ids", "hidden") for spec in specs)
        return cls(min(levels, key=_LEVELS.index), folder)

    def listed(self, rows: pl.DataFrame) -> dict[Way, list[bytes]] | None:
        """The hashes of the first rows that flip each way; null where ids are hidden or missing.

        ``rows`` has ``id``, and whether the decision was right ``before`` and is ``right``.
        """
        if self.level == "hidden" or "id" not in rows.columns:
            return None
        turned: dict[Way, pl.Expr] = {
            "right_to_wrong": pl.col("before") & ~pl.col("right"),
            "wrong_to_right": ~pl.col("before") & pl.col("right"),
        }
        return {
            way: rows.filter(turned[way])["id"].unique(maintain_order=True).head(MOST).to_list()
            for way in WAYS
        }

    def named(self, flips: Sequence[HashedFlip]) -> list[Flip]:
        """The flips with ids as text in place of hashes."""
        shown_ids = {one for flip in flips for ids in (flip["ids"] or {}).values() for one in ids}
        names = {one: one.hex() for one in shown_ids}
        if shown_ids and self.level == "shown":
            names |= self._again(shown_ids)
        return [{**flip, "ids": self._texts(flip["ids"], names)} for flip in flips]

    @staticmethod
    def _texts(
        ids: Mapping[Way, Sequence[bytes]] | None, names: Mapping[bytes, str]
    ) -> dict[Way, list[str]] | None:
        return None if ids is None else {way: [names[one] for one in ids[way]] for way in WAYS}

    def _again(self, shown_ids: set[bytes]) -> dict[bytes, str]:
        """The ids in the data whose hashes are wanted; none where they cannot be read."""
        source, root = source_of(self.folder), self.folder.parent
        if source is None or not (root / row_files.KEY).exists():
            return {}
        try:
            spec = read(source)
            if spec.privacy.ids != "shown":
                return {}
            ids = identifiers(spec)
            pairs = zip(row_files.hashes(ids, row_files.key_of(root), "id"), ids, strict=True)
            return {one: name for one, name in pairs if one in shown_ids and name is not None}
        except (ReportgenError, OSError):
            return {}
