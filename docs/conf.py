"""The documentation site: Sphinx with MyST and Furo, built offline by ``make docs``."""

from __future__ import annotations

project = "reportgen"
author = "the reportgen authors"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # generated pages begin lists of headings where they like
html_show_copyright = False
html_theme = "furo"
html_title = "reportgen"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
exclude_patterns = ["_build"]
pygments_style = "default"
pygments_dark_style = "monokai"
nitpicky = True
