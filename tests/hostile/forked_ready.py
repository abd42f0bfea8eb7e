"""Imported by the process that forks: all that a build imports is there before the first build."""

from tests.hostile import forked

forked.preload()
