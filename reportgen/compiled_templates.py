"""Compiled templates, kept beside the templates as Python keeps compiled modules."""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType

import jinja2
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from reportgen.version import __version__


class CompiledTemplates(BytecodeCache):
    """The compiled templates of an environment, for this process and the ones after it.

    ``name`` sets environments apart that read the same templates with other options. What was
    compiled from another text or by another version is compiled again. Nothing is kept where
    the folder cannot be written to, or where Python is told not to write bytecode.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.codes: dict[tuple[str, str], CodeType] = {}

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the path of a template."""
        return filename or name

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code, if the same text was compiled before."""
        bucket.code = self.codes.get((bucket.key, bucket.checksum)) or self._stored(bucket)
        if bucket.code is not None:
            self.codes[bucket.key, bucket.checksum] = bucket.code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        if bucket.code is None:
            return
        self.codes[bucket.key, bucket.checksum] = bucket.code
        if sys.dont_write_bytecode:
            return
        path = self._path(bucket)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            fresh.write_bytes(_stamp(bucket) + marshal.dumps(bucket.code))
            fresh.replace(path)

    def _stored(self, bucket: Bucket) -> CodeType | None:
        stamp = _stamp(bucket)
        try:
            content = self._path(bucket).read_bytes()
            code = marshal.loads(content[len(stamp) :]) if content.startswith(stamp) else None  # noqa: S302 - no less ours than compiled modules
        except (OSError, EOFError, ValueError, TypeError):
            return None
        return code if isinstance(code, CodeType) else None

    def _path(self, bucket: Bucket) -> Path:
        return Path(cache_from_source(bucket.key, optimization=self.name))


def _stamp(bucket: Bucket) -> bytes:
    """What the code depends on: the text of the template and what compiled it."""
    versions = f"{__version__} {jinja2.__version__} {bucket.checksum}\n"
    return MAGIC_NUMBER + versions.encode()
