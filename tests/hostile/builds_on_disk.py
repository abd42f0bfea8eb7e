"""The builds in a folder, each held against its manifest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

PUBLISHED = 0


def builds(out: Path, name: str) -> list[Path]:
    """The builds in a folder; each has every output of its manifest, to the byte."""
    folders = [
        path for path in (out / name).iterdir() if path.is_dir() and path.name[0] not in ".l"
    ]
    for folder in folders:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        for output in manifest["outputs"]:
            data = (folder / output["path"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == output["sha256"], (folder, output["path"])
    return folders
