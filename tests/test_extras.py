"""What works with the core alone, and what is said where an extra is missing."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import polars as pl
import pytest
from click.testing import CliRunner

from multihop import extras
from multihop.cli import cli
from multihop.cli.help import REPOSITORY
from tests.conftest import CHAIN, Called, Said
from tests.test_check import STUDY

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
OPTIONAL = PROJECT["project"]["optional-dependencies"]
BLOCKED = [name for extra in extras.PACKAGES.values() for name in extra]
CORE = f"""
import sys
for name in {[*BLOCKED, "IPython", "networkx", "pandas", "pyarrow"]}:
    sys.modules[name] = None  # importing it raises ModuleNotFoundError
"""
CALLS = """
import contextlib, io, json
from multihop.cli import main
said = {}
for call in json.load(sys.stdin):
    sys.argv[1:] = call.split()
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            main()
        except SystemExit as end:
            said[call] = [end.code, out.getvalue(), errors.getvalue()]
print(json.dumps(said))
"""
ENOUGH = [
    "run chain.toml --seeds 2 --set duration_s=3",
    "check chain.toml study.toml",
    "new mesh",
    "list metrics",
    "list claims",
    "schema",
    "movement chain.toml --out chain.tcl",
    "import metres.csv",
    "replay chain.toml",
    "validate --quick --cases mac-saturated-*",
    *(f"{name} --help" for name in cli.commands),
]
NEEDING = {
    "draw chain.toml": "report",
    "mcp": "mcp",
    "demo": "report",
    "import degrees.csv": "sites",
    "reproduce copas": "report",
    "headlines copas": "report",
    "assumptions copas/assumptions": "report",
    "study report .": "report",
    "study run study.toml --page page.md": "report",
    "study run study.toml --executor dask:tcp://127.0.0.1:9 --out dask": "cluster",
}
RUN = "study run study.toml --scale quick --out out --workers 1"


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Said]]:
    """A folder, and how each call ended in it where only the core is installed."""
    folder = tmp_path_factory.mktemp("core")
    figure = '[[figures]]\nname = "goodput"\ntitle = "Goodput"\nx = "window"\ny = "goodput_bps"\n'
    (folder / "chain.toml").write_text(CHAIN)
    (folder / "study.toml").write_text(STUDY + figure)
    (folder / "metres.csv").write_text("x_m,y_m\n0,0\n50,0\n")
    (folder / "degrees.csv").write_text("lat,lon\n51.34,12.37\n51.35,12.37\n")
    done = subprocess.run(
        [sys.executable, "-c", CORE + CALLS],
        cwd=folder,
        input=json.dumps([*ENOUGH, *NEEDING, RUN]),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, {call: Said(*said) for call, said in json.loads(done.stdout).items()}


@pytest.mark.parametrize("call", ENOUGH)
def test_the_core_alone_is_enough_for(call: str, core: tuple[Path, dict[str, Said]]) -> None:
    said = core[1][call]
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout or call.startswith("movement")


@pytest.mark.parametrize("call", NEEDING)
def test_what_needs_an_extra_says_so_in_a_line_before_any_work(
    call: str, core: tuple[Path, dict[str, Said]]
) -> None:
    said = core[1][call]
    assert (said.returncode, said.stdout) == (2, "")
    (line,) = said.stderr.splitlines()
    assert f"pip install 'multihop[{NEEDING[call]}]'" in line


def test_a_study_runs_and_leaves_its_numbers_where_no_report_can_be_made(
    core: tuple[Path, dict[str, Said]], called: Called
) -> None:
    folder, said = core
    assert (said[RUN].returncode, said[RUN].stdout) == (
        0,
        "2 runs; out/data\nGoodput: static 625 kbit/s; aodv 0.998 times that, on one network.\n"
        "On 1 network.\n",
    )
    (line,) = said[RUN].stderr.splitlines()
    assert "pip install 'multihop[report]'" in line

    def read(file: Path) -> object:
        """What a file holds; Polars may write the same frame as other bytes."""
        is_frame = file.suffix == ".parquet"
        return pl.read_parquet(file).to_dicts() if is_frame else file.read_bytes()

    numbers = {path.name: read(path) for path in (folder / "out" / "data").iterdir()}
    assert {"summary.csv", "goodput.csv", "flows.parquet"} <= numbers.keys()
    assert called("study", "report", folder / "out").returncode == 0
    for name, content in numbers.items():
        assert read(folder / "out" / "data" / name) == content


def test_the_package_says_so_as_well(chain: Path) -> None:
    code = (
        f"{CORE}from multihop import Recording, run\n"
        f"run({str(chain)!r}, record=Recording(series_interval_s=1.0)).plot()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stderr.splitlines()[-1].startswith(
        "multihop.extras.MissingExtraError: a plot needs"
    )


@pytest.mark.parametrize("package", ["scipy", "altair", "networkx"])
def test_a_command_starts_without_what_takes_long_to_import(package: str) -> None:
    code = f"import sys, multihop, multihop.cli\nprint({package!r} in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


def test_the_extras_are_those_of_the_project() -> None:
    for extra, names in extras.PACKAGES.items():
        told = {name.partition(">")[0].removesuffix("-python") for name in OPTIONAL[extra]}
        assert told == {{"PIL": "pillow"}.get(name, name.replace("_", "-")) for name in names}
    everything = next(name for name in OPTIONAL["dev"] if name.startswith("multihop["))
    assert {*everything[9:-1].split(",")} == OPTIONAL.keys() - {"dev", "papers"}


def test_the_lock_of_the_demonstration_is_a_part_of_the_whole() -> None:
    """`make demo` installs core and report alone, at the versions that everything else has."""
    whole, part = _locked("requirements.lock"), _locked("requirements-report.lock")
    assert part.items() < whole.items()
    wanted = PROJECT["project"]["dependencies"] + OPTIONAL["report"]
    assert {name.partition(">")[0] for name in wanted} <= part.keys()
    assert not part.keys() & {"mypy", "pytest", "mkdocs", "pandas"}


def _locked(name: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Each package's version, with its hashes."""
    text = (Path(__file__).parents[1] / name).read_text("utf-8")
    blocks = re.findall(r"^([\w.-]+)==(\S+)(.*(?:\n .*)*)", text, re.MULTILINE)
    return {
        package: (version, frozenset(re.findall(r"sha256:\w+", rest)))
        for package, version, rest in blocks
    }


