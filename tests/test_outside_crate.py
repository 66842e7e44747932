"""Engines of other crates: found by their entry points, asked for what only they have.

The crates that `multihop new-scheme --rust` writes are built: half a minute the first time.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import multihop
from multihop import ScenarioError, Study, crates, engine
from multihop import _engine as ours
from tests.conftest import CHAIN, Called

ROOT = Path(__file__).parents[1]
LIBRARY = {"darwin": "lib_engine.dylib", "win32": "_engine.dll"}.get(sys.platform, "lib_engine.so")
Install = Callable[..., None]


class Fake:
    """A module whose schemes of its own are others' by another name."""

    version, build = ours.version, ours.build

    def __init__(self, crate: str, own: dict[tuple[str, str], str]) -> None:
        self.crate = (crate, "1.2.3", "0123456789abcdef")
        self.own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(ours, name)

    def own_schemes(self) -> list[tuple[str, str]]:
        return [*self.own]

    def schemes(self) -> list[tuple[str, str]]:
        return ours.schemes() + [(name, "mine") for key, name in self.own if key == "scheme"]

    def scheme_overrides(self, name: str) -> list[tuple[str, str]] | None:
        return ours.scheme_overrides(self.own.get(("scheme", name), name))

    def meant(self, text: str) -> str:
        for (_, name), other in self.own.items():
            text = text.replace(f'"{name}"', f'"{other}"')
        return text

    def resolve(self, text: str, overrides: str, *, syntax: str) -> str:
        return ours.resolve(self.meant(text), self.meant(overrides), syntax=syntax)

    def run(self, text: str, overrides: str, **options: Any) -> Any:
        return ours.run(self.meant(text), self.meant(overrides), **options)

    def schema(self) -> str:
        schema = json.loads(ours.schema())
        names = [name for key, name in self.own if key == "transport.scheme"]
        schema["$defs"]["Flavour"]["oneOf"] += [{"const": name} for name in names]
        return json.dumps(schema)


