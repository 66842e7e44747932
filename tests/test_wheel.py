"""The wheel in an environment with the core alone: it is whole, it works, and is as large as told.

In another with the extra `notebook` the tutorial's notebook runs. They need a built engine and take
a minute: `make wheel` runs them.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from multihop import catalogue
from tests.conftest import CHAIN
from tests.test_check import STUDY

pytestmark = pytest.mark.wheel
ROOT = Path(__file__).parents[1]
MOST_MB = 450


class Bare:
    """An environment with the wheel and what it requires, and a folder far from the tree.

    `wheel` is one that is built already.
    """

    def __init__(self, folder: Path, wheel: Path | None = None, extra: str = "") -> None:
        self.home, self.folder = folder / "environment", folder / "elsewhere"
        self.folder.mkdir()
        versions = re.findall(
            r"^[\w.-]+==[^\\\n]+", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE
        )
        (folder / "versions.txt").write_text("\n".join(versions))
        pip = [sys.executable, "-m", "pip"]
        called([sys.executable, "-m", "venv", "--without-pip", self.home], folder)
        if wheel is None:
            build = [*pip, "wheel", "-q", "--no-build-isolation", "--no-deps"]
            called([*build, "-w", folder, ROOT], folder)
            (wheel,) = folder.glob("*.whl")
        self.wheel = wheel
        called(
            [*pip, "--python", self.home / "bin/python", "install", "-q", "-c", "versions.txt",
             f"{self.wheel}{extra}"],
            folder,
        )  # fmt: skip

    def multihop(self, *arguments: str) -> str:
        """What a command says."""
        return called([self.home / "bin/multihop", *arguments], self.folder)

    def installed(self) -> dict[str, metadata.Distribution]:
        """Every distribution in it, by name."""
        (site,) = self.home.glob("lib/*/site-packages")
        found = metadata.distributions(path=[str(site)])
        return {each.name.lower().replace("_", "-"): each for each in found}


def called(command: list[object], folder: Path) -> str:
    """Run a command far from the tree and without its environment's variables."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept["PATH"]])  # for maturin
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env=kept, capture_output=True, text=True, check=False,
        timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return Bare(tmp_path_factory.mktemp("wheel"))


def test_it_serves_every_newer_python(bare: Bare) -> None:
    assert "-cp311-abi3-" in bare.wheel.name


def test_a_scenario_and_a_study_run(bare: Bare) -> None:
    (bare.folder / "chain.toml").write_text(CHAIN)
    (bare.folder / "study.toml").write_text(STUDY)
    assert json.loads(bare.multihop("run", "chain.toml", "--json", "-"))["flows"]
    assert bare.multihop("replay", "chain.toml") == "replay.html\n"
    said = bare.multihop("study", "run", "study.toml", "--scale", "quick", "--out", "out")
    assert said.startswith("2 runs; out/data\n")


def test_it_brings_scenarios_studies_templates_and_references(bare: Bare) -> None:
    package = catalogue.scenario_folder().parent
    brought = {str(path) for path in bare.installed()["multihop"].files or []}
    kinds = {".toml", ".json", ".csv", ".tcl", ".md"}
    data = [path for path in package.rglob("*") if path.suffix in kinds]
    assert len(data) > 150
    assert {f"multihop/{path.relative_to(package)}" for path in data} <= brought


def test_papers_come_beside_it(bare: Bare, tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"]}
    listed = [bare.home / "bin/multihop", "list", "claims"]
    without = subprocess.run(listed, cwd=bare.folder, env=env, capture_output=True, text=True)
    assert without.returncode == 2
    assert "pip install 'multihop[papers]'" in without.stderr
    pip = [sys.executable, "-m", "pip", "--python", bare.home / "bin/python"]
    called([*pip, "install", "-q", "--no-deps", "--no-index", ROOT / "papers"], tmp_path)
    assert bare.multihop("list", "claims").count("\n") == 459
    called([*pip, "uninstall", "-q", "-y", "multihop-papers"], tmp_path)


def test_it_validates_against_its_own_references(bare: Bare) -> None:
    said = bare.multihop("validate", "--quick", "--cases", "mac-*")
    assert "multihop against stock ns-2.35" in said
    assert "theory" not in said
    assert re.search(r"\d\d+ of \d\d+ within their bars of ns-2.35", said)


def test_the_core_is_as_large_as_the_docs_say(bare: Bare) -> None:
    table = (ROOT / "docs/start/install.md").read_text("utf-8").partition("| library | MB |")[2]
    told = {
        name: float(size)
        for name, size in re.findall(r"^\| ([a-z][\w-]+) \| ([\d.]+) \|", table, re.MULTILINE)
    }
    measured = {name: megabytes(found) for name, found in bare.installed().items()}
    assert told.keys() == measured.keys()
    assert told == pytest.approx(measured, rel=0.05, abs=0.1)
    assert sum(measured.values()) < MOST_MB


def megabytes(found: metadata.Distribution) -> float:
    """Size of a distribution's files, its compiled modules among them."""
    files = [Path(str(found.locate_file(path))) for path in found.files or []]
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6


def test_a_crate_is_built_on_the_sources_that_it_brings(bare: Bare) -> None:
    bare.multihop("new-scheme", "mine", "--kind", "routing", "--rust")
    manifest = tomllib.loads((bare.folder / "mine" / "Cargo.toml").read_text("utf-8"))
    (site,) = bare.home.glob("lib/*/site-packages")
    source = Path(manifest["dependencies"]["multihop"]["path"]).parents[1]
    assert source == site / "multihop" / "source"
    command = ["cargo", "metadata", "--offline", "--format-version", "1"]
    packages = json.loads(called(command, bare.folder / "mine"))["packages"]
    assert {"mine", "multihop", "multihop-python"} <= {package["name"] for package in packages}


@pytest.mark.filterwarnings("ignore")
def test_the_tutorials_notebook_runs_from_it(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Bare(tmp_path, bare.wheel, "[notebook]")
    spec = tmp_path / "jupyter/kernels/wheel/kernel.json"
    spec.parent.mkdir(parents=True)
    launch = [own.home / "bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": [*map(str, launch)], "display_name": "wheel"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    where = "import multihop\nprint(multihop.__file__)"
    notebook = nbformat.read(ROOT / "examples/study.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(where))
    metadata = {"metadata": {"path": str(own.folder)}}
    ran = NotebookClient(notebook, timeout=300, kernel_name="wheel", resources=metadata).execute()
    assert ran.cells[-1].outputs[0].text.startswith(str(own.home))
    assert (own.folder / "out/notebook/report.html").is_file()