def test_help_ends_with_examples_that_parse_and_a_page_that_is_there() -> None:
    for name in ("run", "reproduce", "headlines", "assumptions", "compare", "study run"):
        said = CliRunner().invoke(cli, [*name.split(), "--help"]).output
        *_, examples, page = said.strip().split("\n\n")
        file = page.removeprefix("  Docs: ").removeprefix(REPOSITORY).strip("/ ")
        assert (Path(__file__).parents[1] / file).is_file()
        for line in examples.splitlines()[1:]:
            assert line.startswith(f"    multihop {name} ")
            _parses(line.split()[1:])


def _parses(arguments: list[str]) -> None:
    """Parse an example without running it; files of its reader's own are taken for an example's."""
    context = click.Context(cli, info_name="multihop")
    command: click.Command = cli
    while isinstance(command, click.Group):
        found = command.get_command(context, arguments.pop(0))
        assert found is not None
        command = found
    own = {"mesh.toml": "six-hops", "my-mesh/study.toml": "multipath/chain"}
    own |= {"my-study.toml": "multipath/chain", "my-paper": "copas"}
    named = [own.get(each, each) for each in arguments]
    command.make_context("multihop", named, parent=context)


def test_completion_is_click_s_and_knows_the_names(called: Called) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_MULTIHOP_COMPLETE" in called("completion", shell).stdout
    scenario = next(each for each in cli.commands["run"].params if each.name == "scenario")
    found = scenario.shell_complete(click.Context(cli), "six")
    assert [(item.value, item.type) for item in found] == [("six-hops", "plain"), ("six", "file")]