def mine(crate: str = "mine", name: str = "mine") -> Fake:
    """An engine with a congestion control, and a named scheme of the same name."""
    return Fake(crate, {("transport.scheme", name): "vegas", ("scheme", name): "linux-bbr"})


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Has these modules installed; an error in place of one is raised when it is loaded."""

    def point(number: int, module: object) -> SimpleNamespace:
        def load() -> object:
            if isinstance(module, Exception):
                raise module
            return module

        dist = SimpleNamespace(name=f"package-{number}", version="4.5")
        return SimpleNamespace(name=f"e{number}", dist=dist, load=load)

    def install(*modules: object) -> None:
        points = [point(number, module) for number, module in enumerate(modules)]
        monkeypatch.setattr(metadata, "entry_points", lambda **_: points)
        engine._others.cache_clear()

    yield install
    engine._others.cache_clear()


def fault(**keys: str) -> str:
    with pytest.raises(ScenarioError) as raised:
        multihop.run(CHAIN, set={key.replace("__", "."): value for key, value in keys.items()})
    return str(raised.value)


def test_nobody_looks_for_engines_while_the_packages_own_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine._others.cache_clear()
    monkeypatch.setattr(metadata, "entry_points", lambda **_: pytest.fail("it looked"))
    assert multihop.run(CHAIN, scheme="linux-cubic").json["flows"]
    assert len(engine.build_name().split()) == 1


def test_a_scenario_is_run_by_the_engine_that_has_what_it_names(install: Install) -> None:
    install(mine())
    for keys in ({"transport.scheme": "mine"}, {"flows.0.transport": {"scheme": "mine"}}):
        assert multihop.run(CHAIN, set=keys).json["flows"]
    vegas = multihop.run(CHAIN, set={"transport.scheme": "vegas"}).json
    both = multihop.run(CHAIN, set={"transport.scheme": "mine"}).json
    assert both["engine"]["fingerprint"] == vegas["engine"]["fingerprint"]
    assert multihop.run(CHAIN, scheme="mine").scenario["transport"]["scheme"] == "bbr1"


def test_lists_and_the_schema_have_it(install: Install, called: Called) -> None:
    install(mine())
    assert multihop.schemes()[-1] == ("mine", "mine")
    assert {"const": "mine"} in multihop.schema()["$defs"]["Flavour"]["oneOf"]
    assert "\nmine" in called("list", "schemes").stdout
    said = called("list", "engines").stdout.splitlines()
    assert said[0] == f"multihop {multihop.__version__}"
    assert said[1].split(maxsplit=2) == ["mine", "1.2.3", "scheme mine, transport.scheme mine"]
    install()
    assert {"const": "mine"} not in multihop.schema()["$defs"]["Flavour"]["oneOf"]


def test_a_study_knows_the_engine_of_each_cell(install: Install, tmp_path: Path) -> None:
    install(mine())
    table = {
        "title": "ours and theirs",
        "question": "Is one better?",
        "scenario": {
            "duration_s": 5,
            "topology": {"kind": "chain", "hops": 2},
            "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
        },
        "schemes": [
            {"name": name, "set": {"transport.scheme": name}} for name in ("mine", "vegas")
        ],
        "metrics": ["goodput_bps"],
        "scale": {"quick": {"networks": 1}},
    }
    study = Study(**table)
    builds = {cell.scheme: cell.build for cell in study.cells("quick")}
    assert builds["vegas"] == engine.build_name()
    assert builds["mine"] == f"{engine.build_name()} mine 1.2.3+0123456789abcdef"
    assert study.run(tmp_path, scale="quick").finished == 2
    changed = mine()
    changed.crate = ("mine", "1.2.3", "fedcba9876543210")
    install(changed)
    assert study.open(tmp_path, scale="quick").finished == 1, "that of the package's own"


def test_two_engines_with_one_name_are_told(install: Install) -> None:
    install(mine("one"), mine("two"))
    told = "'mine' is a scheme of both one 1.2.3 and two 1.2.3; uninstall one of them"
    assert fault(transport__scheme="mine") == f"transport.scheme: {told}"
    with pytest.raises(ScenarioError, match=re.escape(told)):
        multihop.run(CHAIN, scheme="mine")


def test_schemes_of_two_engines_do_not_go_together(install: Install) -> None:
    reaction = Fake("other", {("transport.link_failure", "wait"): "elfn"})
    install(mine(), reaction)
    assert fault(transport__scheme="mine", transport__link_failure="wait") == (
        "transport.link_failure: 'mine' is of mine 1.2.3, 'wait' is of other 1.2.3; "
        "no engine has both"
    )


def test_an_unknown_name_is_answered_with_what_others_have(install: Install) -> None:
    install(mine())
    assert fault(transport__scheme="mein").endswith("; schemes of other crates: mine")
    with pytest.raises(ScenarioError, match="unknown scheme 'mein'; did you mean 'mine'"):
        multihop.run(CHAIN, scheme="mein")


def of_another_version() -> Fake:
    module = mine()
    module.version = "0.0.9"  # type: ignore[misc]
    return module


def of_other_sources() -> Fake:
    module = mine()
    module.build = "0" * 16  # type: ignore[misc]
    return module


def without_a_digest() -> Fake:
    module = mine()
    module.crate = None  # type: ignore[assignment]
    return module


@pytest.mark.parametrize(
    ("module", "told"),
    [
        (ImportError("no such file:\nmine.so"), "can't be loaded: no such file: mine.so"),
        (
            of_another_version(),
            f"was built with multihop 0.0.9, this is {multihop.__version__}; build it again",
        ),
        (
            of_other_sources(),
            f"was built with other sources of multihop {multihop.__version__}; build it again",
        ),
        (without_a_digest(), "has no schemes of its own: its build script has to call"),
        (SimpleNamespace(), "can't be loaded: "),
    ],
)
def test_an_engine_that_cannot_be_used_is_told_where_it_is_missed(
    module: object, told: str, install: Install, called: Called
) -> None:
    install(module)
    told = f"; engine e0 of package-0 4.5 {told}"
    assert told in fault(transport__scheme="mine")
    said = called("run", "six-hops", "--scheme", "mine")
    assert said.returncode == 2
    assert told in said.stderr
    assert said.stderr.count("\n") == 1
    assert multihop.run(CHAIN).json["flows"], "the others run"
    listed = called("list", "engines")
    assert (listed.returncode, len(listed.stdout.splitlines())) == (0, 1)
    assert listed.stderr.startswith("multihop: warning: engine e0 of package-0 4.5 ")


@pytest.mark.parametrize("name", ["policy", "scheme", "random", "class", "multihop", "9x"])
def test_a_crate_needs_a_name_of_its_own(name: str, tmp_path: Path, called: Called) -> None:
    said = called("new-scheme", name, "--kind", "routing", "--rust")
    assert (said.returncode, said.stderr.count("\n"), [*tmp_path.iterdir()]) == (2, 1, [])


# The rest builds crates.


class Crate:
    """The crate in a folder, built and laid where Python looks."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("cargo") is None:
            pytest.skip("no cargo")
        self.folder, self.site = folder, folder.parent / "site"
        self.name = folder.name
        self.module = self.name.replace("-", "_")

    def new(self, kind: str) -> "Crate":
        """As the command writes it."""
        self.multihop("new-scheme", str(self.folder), "--kind", kind, "--rust")
        return self

    def install(self) -> None:
        """Build it, and do what pip does."""
        dist = self.site / f"{self.module}-0.1.0.dist-info"
        dist.mkdir(parents=True, exist_ok=True)
        told = f"Metadata-Version: 2.1\nName: {self.name}\nVersion: 0.1.0\n"
        (dist / "METADATA").write_text(told)
        points = f"[multihop.engines]\n{self.name} = {self.module}._engine\n"
        (dist / "entry_points.txt").write_text(points)
        shutil.copytree(self.folder / "python", self.site, dirs_exist_ok=True)
        self.cargo("build", "--quiet")
        built = ROOT / "target" / "crates" / "debug" / LIBRARY
        shutil.copyfile(built, self.site / self.module / "_engine.abi3.so")

    def cargo(self, *arguments: str) -> str:
        """What Cargo says; its builds are kept from one run of the tests to the next."""
        target = str(ROOT / "target" / "crates")
        # Lines are enough to tell whose a panic is.
        lines = {"CARGO_PROFILE_DEV_DEBUG": "line-tables-only"}
        environment = {**os.environ, "CARGO_TARGET_DIR": target, **lines}
        return done(["cargo", *arguments], self.folder, environment)

    def multihop(self, *arguments: str, code: int = 0) -> str:
        folders = [str(self.site), str(ROOT / "python")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
        command = [sys.executable, "-m", "multihop", *arguments]
        return done(command, self.folder.parent, environment, code)

    def result(self, *arguments: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.multihop("run", *arguments, "--json", "-"))
        return found


def done(command: list[str], folder: Path, environment: dict[str, str], code: int = 0) -> str:
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False,
        timeout=600,
    )  # fmt: skip
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran.stderr if code else ran.stdout


