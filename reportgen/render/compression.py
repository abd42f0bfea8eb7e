"""The streams of a PDF, compressed once."""

from __future__ import annotations

import zlib
from typing import Any

_BEGIN, _END = b"stream\n", b"\nendstream"


def compress_once(pdf: Any) -> None:
    """Compress every stream of a PDF that is still to be compressed.

    The PDF writer compresses each stream twice, for the file and for its identifier, and at
    zlib's highest level: seven times the work of once at the usual level, for a file that is
    2 % smaller.

    >>> import pydyf
    >>> pdf = pydyf.PDF()
    >>> stream = pydyf.Stream([b"0 0 m", b"9 9 l", b"S"], compress=True)
    >>> pdf.add_object(stream)
    >>> compress_once(pdf)
    >>> [zlib.decompress(part).split() for part in stream.stream], stream.compress
    ([[b'0', b'0', b'm', b'9', b'9', b'l', b'S']], False)
    """
    import pydyf

    for stream in pdf.objects:
        if isinstance(stream, pydyf.Stream) and stream.compress:
            stream.compress, extra, stream.extra = False, stream.extra, {}
            content = stream.data.partition(_BEGIN)[2].removesuffix(_END)
            stream.stream = [zlib.compress(content)]
            stream.extra = {**extra, "Filter": "/FlateDecode"}
