"""Scenarios and the command line as tests use them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from multihop import papers
from multihop.cli import main
from multihop.study import Study
from tests import programs

CHAIN = """\
title = "two hops"
duration_s = 11.5
seed = 3

[topology]
kind = "chain"
hops = 2
spacing_m = 200

[[flows]]
kind = "ftp"
source = 0
destination = 2
start_s = 1
stop_s = 11
"""

_GUARD = programs.Guard()

# Properties are tried on the same cases everywhere; --hypothesis-profile=default draws others.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--rest`: the slow tests, and those that the last run skipped."""
    parser.addoption("--rest", action="store_true", help="slow tests, and what was skipped last")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what `make test` leaves out, if asked to; each slow test says why it is."""
    slow = {item.nodeid: mark for item in items if (mark := item.get_closest_marker("slow"))}
    if unsaid := [name for name, mark in slow.items() if not mark.args]:
        raise pytest.UsageError(f"slow without a reason: {', '.join(unsaid)}")
    if config.getoption("--rest"):
        assert config.cache is not None
        rest = slow.keys() | set(config.cache.get(programs.BEFORE, []))
        config.hook.pytest_deselected(items=[one for one in items if one.nodeid not in rest])
        items[:] = [one for one in items if one.nodeid in rest]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a program that is not here, and watch the others."""
    needed = programs.of(item)
    if lacking := programs.missing(needed):
        pytest.skip(f"needs {'; '.join(lacking)}")
    _GUARD.begin(item, needed)


def pytest_runtest_teardown() -> None:
    """Other code may start what it likes."""
    _GUARD.end()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were skipped, why, and how to have them, in one line."""
    skipped = terminalreporter.stats.get("skipped", [])
    cache = getattr(terminalreporter.config, "cache", None)  # absent with -p no:cacheprovider
    if cache is not None and not hasattr(terminalreporter.config, "workerinput"):
        cache.set(programs.BEFORE, [report.nodeid for report in skipped])
    if said := programs.summary([report.longrepr[2] for report in skipped]):
        terminalreporter.write_line(said)


Command = Callable[..., subprocess.CompletedProcess[str]]


@dataclass(frozen=True, slots=True)
class Said:
    """How a call of the command line ended."""

    returncode: int
    stdout: str
    stderr: str


Called = Callable[..., Said]


@pytest.fixture(autouse=True)
def no_paper_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A paper whose folder one test opened is unknown to the next one of the process."""
    monkeypatch.setattr(papers, "_opened", {**papers._opened})


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """A scenario file: one TCP flow over two hops, ten seconds."""
    path = tmp_path / "chain.toml"
    path.write_text(CHAIN)
    return path


@pytest.fixture
def multihop_command(tmp_path: Path) -> Command:
    """The command line, called as a user calls it."""

    def call(*arguments: object, path: str | None = None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **({} if path is None else {"PATH": path})}
        return subprocess.run(
            [sys.executable, "-m", "multihop", *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def brief_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's studies on a single network each, for a few simulated seconds."""
    read = Study.read

    def briefly(file: str | Path) -> Study:
        tables = read(file).tables
        spread = "start_spread_s" in tables["scenario"]["flows"][0]
        soon = {"flows.0.start_spread_s": 2} if spread else {}
        quick = {"networks": 1, "set": {"duration_s": 12, **soon}}
        return Study(**{**tables, "scale": {"quick": quick}})

    monkeypatch.setattr(Study, "read", briefly)


@pytest.fixture
def called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Called:
    """The command line within this process, which takes a tenth of the time."""

    def call(*arguments: object) -> Said:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["multihop", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Said(ended.value.code, *capfd.readouterr())

    return call


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    path = shutil.which("chromium")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


Visit = Callable[[Path, int, str], Any]


@pytest.fixture
def visit(browser: Any) -> Iterator[Visit]:
    """Opens a file at a width, waits for a selector, and watches the page.

    Whatever it says or asks the network for fails the test.
    """
    said: list[str] = []
    context = browser.new_context()

    def open_page(file: Path, width: int, ready: str) -> Any:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 850})
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url)
                if not request.url.startswith("file:") else None)  # fmt: skip
        page.goto(file.as_uri())
        page.wait_for_selector(ready, timeout=60_000)
        return page

    yield open_page
    context.close()
    assert said == []
