"""Build the vendored chart library of interactive pages, ``templates/vendor/``.

Run it again only when vl-convert-python, which draws the static charts, brings
another release of Vega, so that both draw the same:

    npm install --ignore-scripts --prefix FOLDER vega@6.2.0 vega-lite@6.4.1 \
        vega-embed@7.0.2 lodash.debounce
    python tools/build_vendor.py FOLDER/node_modules

The script itself comes from vl-convert-python, which bundles Vega, Vega-Lite
and vega-embed with all that they need; the packages are read for their licences.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import vl_convert

from reportgen.render.svg import VEGA_LITE
from reportgen.resources import TEMPLATES

DESTINATION = TEMPLATES / "vendor"
SNIPPET = "window.vegaEmbed = vegaEmbed;"
NOT_BUNDLED = {"yargs", "cliui", "commander", "rw", "iconv-lite", "safer-buffer", "typescript"}
"""Packages that only the command-line tools of the others use."""


def script() -> str:
    """The library as one script that sets ``window.vegaEmbed`` and nothing else."""
    bundle = vl_convert.javascript_bundle(SNIPPET, vl_version=VEGA_LITE)
    if "</script" in bundle.lower():
        raise SystemExit("the bundle would end its own script element")
    return "(function () {\n" + bundle + "\n})();\n"


def needed(folder: Path, roots: tuple[str, ...]) -> list[Path]:
    """Folders of the packages that the bundle is made of."""
    packages: dict[str, Path] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        package = folder / name
        bundled = name not in NOT_BUNDLED and not name.startswith("@types/")
        if name in packages or not bundled or not package.is_dir():
            continue
        packages[name] = package
        facts = json.loads((package / "package.json").read_text(encoding="utf-8"))
        waiting += [*facts.get("dependencies", {}), *facts.get("peerDependencies", {})]
    return [packages[name] for name in sorted(packages)]


def notice(package: Path) -> str:
    """Name, version and licence of one package."""
    facts = json.loads((package / "package.json").read_text(encoding="utf-8"))
    files = sorted(path for path in package.iterdir() if path.name.upper().startswith("LICEN"))
    text = files[0].read_text(encoding="utf-8").strip() if files else "No licence file."
    head = f"{facts['name']} {facts['version']} ({facts.get('license', 'unknown')})"
    return f"{head}\n{'=' * len(head)}\n\n{text}\n"


def main() -> None:
    """Write the script and the notices."""
    parser = argparse.ArgumentParser(description="Build templates/vendor/.")
    parser.add_argument("source", type=Path, help="the node_modules folder")
    source = parser.parse_args().source
    packages = needed(source, ("vega", "vega-lite", "vega-embed", "lodash.debounce"))
    DESTINATION.mkdir(exist_ok=True)
    (DESTINATION / "vega.js").write_text(script(), encoding="utf-8")
    notices = "\n\n".join(map(notice, packages))
    head = "vega.js is a bundle of the following packages, under their licences.\n\n\n"
    (DESTINATION / "vega-LICENCES.txt").write_text(head + notices, encoding="utf-8")
    print(f"{len(packages)} packages: {', '.join(package.name for package in packages)}")


if __name__ == "__main__":
    main()
