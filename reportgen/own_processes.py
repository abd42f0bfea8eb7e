"""The processes that reportgen starts of itself."""

import sys


def own_process(module: str, *words: str) -> list[str]:
    """The command that runs a module of this package in a process of its own.

    ``-P`` keeps modules of the working directory out: a file ``html.py`` beside the data would
    otherwise be run in place of Python's.

    >>> own_process("reportgen.render", "job.json")[1:]
    ['-P', '-m', 'reportgen.render', 'job.json']
    """
    return [sys.executable, "-P", "-m", module, *words]
