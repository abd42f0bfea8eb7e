"""Where a spec came from."""

from __future__ import annotations

import datetime as dt
from copy import copy
from dataclasses import replace
from pathlib import Path

from reportgen.spec.document import Document
from reportgen.spec.roots import EVERYWHERE, Roots


class Origin:
    """Where a spec came from; kept beside its values so that later errors can point at them."""

    def __init__(
        self,
        base: Path = Path(),
        path: Path | None = None,
        text: str = "",
        document: Document | None = None,
        roots: Roots = EVERYWHERE,
    ) -> None:
        self.base = base
        self.path = path
        self.text = text
        self.document = document or Document(None, source="spec")
        self.roots = roots
        self.date: dt.date | None = None
        self.data_key = "data"

    def on(self, date: dt.date) -> Origin:
        """The same origin, of a build of this date."""
        dated = copy(self)
        dated.date = date
        return dated

    def of_reference(self) -> Origin:
        """The same origin where ``data`` stands for ``reference``."""
        earlier = copy(self)
        earlier.data_key = "reference"
        keys, values = (
            {
                ("data", *steps[1:]) if steps[:1] == ("reference",) else steps: place
                for steps, place in table.items()
                if steps[:1] != ("data",)
            }
            for table in (self.document.keys, self.document.values)
        )
        earlier.document = replace(self.document, keys=keys, values=values)
        return earlier

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin)  # two specs are equal when they say the same

    def __hash__(self) -> int:
        return hash(Origin)
