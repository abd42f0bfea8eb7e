"""``python -m reportgen``: the command line."""

from reportgen.cli import main

main()
