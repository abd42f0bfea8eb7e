"""What a process imports and does not need is imported when it is called."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from reportgen.render import paper
paper._load_writer()
from weasyprint.pdf import fonts
before = "fontTools.subset" in sys.modules
options = fonts.subset.Options(retain_gids=True)
print(before, options.retain_gids, "fontTools.subset" in sys.modules)
"""


def test_the_pdf_writer_imports_what_cuts_fonts_only_once_it_cuts_one():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["False", "True", "True"]


READ = """
import sys
import reportgen.builds.make
from reportgen.results import Results
print("reportgen.results.evaluation" in sys.modules, "reportgen.concluding" in sys.modules)
from reportgen.results import evaluate
print("reportgen.results.evaluation" in sys.modules)
"""


def test_what_evaluates_is_imported_only_once_there_is_something_to_evaluate():
    done = subprocess.run([sys.executable, "-c", READ], check=True, capture_output=True, text=True)

    assert done.stdout.split() == ["False", "False", "True"]


DRAW = """
import sys
import reportgen.render.__main__
print("reportgen.spec" in sys.modules, "pydantic" in sys.modules)
"""


def test_the_process_that_draws_does_not_import_what_reads_specs():
    done = subprocess.run([sys.executable, "-c", DRAW], check=True, capture_output=True, text=True)

    assert done.stdout.split() == ["False", "False"]