@pytest.mark.slow("compiles a crate")
@pytest.mark.parametrize("kind", crates.KINDS)
def test_a_new_crate_builds_and_does_what_its_files_say(kind: str, tmp_path: Path) -> None:
    crate = Crate(tmp_path / f"own-{kind}").new(kind)
    crate.install()
    assert "test result: ok" in crate.cargo("test", "--quiet")
    assert crate.name in crate.multihop("list", "schemes")
    scenario, study = (str(crate.folder / file) for file in ("scenario.toml", "study.toml"))
    result = crate.result(scenario, "--set", "duration_s=20")
    engine_crate, own_crate = result["engine"]["crates"]
    assert engine_crate == f"multihop {engine.build_name()}"
    assert re.fullmatch(rf"{crate.name} 0\.1\.0\+[0-9a-f]{{16}}", own_crate)
    assert sum(flow["delivered_bytes"] for flow in result["flows"]) > 0
    assert "crates" not in crate.result("six-hops", "--set", "duration_s=5")["engine"]
    anywhere = "indoor-grid" if kind == "rate-control" else "six-hops"
    over = (anywhere, "--scheme", crate.name, "--set", "duration_s=20")
    assert crate.result(*over)["engine"]["crates"]
    assert "ok, a study" in crate.multihop("check", study)
    base = {"routing": 'scheme="aodv"', "dsr": 'scheme="dsr", flow_state=false'}.get(kind)
    if base is not None:  # the control of the study is its baseline
        null = f'scheme="{crate.name}", changes_nothing=true'
        theirs, ours = (
            crate.result(scenario, "--set", "duration_s=20", "--set", f"routing={{{keys}}}")
            for keys in (base, null)
        )
        assert ours["flows"] == theirs["flows"]


@pytest.mark.slow("compiles a crate")
def test_copies_of_what_the_package_has_run_as_that_does(tmp_path: Path) -> None:
    crate = Crate(tmp_path / "copies").new("rate-control")
    copies = (ROOT / "crates" / "multihop" / "tests" / "copies" / "mod.rs").read_text("utf-8")
    engine_line = "\nmultihop_python::engine!(schemes);\n"
    (crate.folder / "src" / "lib.rs").write_text(copies + engine_line, "utf-8")
    crate.install()
    a_mpdus = ("--set", 'mac.phy="802.11n"', "--set", "mac.streams=2")
    for scenario, more, key, name, other in (
        ("indoor-grid", (), "mac.rate", "arf", "minstrel"),
        ("indoor-grid", a_mpdus, "mac.rate", "minstrel", "arf"),
        ("cross", (), "link.queue", "codel", "drop-tail"),
        ("cross", (), "link.queue", "fq-codel", "codel"),
        ("cross", (), "transport.recovery.scheme", "sack", "rack-tlp"),
        ("cross", (), "transport.recovery.scheme", "rack-tlp", "sack"),
    ):
        window = ("--set", "transport.window_segments=60", "--set", "duration_s=30")
        theirs, ours, others = (
            crate.result(scenario, *more, *window, "--set", f'{key}="{choice}"')["engine"]
            for choice in (name, f"own-{name.removesuffix('-tlp')}", other)
        )
        assert ours["fingerprint"] == theirs["fingerprint"], name
        assert ours["fingerprint"] != others["fingerprint"], name
        assert ours["crates"][1].startswith("copies 0.1.0+"), name
        assert "crates" not in theirs, name


