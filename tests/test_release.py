"""What a release is made of says the same everywhere: version, platforms, requirements."""

import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

import multihop

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PLATFORMS = {
    ("ubuntu", "x86_64"), ("ubuntu", "aarch64"), ("macos", "x86_64"), ("macos", "aarch64"),
    ("windows", "x64"),
}  # fmt: skip


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def release() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text(".github/workflows/release.yml"))
    return found


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads(text("Cargo.toml"))["workspace"]["package"]["version"]
    newest, date = re.findall(r"^## (\d\S+) - (\S+)$", text("CHANGELOG.md"), re.MULTILINE)[0]
    citation = yaml.safe_load(text("CITATION.cff"))
    assert version == newest == citation["version"] == multihop.__version__
    assert date == citation["date-released"]
    assert f"multihop-{version}-cp311-abi3-" in text("docs/start/install.md")
    for project in ROOT.glob("examples/*/pyproject.toml"):
        pinned = tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"]
        assert f"multihop=={version}" in pinned, project


def test_a_release_has_a_wheel_for_each_platform_and_the_sources() -> None:
    jobs = release()["jobs"]
    matrix = jobs["wheels"]["strategy"]["matrix"]["include"]
    assert {(row["runner"].partition("-")[0], row["target"]) for row in matrix} == PLATFORMS
    assert {row["manylinux"] for row in matrix if row["runner"].startswith("ubuntu")} == {"2_28"}
    told = [step["with"] for step in jobs["sources"]["steps"] if "maturin" in step.get("uses", "")]
    assert told[0]["command"] == "sdist"


def test_only_what_was_tried_is_published_and_without_a_password() -> None:
    publish = release()["jobs"]["publish"]
    assert {*publish["needs"]} == {"wheels", "sources"}
    assert publish["permissions"] == {"id-token": "write"}
    assert "refs/tags/v" in publish["if"]
    assert "secrets." not in text(".github/workflows/release.yml")


@pytest.mark.skipif(find_spec("check_jsonschema") is None, reason="needs check-jsonschema")
def test_workflows_are_of_the_form_that_github_runs() -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    done = subprocess.run(
        [*check, "vendor.github-workflows", *WORKFLOWS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_environment_of_conda_has_what_core_and_reports_require() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    *packages, by_pip = yaml.safe_load(text("environment.yml"))["dependencies"]
    listed = {name.split()[0].removesuffix("-base"): name.split()[-1] for name in packages}
    assert by_pip == {"pip": [".[report]"]}
    for wanted in [*project["dependencies"], *project["optional-dependencies"]["report"]]:
        name, least = re.split(r"(?=>)", wanted)
        assert listed.get(name, least) == least, wanted
    assert {re.split(">", each)[0] for each in project["dependencies"]} <= listed.keys()
    rust = tomllib.loads(text("Cargo.toml"))["workspace"]["package"]["rust-version"]
    assert (listed["python"], listed["rust"]) == (project["requires-python"], f">={rust}")


def test_the_container_compiles_with_the_pinned_rust_and_runs_as_nobody_special() -> None:
    pinned = tomllib.loads(text("rust-toolchain.toml"))["toolchain"]["channel"]
    lines = text("Containerfile").splitlines()
    (rust,) = re.findall(r"rust:([\d.]+)-", "\n".join(lines))
    assert pinned.startswith(f"{rust}.")
    assert [line for line in lines if line.startswith("USER ")] == ["USER 1000"]
