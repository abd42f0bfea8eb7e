"""The PDF: laid out, tagged, archival (PDF/A-3a) and accessible (PDF/UA-1)."""

from __future__ import annotations

import ctypes.util
import hashlib
import logging
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

from reportgen.errors import Problem, RenderError
from reportgen.render import fonts
from reportgen.render.job import Attachment
from reportgen.render.lettering import from_the_left
from reportgen.render.page_gaps import emptiness, too_tall
from reportgen.render.pdf_objects import (
    compress_once,
    declare_named,
    fill_lines,
    keep_whole,
    to_signature_fields,
)

if TYPE_CHECKING:
    import weasyprint

    from reportgen.render.pdf_input import PageTree

VARIANT = "pdf/a-3a"
LIBRARIES = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
UNUSED = ("fontTools.subset", "fontTools.varLib.instancer")
"""What cuts fonts where HarfBuzz does not, a fifth of the import of the PDF writer."""

NO_LIBRARIES = "pdf-libraries"
"""Code of the error that a PDF cannot be made on this machine until libraries are installed."""

CONTENTS = "contents"
"""The list of contents, which stands on page one."""
FORMS_OF_PAGE_ONE = ("", " close", " close small", " close small flowing")
"""Further classes of the page, tried in this order until the contents are on page one."""

FURTHER_LAYOUTS = 4
"""How often a report is laid out again with lower figures, where pages end early."""

_UNWRITABLE = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What cannot stand in XML."""


def place(name: str, alt: str) -> Markup:
    """Return the markup that fetches a chart's drawing."""
    return Markup('<img class="graphic" alt="{alt}" src="chart:{name}" />').format(
        name=name, alt=alt
    )


def document(
    page: str,
    drawings: Mapping[str, str],
    cut: Mapping[fonts.Face, bytes],
    attachments: Sequence[Attachment],
    created: str,
    lowered: Callable[[str, float], str | None] = lambda _name, _by: None,
) -> bytes:
    """Lay out a page, well-formed XML, as PDF; the same inputs give the same bytes.

    ``lowered`` draws a chart lower by so many px, where it can be.

    Raises RenderError with the code ``pdf-libraries`` where the system
    libraries are missing, when the page is not well-formed, and when it asks
    for what is not in the report.
    """
    _load_writer()
    from weasyprint.urls import FatalURLFetchingError

    from reportgen.render.pdf_input import AccessibleMetadata, ClosedFetcher, PageTree

    served = {f"chart:{name}": _image(drawing) for name, drawing in drawings.items()}
    served |= {f"font:{face.file}": (font, "font/ttf") for face, font in cut.items()}
    faces = fonts.rules({face: f'url("font:{face.file}")' for face in cut})
    page = fonts.placed(page, faces)
    complaints = _Complaints()
    logger = logging.getLogger("weasyprint")
    logger.addHandler(complaints)
    try:
        tree = PageTree(_parsed(page), ClosedFetcher(served))
        laid_out = latest = _laid_out(tree)
        lost: dict[str, float] = {}
        for _ in range(FURTHER_LAYOUTS):
            lower = _lower(latest, lowered, lost)
            if not lower:
                break
            served |= lower
            latest = _laid_out(tree)
            laid_out = min(laid_out, latest, key=emptiness)
        laid_out.metadata = AccessibleMetadata(**vars(laid_out.metadata))
        written = laid_out.write_pdf(
            pdf_variant=VARIANT,
            pdf_identifier=hashlib.sha256(page.encode()).digest()[:16],
            attachments=_embedded(attachments, datetime.fromisoformat(created)),
            finisher=_finish,
        )
    except FatalURLFetchingError as error:
        raise RenderError(
            Problem("blocked", f"the page requests something outside the report: {error}")
        ) from None
    finally:
        logger.removeHandler(complaints)
    if complaints.errors:
        raise RenderError(*(Problem("pdf", text) for text in complaints.errors))
    return written


