"""Build the documentation site into ``build/docs/html``, offline, with every link checked.

The pages of ``docs/`` and those that are generated: the spec, the commands, the Python
API and a gallery of the examples. Needs the group ``docs``, and pdftoppm (poppler-utils)
for the pictures.
"""

from __future__ import annotations

import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urldefrag, urlparse

import documentation_pages
import picture

import reportgen

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "docs"
SOURCE, HTML, PICTURES = BUILD / "source", BUILD / "html", BUILD / "pictures"

EXAMPLES = {
    "breast_cancer": "Two classes, three models on 569 cases, with folds, slices, costs and gates",
    "watermelon": "Two classes, nineteen scores with ties, to check by hand",
    "digits": "Ten classes, three models with probabilities",
    "digit_properties": "Three labels at once",
    "diabetes": "A number: three regressions, one with a prediction interval",
    "learners": "A table of values: four learners on 14 data sets",
}


def pictures() -> None:
    """Build every example once, and draw its first pages."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in EXAMPLES:
        pdf = PICTURES / f"{name}.pdf"
        if pdf.exists():
            continue
        spec = ROOT / "examples" / name / "report.yaml"
        built = reportgen.build(spec, out=BUILD / "reports", formats=["pdf"])
        with TemporaryDirectory() as folder:
            images = picture.pages(built.files["pdf"], Path(folder))
        for number, page in enumerate(images[:2], 1):
            page.quantize(picture.COLOURS).save(PICTURES / f"{name}-{number}.png", optimize=True)
        shutil.copy(built.files["pdf"], pdf)


def gallery() -> str:
    """The page of all examples."""
    lines = ["# Gallery", "", "The first page of each example, and its whole PDF.", ""]
    for name, what in EXAMPLES.items():
        lines += [f"## {name.replace('_', ' ').capitalize()}", "", f"{what}.", ""]
        lines += [f"![First page of the example {name}](pictures/{name}-1.png)", ""]
        lines += [f"[The whole report as PDF](pictures/{name}.pdf)", ""]
    return "\n".join(lines)


def sources() -> None:
    """Lay the pages together that the site is made of."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE, ignore=shutil.ignore_patterns("_build"))
    shutil.copytree(PICTURES, SOURCE / "pictures")
    generated = {
        "spec": documentation_pages.spec(),
        "commands": documentation_pages.commands(),
        "python": documentation_pages.python(),
        "gallery": gallery(),
    }
    for name, text in generated.items():
        (SOURCE / f"{name}.md").write_text(text, encoding="utf-8")


ACCESSIBLE = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    '<div id="search-results"></div>': '<h1>Search</h1><div id="search-results"> </div>',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
}
"""What the theme leaves out: levels, names, and what the keyboard reaches to scroll."""


def accessible(page: str) -> str:
    """Return a page with what assistive technology needs of it."""
    for plain, better in ACCESSIBLE.items():
        page = page.replace(plain, better)
    return page


class Links(HTMLParser):
    """What a page refers to, and the anchors that it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember links, sources and ids."""
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)


def broken() -> list[str]:
    """Every link within the site that leads nowhere, and every file that it would fetch."""
    pages = {path.resolve(): Links(path) for path in HTML.rglob("*.html")}
    faults = []
    for path, page in pages.items():
        for link in page.links:
            address, anchor = urldefrag(link)
            if urlparse(address).scheme:
                continue
            plain = unquote(address.partition("?")[0])
            target = (path.parent / plain).resolve() if plain else path
            if not target.exists():
                faults.append(f"{path.relative_to(HTML)}: there is no {address}")
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                faults.append(f"{path.relative_to(HTML)}: {address or 'the page'} has no #{anchor}")
    return faults


def main() -> int:
    """Build the site; return 1 where a page warns or a link is broken."""
    from sphinx.cmd.build import build_main

    pictures()
    sources()
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(BUILD / "doctrees")]
    if code := build_main([*options, str(SOURCE), str(HTML)]):
        return code
    for path in HTML.rglob("*.html"):
        path.write_text(accessible(path.read_text(encoding="utf-8")), encoding="utf-8")
    if faults := broken():
        print(*faults, sep="\n", file=sys.stderr)
        return 1
    print(HTML / "index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
