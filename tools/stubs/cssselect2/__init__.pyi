from xml.etree.ElementTree import Element

class ElementWrapper:
    @classmethod
    def from_html_root(
        cls, root: Element, content_language: str | None = None
    ) -> ElementWrapper: ...