def _lower(
    laid_out: weasyprint.Document,
    lowered: Callable[[str, float], str | None],
    lost: dict[str, float],
) -> dict[str, tuple[bytes, str]]:
    """Draw charts lower that would fill a page which ends early; a row changes as a whole.

    ``lost`` is what charts have lost in earlier layouts, and what they lose here is added to it.
    """
    images: dict[str, tuple[bytes, str]] = {}
    for row in too_tall(laid_out, lost):
        losses = {name: lost.get(name, 0.0) + row.excess for name in row.charts}
        drawings = {f"chart:{name}": lowered(name, loss) for name, loss in losses.items()}
        drawn = {name: _image(drawing) for name, drawing in drawings.items() if drawing}
        if len(drawn) == len(drawings):
            images |= drawn
            lost |= losses
    return images


def _image(drawing: str) -> tuple[bytes, str]:
    return from_the_left(drawing).encode(), "image/svg+xml"


def _laid_out(source: PageTree) -> weasyprint.Document:
    """Lay out a page, and again where the contents do not fit on page one.

    First page one is set closer; if that is not enough the sections follow the contents, so that
    the list never has a page to itself.
    """
    body = source.etree_element.find("body")
    given = "" if body is None else body.get("class", "")
    for style in FORMS_OF_PAGE_ONE:
        if body is not None:
            body.set("class", f"{given}{style}")
        laid_out = source.render(pdf_variant=VARIANT)
        page = next((k for k, one in enumerate(laid_out.pages) if CONTENTS in one.anchors), 0)
        if page == 0 or body is None:
            break
    return laid_out


def _load_writer() -> None:
    """Import the PDF writer, which loads system libraries as it is imported."""
    try:
        with _without_search():
            _import_writer()
    except OSError:
        try:
            _import_writer()
        except OSError:
            raise RenderError(
                Problem(
                    NO_LIBRARIES,
                    "the PDF needs system libraries that are not installed",
                    hint=f"apt-get install {LIBRARIES}",
                )
            ) from None


def _import_writer() -> None:
    with deferred(*UNUSED):
        import weasyprint.urls  # noqa: F401 - loads the system libraries
    keep_whole()
    fill_lines()
    declare_named()


@contextmanager
def _without_search() -> Iterator[None]:
    """Load libraries only by names that the system's loader knows.

    For each other name Python runs a compiler and a linker, which is a third of the import
    of the PDF writer: it tries up to three such names before the one of Linux.
    """
    names = vars(ctypes.util)
    search = names["find_library"]
    names["find_library"] = {}.get
    try:
        yield
    finally:
        names["find_library"] = search


def _finish(document: weasyprint.Document, pdf: Any) -> None:
    to_signature_fields(document, pdf)
    compress_once(pdf)


def _parsed(page: str) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(_UNWRITABLE.sub("□", page))  # noqa: S314 - our own page
    except ElementTree.ParseError as error:
        raise RenderError(
            Problem("page", f"the page for print is not well-formed: {error}")
        ) from None


def _embedded(attachments: Sequence[Attachment], created: datetime) -> list[weasyprint.Attachment]:
    import weasyprint

    return [
        weasyprint.Attachment(
            string=attachment.data,
            name=attachment.name,
            description=attachment.description or attachment.name,
            relationship=attachment.relationship,
            created=created,
            modified=created,
        )
        for attachment in attachments
    ]


class _Complaints(logging.Handler):
    """Keeps what the PDF writer reports as an error and then leaves out."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.errors.append(record.getMessage())


class _Deferred(ModuleType):
    """A module whose functions and classes import it when they are called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*arguments: Any, **options: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*arguments, **options)

        return call


@contextmanager
def deferred(*names: str) -> Iterator[None]:
    """Have what is imported in the meantime import these modules when it calls them.

    >>> _ = sys.modules.pop("colorsys", None)
    >>> with deferred("colorsys"):
    ...     from colorsys import rgb_to_hls
    >>> "colorsys" in sys.modules, rgb_to_hls(0, 0, 0), "colorsys" in sys.modules
    (False, (0.0, 0.0, 0.0), True)
    """
    absent = [name for name in names if name not in sys.modules]
    sys.modules.update({name: _Deferred(name) for name in absent})
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]
