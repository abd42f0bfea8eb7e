"""Install the libraries that PDF output needs, where they are missing and apt may be used.

Anywhere else it says in one line what to install; HTML needs none of them.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys

PACKAGES = {
    "libpango-1.0.so.0": "libpango-1.0-0",
    "libpangoft2-1.0.so.0": "libpangoft2-1.0-0",
    "libharfbuzz-subset.so.0": "libharfbuzz-subset0",
}


def missing() -> list[str]:
    """Return the packages whose library cannot be loaded."""

    def loads(library: str) -> bool:
        try:
            ctypes.CDLL(library)
        except OSError:
            return False
        return True

    return [package for library, package in PACKAGES.items() if not loads(library)]


def succeeds(*words: str) -> bool:
    """Run a command quietly and return whether it ended well."""
    done = subprocess.run(words, check=False, capture_output=True)  # noqa: S603  # words from here only
    return done.returncode == 0


def prefix() -> list[str] | None:
    """Return what to put before apt-get, or None where it may not be used."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "--non-interactive"]
    return sudo if shutil.which("sudo") and succeeds(*sudo, "true") else None


def install(packages: list[str], before: list[str]) -> None:
    """Install packages with apt; refresh its lists only if that is what it takes."""
    apt = [*before, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes"]
    command = [*apt, "install", "--no-install-recommends", *packages]
    if not succeeds(*command):
        succeeds(*apt, "update")
        succeeds(*command)


def main() -> None:
    """Install what is missing, or say what to install."""
    if sys.platform != "linux":
        print("PDF output needs Pango (macOS: brew install pango); HTML is built without it")
        return
    packages, before = missing(), prefix()
    if packages and before is not None:
        print("installing", *packages, flush=True)
        install(packages, before)
    if still := missing():
        print(f"PDF output needs: apt-get install {' '.join(still)} (HTML is built without it)")


if __name__ == "__main__":
    main()
