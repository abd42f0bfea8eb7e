"""Find the folders that ship beside the code: ``templates/``, ``schemas/``, ``examples/``.

In a wheel they lie inside the package; in a checkout they lie next to it.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_ROOT = _PACKAGE if (_PACKAGE / "templates").is_dir() else _PACKAGE.parent

TEMPLATES = _ROOT / "templates"
SCHEMAS = _ROOT / "schemas"
EXAMPLES = _ROOT / "examples"

LANGUAGES = ("en", *sorted(file.stem for file in (TEMPLATES / "languages").glob("*.toml")))
"""Languages of pages: English, and those that have a catalogue."""
