"""What is shipped and pinned: the wheel, the lock files, the layers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.four_rows import ROWS, SPEC

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("requirements.lock", "requirements-dev.lock")
SHIPPED = (
    "reportgen",
    "templates",
    "schemas",
    "examples",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "sbom.cdx.json",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> list[str]:
    """Build the wheel from a copy of what it is made of; return the names of its files."""
    copy = tmp_path_factory.mktemp("copy")
    unwanted = shutil.ignore_patterns("__pycache__", "reports")
    for name in SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=unwanted)
        else:
            shutil.copy(source, copy)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run(command, check=True, cwd=copy, capture_output=True)
    [built] = (copy / "dist").glob("*.whl")
    return zipfile.ZipFile(built).namelist()


@pytest.mark.parametrize("folder", ["templates", "schemas", "examples/breast_cancer"])
def test_the_wheel_holds_every_data_file(wheel, folder):
    files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    shipped = {
        f"reportgen/{path.relative_to(ROOT)}"
        for path in files
        if not {"reports", "__pycache__"} & set(path.parts)
    }

    assert shipped
    assert shipped <= set(wheel)


def test_the_wheel_holds_every_module_and_says_that_it_is_typed(wheel):
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "reportgen").rglob("*.py")}

    assert modules <= set(wheel)
    assert "reportgen/py.typed" in wheel


def test_the_wheel_holds_the_licences_of_what_it_bundles(wheel):
    licences = [Path(name).name for name in wheel if "/licenses/" in name]

    assert "LICENSE" in licences
    assert len(licences) > 1


def test_the_wheel_lists_the_libraries_that_it_is_tested_with(wheel):
    assert [Path(name).name for name in wheel if "/sboms/" in name] == ["sbom.cdx.json"]


def test_the_lists_of_libraries_and_of_licences_are_those_of_the_lock_file():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = {tuple(pin) for pin in re.findall(r"^([\w.-]+)==([^ ;]+)", lock, re.MULTILINE)}
    components = json.loads((ROOT / "sbom.cdx.json").read_text(encoding="utf-8"))["components"]
    table = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    licences = re.findall(r"^\| ([\w.-]+) \| (\d[^ ]*) \| (.*) \|$", table, re.MULTILINE)

    assert {(one["name"], one["version"]) for one in components} == pinned
    assert {(name, version) for name, version, _ in licences} == pinned
    assert "not stated" not in table


def test_the_wheel_holds_no_tests_and_no_tools(wheel):
    tops = {name.partition("/")[0] for name in wheel}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"reportgen"}


def pins(lock: str) -> dict[str, list[Requirement]]:
    requirements: dict[str, list[Requirement]] = {}
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        if line and line[0] not in " #":
            requirement = Requirement(line.removesuffix(" \\"))
            requirements.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return requirements


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_is_exact_and_has_hashes(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")

    for block in re.split(r"\n(?=[a-z])", text)[1:]:
        assert re.match(r"[a-z0-9.-]+==\S+( ; .+)? \\\n    --hash=sha256:[0-9a-f]{64}", block)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address_and_no_path(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")

    assert not re.search(r"://|--index|--find-links| @ |\s/", text)


def test_every_python_computes_with_the_same_libraries():
    versions = {
        name: {str(pin.specifier) for pin in pinned} for name, pinned in pins(LOCKS[0]).items()
    }

    assert {name for name, pinned in versions.items() if len(pinned) > 1} == set()


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("lock", LOCKS)
def test_each_dependency_has_one_pin_that_fits_on_every_python(lock, python):
    requirements = list(PROJECT["project"]["dependencies"])
    if lock == "requirements-dev.lock":
        requirements += [
            name for name in PROJECT["dependency-groups"]["dev"] if isinstance(name, str)
        ]
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }
    locked = pins(lock)

    for requirement in map(Requirement, requirements):
        fitting = [
            pin
            for pin in locked[canonicalize_name(requirement.name)]
            if pin.marker is None or pin.marker.evaluate(environment)
        ]
        assert len(fitting) == 1, requirement.name
        [pin] = fitting[0].specifier
        assert requirement.specifier.contains(pin.version), requirement.name


def test_both_locks_pin_the_same_versions():
    tools = pins("requirements-dev.lock")

    for name, requirements in pins("requirements.lock").items():
        assert list(map(str, tools[name])) == list(map(str, requirements))


def test_the_licence_is_there_in_full():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_a_build_does_not_load_what_only_a_few_reports_need(tmp_path):
    (tmp_path / "report.yaml").write_text(SPEC)
    (tmp_path / "data.csv").write_text(ROWS)
    program = (
        "import sys; from reportgen.cli.unused_libraries import leave_out; leave_out();"
        "import reportgen;"
        f"reportgen.build({str(tmp_path / 'report.yaml')!r}, formats=['json']);"
        "print({'altair', 'scipy.stats', 'weasyprint'} & set(sys.modules))"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert process.stdout.strip() == "set()"
