"""How a report is set: paper, charts, signatures and links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from reportgen.records.sign_off import SignOff


@dataclass(frozen=True, slots=True)
class PageStyle:
    """How a report is set: the PDF's paper, whether the page's charts are interactive.

    ``sign_offs`` stand on page one of the PDF, each with a field for a digital signature.
    ``siblings`` are the files beside the HTML page, to which it links.
    """

    paper: Literal["A4", "letter"] = "A4"
    interactive: bool = True
    sign_offs: tuple[SignOff, ...] = ()
    siblings: tuple[str, ...] = ()


DEFAULT = PageStyle()
