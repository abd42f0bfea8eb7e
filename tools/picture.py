"""Make the picture in the README from the report of the bundled example.

Needs pdftoppm (poppler-utils). Shows the first page and the one with the ROC curve.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import reportgen
from reportgen.resources import EXAMPLES

TARGET = Path(__file__).parent.parent / "docs" / "report.png"
RESOLUTION, GAP, COLOURS = 90, 12, 128


def pages(pdf: Path, folder: Path) -> list[Image.Image]:
    """Draw every page of a PDF."""
    command = ["pdftoppm", "-r", str(RESOLUTION), "-png", str(pdf), str(folder / "page")]
    subprocess.run(command, check=True)  # noqa: S603  # words from here only
    return [Image.open(path).convert("RGB") for path in sorted(folder.glob("page*.png"))]


def side_by_side(left: Image.Image, right: Image.Image) -> Image.Image:
    """Put two pages next to each other on grey."""
    size = (left.width + right.width + 3 * GAP, max(left.height, right.height) + 2 * GAP)
    both = Image.new("RGB", size, "#d0d0d0")
    both.paste(left, (GAP, GAP))
    both.paste(right, (left.width + 2 * GAP, GAP))
    return both


def main() -> None:
    """Build the example and draw it."""
    from pypdf import PdfReader

    with TemporaryDirectory() as name:
        folder = Path(name)
        spec = EXAMPLES / "breast_cancer" / "report.yaml"
        pdf = reportgen.build(spec, out=folder / "reports", formats=["pdf"]).files["pdf"]
        texts = [page.extract_text() for page in PdfReader(pdf).pages]
        shown = next(i for i, text in enumerate(texts) if i and "Discrimination" in text)
        images = pages(pdf, folder)
        picture = side_by_side(images[0], images[shown])
    TARGET.parent.mkdir(exist_ok=True)
    picture.quantize(COLOURS).save(TARGET, optimize=True)
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