def changed(crate: Crate, old: str, new: str) -> int:
    """Replace the text in the crate's source, and return its line there."""
    source = crate.folder / "src" / "lib.rs"
    text = source.read_text("utf-8")
    assert text.count(old) == 1
    source.write_text(text.replace(old, new))
    return text[: text.index(old)].count("\n") + 1


@pytest.mark.slow("compiles a crate")
def test_a_panic_names_the_file_and_the_line(tmp_path: Path) -> None:
    crate = Crate(tmp_path / "fails").new("congestion-control")
    line = changed(crate, "window.grow(ack.delivered);", 'assert!(ack.delivered > 9, "no\\nidea");')
    crate.install()
    said = crate.multihop("run", "six-hops", "--scheme", "fails", code=1)
    assert said.splitlines()[-1] == f"multihop: fails: src/lib.rs: line {line}: no idea"


@pytest.mark.slow("compiles a crate")
def test_a_name_of_the_packages_own_is_refused(tmp_path: Path) -> None:
    crate = Crate(tmp_path / "fails").new("congestion-control")
    changed(crate, 'Outside::new("fails"', 'Outside::new("cubic"')
    crate.install()
    said = crate.multihop("run", "six-hops", "--scheme", "fails", code=2)
    assert "engine fails of fails 0.1.0 can't be loaded: fails: src/lib.rs: line " in said
    assert said.endswith(": two called cubic for transport.scheme\n")
    assert said.count("\n") == 1


EXAMPLES = sorted(file.parents[0].name for file in (ROOT / "examples").glob("*/Cargo.toml"))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Crate]:
    """Examples by name, each built once, far from the repository."""
    return cache(lambda name: built(name, tmp_path_factory.mktemp("example")))


def built(name: str, folder: Path) -> Crate:
    shutil.copytree(ROOT / "examples" / name, folder / name)
    manifest = folder / name / "Cargo.toml"
    manifest.write_text(manifest.read_text("utf-8").replace("../..", ROOT.as_posix()))
    shutil.copyfile(ROOT / "Cargo.lock", folder / name / "Cargo.lock")
    crate = Crate(folder / name)
    crate.install()
    return crate


@pytest.mark.slow("compiles a crate")
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_passes_its_test_and_its_files_work(
    name: str, example: Callable[[str], Crate]
) -> None:
    crate = example(name)
    assert "test result: ok" in crate.cargo("test", "--quiet")
    result = crate.result(str(crate.folder / "scenario.toml"), "--set", "duration_s=20")
    assert sum(flow["delivered_bytes"] for flow in result["flows"]) > 0
    assert "ok, a study" in crate.multihop("check", str(crate.folder / "study.toml"))


@pytest.mark.slow("compiles a crate")
def test_dcar_from_outside_does_what_the_packages_does(example: Callable[[str], Crate]) -> None:
    crate = example("own-dcar")
    for scenario in ("two-strings", "random-200"):
        theirs, ours = (
            crate.result(
                scenario, "--set", "duration_s=21", "--set", f"routing={{scheme='{name}'}}"
            )
            for name in ("dcar", "own-dcar")
        )
        assert ours["engine"]["fingerprint"] == theirs["engine"]["fingerprint"]


def test_the_tutorial_quotes_the_source_and_tells_its_fingerprints() -> None:
    page = (ROOT / "examples" / "own-dcar" / "TUTORIAL.md").read_text("utf-8")
    source = (ROOT / "examples" / "own-dcar" / "src" / "lib.rs").read_text("utf-8")
    quoted = re.findall(r"```rust\n(.*?)```", page, re.DOTALL)
    assert len(quoted) == 5
    assert [text for text in quoted if text not in source] == []
    known = (ROOT / "crates" / "multihop" / "tests" / "fingerprints.csv").read_text("utf-8")
    for fingerprint in re.findall("`([0-9a-f]{16})`", page):
        assert f'routing.scheme="dcar",1,{fingerprint}' in known


@pytest.mark.slow("compiles a crate")
def test_the_commands_of_the_page_work(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "extend" / "crate.md").read_text("utf-8")
    commands = page.split("```sh\n")[1].split("```")[0].splitlines()
    crate = Crate(tmp_path / "mine")
    for command in commands:
        program, *arguments = command.partition("#")[0].split()
        if program == "pip":
            crate.install()
        else:
            crate.multihop(*arguments)
    assert len(commands) == 5
    assert list(tmp_path.glob("**/report.html"))
