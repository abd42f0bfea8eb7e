"""What WeasyPrint reads, of its own classes: a page as a tree, the report's files, metadata."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from cssselect2 import ElementWrapper
from weasyprint import CSS, HTML
from weasyprint.pdf.metadata import DocumentMetadata
from weasyprint.urls import URLFetcher, URLFetcherResponse

from reportgen.render import style_reuse
from reportgen.resources import TEMPLATES


class PageTree(HTML):
    """A page given as a tree, which takes a fiftieth of parsing it as HTML.

    Where it has no style sheet but ours, fewer styles are worked out.
    """

    def __init__(self, root: Element, fetcher: URLFetcher) -> None:
        super().__init__(string="<html>", base_url="report:/", url_fetcher=fetcher)
        self.is_styled_by_us = style_reuse.is_styled_by_us(root)
        if self.is_styled_by_us:
            style_reuse.move_ids_down(root)
        self.wrapper_element = ElementWrapper.from_html_root(root)
        self.etree_element = root

    def _ua_stylesheets(self, forms: bool = False) -> list[CSS]:
        sheets = super()._ua_stylesheets(forms)
        return [style_reuse.user_agent_sheet(), *sheets[1:]] if self.is_styled_by_us else sheets


class ClosedFetcher(URLFetcher):
    """Hands out what the report holds and data URLs, and refuses all else.

    Args:
        served: body and media type of each file of the report, by its URL.
    """

    def __init__(self, served: Mapping[str, tuple[bytes, str]]) -> None:
        super().__init__(allowed_protocols={"data"}, allow_redirects=False, fail_on_errors=True)
        self.served = served

    def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> URLFetcherResponse:
        """Return what stands behind an address; ValueError where it is outside the report."""
        if url.startswith("data:"):
            return super().fetch(url, headers)
        if url not in self.served:
            raise ValueError(f"{url} is not part of the report")
        body, kind = self.served[url]
        return URLFetcherResponse(url, body, {"Content-Type": kind})


class AccessibleMetadata(DocumentMetadata):
    """Metadata that claim PDF/UA-1 beside PDF/A; the writer can claim only one of them."""

    def generate_rdf_metadata(
        self, variant: str, version: int | None, conformance: str | None
    ) -> bytes:
        """Return the metadata as the writer makes them, with the claim at their end."""
        plain = super().generate_rdf_metadata(variant, version, conformance)
        claim = (TEMPLATES / "accessible.xmp").read_bytes()
        return plain.replace(b"</rdf:RDF>", claim + b"</rdf:RDF>")
