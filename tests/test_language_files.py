"""A language is one file beside the others: a spec may name it, and pages are in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from reportgen.resources import EXAMPLES, SCHEMAS, TEMPLATES

FRENCH = """\
html_language = "fr"
unchanged = []
[style]
[script]
[terms]
[texts]
"Key numbers" = "Chiffres clés"
"""


@pytest.mark.slow
def test_a_further_language_is_one_file(tmp_path):
    package = tmp_path / "reportgen"
    shutil.copytree(TEMPLATES.parent / "reportgen", package)
    for folder in (TEMPLATES, SCHEMAS, EXAMPLES):
        shutil.copytree(folder, package / folder.name)
    (package / "templates/languages/fr.toml").write_text(FRENCH, encoding="utf-8")
    words = ["build", "examples/breast_cancer/report.yaml", "--set", "language=fr", "--out", "o"]
    words += ["--set", "output.formats=[html]"]

    subprocess.run(
        [sys.executable, "-m", "reportgen", *words],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=True,
    )

    page = next((package / "o").glob("*/2*/report.html")).read_text(encoding="utf-8")
    assert '<html lang="fr"' in page
    assert "Chiffres clés" in page
