"""Builds of an example by the command line; builds in a folder, held against their manifests."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from reportgen.resources import EXAMPLES
from tests.hostile.forked import started

PUBLISHED = 0
EXAMPLE = EXAMPLES / "watermelon" / "report.yaml"
NAME = "watermelon"
EPOCH = "1700000000"


def command(out: Path, *formats: str) -> list[str]:
    needed = [word for name in formats or ("html", "json") for word in ("--format", name)]
    return [
        sys.executable,
        "-m",
        "reportgen.cli",
        "build",
        str(EXAMPLE),
        "--out",
        str(out),
        *needed,
    ]


def build(out: Path, *formats: str, **environment: str | None) -> int:
    """Build into a folder with these variables set, or unset where they are None."""
    changed = {"SOURCE_DATE_EPOCH": EPOCH} | environment
    remaining = {name: value for name, value in os.environ.items() if name not in changed}
    given = {name: value for name, value in changed.items() if value is not None}
    return subprocess.run(
        command(out, *formats),
        env=remaining | given,
        check=False,
        capture_output=True,
        cwd=out.parent,
    ).returncode


def forked_build(out: Path, *formats: str) -> int | None:
    """The exit code of a build in a process that is forked: its imports are paid once."""
    words = command(out, *formats)[3:]
    process = started(words, folder=out.parent, SOURCE_DATE_EPOCH=EPOCH)
    process.join()
    return process.exitcode


def contents(out: Path) -> dict[str, str]:
    """The files of the latest build by their hash.

    Not the manifest, which has the times, nor the rows, whose ids are hashed by the folder's key.
    """
    own = {"manifest.json", "rows.parquet"}
    files = [path for path in (out / NAME / "latest").iterdir() if path.name not in own]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


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
