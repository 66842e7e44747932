"""README.md and the first pages of the manual: what they show is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from multihop.cli import cli
from tests.conftest import Called

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
ORDER = (
    "Install, and one run",
    "A mesh of your own",
    "What you can do",
    "How far to trust it",
    "What we found",
    "Reproduce it",
    "Documentation",
)
ELSEWHERE = {
    "sudo": "root",
    "compare": "ns-2.35",
    "reproduce": "minutes",
    "demo": "minutes",
    "import": "a map",
    "service": "a map",
    "plan": "a map",
    "lab": "a browser",
    "mcp": "a client",
}
"""Calls that need what a test has not; other tests have what is behind them."""
PAGES = ("README.md", "docs/start/install.md", "docs/start/real-tcp.md")


def blocks(page: str, language: str) -> list[str]:
    """The code of a language on a page."""
    text = (ROOT / page).read_text("utf-8")
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def calls(page: str) -> list[list[str]]:
    """The calls of multihop on a page, as words."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    words = [shlex.split(line, comments=True) for line in lines]
    return [one for one in words if "multihop" in one[:3]]


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    """The README's own mesh, in the folder in which commands are called."""
    (tmp_path / "mesh.toml").write_text(blocks("README.md", "toml")[0], "utf-8")
    return tmp_path


def test_a_stranger_s_first_screen_has_both_commands_and_the_sections_come_in_their_order() -> None:
    first = "\n".join(README.splitlines()[:20])
    assert "make demo" in first
    assert "make test" in first
    assert "replay.webp" in first
    assert tuple(re.findall(r"^## (.*)$", README, re.MULTILINE)) == ORDER
    assert len(README.splitlines()) <= 125


def test_the_mesh_of_one_s_own_has_ten_nodes_in_ten_lines() -> None:
    text = blocks("README.md", "toml")[0]
    assert "nodes = 10" in text
    assert len(text.splitlines()) == 10


def test_the_run_of_the_readme_prints_what_stands_there(called: Called) -> None:
    said = called("run", "six-hops")
    shown = blocks("README.md", "text")[0]
    printed = [line.rstrip() for line in said.stdout.splitlines()]
    assert [line for line in shown.splitlines() if line not in printed] == []


def test_the_python_of_the_readme_runs(mesh: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", blocks("README.md", "python")[0]],
        cwd=mesh, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def test_the_commands_of_the_readme_work_one_after_the_other(mesh: Path, called: Called) -> None:
    for words in calls("README.md"):
        if words[0] != "multihop" or words[1] in ELSEWHERE:
            continue
        said = called(*words[1:])
        assert said.returncode == 0, f"{shlex.join(words)}\n{said.stderr}"
    assert [*mesh.glob("*.html")]
    assert (mesh / "mine" / "mine.py").is_file()
    assert (mesh / "theirs" / "src" / "lib.rs").is_file()


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_has_arguments_that_are_understood(
    page: str, mesh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mesh)
    (mesh / "my-mesh").mkdir()
    found = calls(page)
    assert found
    for words in found:
        names = words[words.index("multihop") + 1 :]
        if names[0] == "completion":
            continue
        command: click.Command = cli
        context = click.Context(cli, info_name="multihop")
        while isinstance(command, click.Group):
            inner = command.get_command(context, names.pop(0))
            assert inner is not None, words
            command = inner
        command.make_parser(context).parse_args([*names])
