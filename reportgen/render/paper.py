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
from reportgen.render import fonts, style_reuse
from reportgen.render.job import Attachment
from reportgen.render.lettering import from_the_left
from reportgen.render.pdf_objects import compress_once, keep_whole, to_signature_fields
from reportgen.resources import TEMPLATES

if TYPE_CHECKING:
    import weasyprint
    from weasyprint.urls import URLFetcher


VARIANT = "pdf/a-3a"
LIBRARIES = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
UNUSED = ("fontTools.subset", "fontTools.varLib.instancer")
"""What cuts fonts where HarfBuzz does not, a fifth of the import of the PDF writer."""

NO_LIBRARIES = "pdf-libraries"
"""Code of the error that a PDF cannot be made on this machine until libraries are installed."""

CONTENTS = "contents"
"""The list of contents, which stands on page one."""
FORMS_OF_PAGE_ONE = ("", " close", " close flowing")
"""Further classes of the page, tried in this order until the contents are on page one."""

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
) -> bytes:
    """Lay out a page, well-formed XML, as PDF; the same inputs give the same bytes.

    Raises RenderError with the code ``pdf-libraries`` where the system
    libraries are missing, when the page is not well-formed, and when it asks
    for what is not in the report.
    """
    library = _weasyprint()
    charts = {name: from_the_left(drawing).encode() for name, drawing in drawings.items()}
    served = {f"chart:{name}": (chart, "image/svg+xml") for name, chart in charts.items()}
    served |= {f"font:{face.file}": (font, "font/ttf") for face, font in cut.items()}
    faces = fonts.rules({face: f'url("font:{face.file}")' for face in cut})
    page = fonts.placed(page, faces)
    complaints = _Complaints()
    logger = logging.getLogger("weasyprint")
    logger.addHandler(complaints)
    try:
        laid_out = _laid_out(_parsed(library, page, closed_fetcher(served)))
        _claim_accessibility(laid_out)
        written = laid_out.write_pdf(
            pdf_variant=VARIANT,
            pdf_identifier=hashlib.sha256(page.encode()).digest()[:16],
            attachments=_embedded(library, attachments, datetime.fromisoformat(created)),
            finisher=_finish,
        )
    except library.urls.FatalURLFetchingError as error:
        raise RenderError(
            Problem("blocked", f"the page requests something outside the report: {error}")
        ) from None
    finally:
        logger.removeHandler(complaints)
    if complaints.errors:
        raise RenderError(*(Problem("pdf", text) for text in complaints.errors))
    assert isinstance(written, bytes)  # noqa: S101 - without a target the bytes are returned
    return written


def _laid_out(source: Any) -> Any:
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


def _weasyprint() -> Any:
    """Import the PDF writer, which loads system libraries as it is imported."""
    try:
        with _without_search():
            return _imported()
    except OSError:
        pass
    try:
        return _imported()
    except OSError:
        raise RenderError(
            Problem(
                NO_LIBRARIES,
                "the PDF needs system libraries that are not installed",
                hint=f"apt-get install {LIBRARIES}",
            )
        ) from None


def _imported() -> Any:
    with deferred(*UNUSED):
        import weasyprint
        import weasyprint.urls

    keep_whole()
    return weasyprint


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


def _parsed(library: Any, page: str, fetcher: URLFetcher) -> Any:
    """Give the PDF writer a page as a tree, which takes a fiftieth of parsing it as HTML."""
    try:
        root = ElementTree.fromstring(_UNWRITABLE.sub("□", page))  # noqa: S314 - our own page
    except ElementTree.ParseError as error:
        raise RenderError(
            Problem("page", f"the page for print is not well-formed: {error}")
        ) from None

    is_ours = style_reuse.is_styled_by_us(root)
    if is_ours:
        style_reuse.move_ids_down(root)

    parsed = library.HTML(string="<html>", base_url="report:/", url_fetcher=fetcher)
    wrapped = type(parsed.wrapper_element)
    parsed.wrapper_element = wrapped.from_html_root(root, content_language=None)
    parsed.etree_element = root
    if is_ours:
        usual = parsed._ua_stylesheets
        parsed._ua_stylesheets = lambda forms=False: [
            style_reuse.user_agent_sheet(),
            *usual(forms)[1:],
        ]
    return parsed


def closed_fetcher(served: Mapping[str, tuple[bytes, str]]) -> URLFetcher:
    """Make a fetcher that hands out what is in ``served`` and data URLs, and refuses all else."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    fetcher = URLFetcher(allowed_protocols={"data"}, allow_redirects=False, fail_on_errors=True)
    of_data = fetcher.fetch

    def fetch(url: str, headers: Mapping[str, str] | None = None) -> Any:
        if url.startswith("data:"):
            return of_data(url, headers)
        if url not in served:
            raise ValueError(f"{url} is not part of the report")
        body, kind = served[url]
        return URLFetcherResponse(url, body, {"Content-Type": kind})

    fetcher.fetch = fetch
    return fetcher


def _claim_accessibility(laid_out: weasyprint.Document) -> None:
    """State in the metadata that the file is PDF/UA-1 too; the writer can state only one."""
    claim = (TEMPLATES / "accessible.xmp").read_bytes()
    generate = laid_out.metadata.generate_rdf_metadata

    def with_claim(*arguments: Any) -> bytes:
        plain: bytes = generate(*arguments)
        return plain.replace(b"</rdf:RDF>", claim + b"</rdf:RDF>")

    laid_out.metadata.generate_rdf_metadata = with_claim


def _embedded(library: Any, attachments: Sequence[Attachment], created: datetime) -> list[Any]:
    return [
        library.Attachment(
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
