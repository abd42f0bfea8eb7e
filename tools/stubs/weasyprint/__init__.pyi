from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from xml.etree.ElementTree import Element

from cssselect2 import ElementWrapper
from weasyprint.pdf.metadata import DocumentMetadata
from weasyprint.urls import URLFetcher

class CSS: ...

class Attachment:
    def __init__(
        self,
        *,
        string: bytes,
        name: str,
        description: str,
        created: datetime,
        modified: datetime,
        relationship: str,
    ) -> None: ...

class HTML:
    wrapper_element: ElementWrapper
    etree_element: Element
    def __init__(self, *, string: str, base_url: str, url_fetcher: URLFetcher) -> None: ...
    def _ua_stylesheets(self, forms: bool = False) -> list[CSS]: ...
    def render(self, *, pdf_variant: str) -> Document: ...

class Page:
    anchors: dict[str, object]

class Document:
    pages: list[Page]
    metadata: DocumentMetadata
    def write_pdf(
        self,
        target: None = None,
        *,
        finisher: Callable[[Document, Any], None],
        pdf_variant: str,
        pdf_identifier: bytes,
        attachments: Sequence[Attachment],
    ) -> bytes: ...
