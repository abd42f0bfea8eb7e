"""The files that a PDF carries."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import DataError, Problem


def attachments(path: Path) -> dict[str, bytes]:
    """Return what a PDF carries, by file name.

    Raises:
        DataError: it cannot be read as a PDF.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        with PdfReader(path) as reader:
            return {name: contents[0] for name, contents in reader.attachments.items()}
    except (PyPdfError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"cannot be read as a PDF ({type(error).__name__})"
        raise DataError(Problem("unreadable", reason, str(path))) from error
