"""``python -m reportgen.cli`` is the command ``reportgen``."""

from reportgen.cli import main

main()
