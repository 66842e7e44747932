"""The documentation site: it builds, its links hold, and it needs nothing from elsewhere."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools import docs_site, reference_pages, scenario_page

from multihop import engine

REPOSITORY = Path(__file__).resolve().parents[1]
HOST = "https://example.org/multihop"
TUTORIAL = REPOSITORY / "docs" / "start" / "first-study.md"
FETCHED = re.compile(
    r"""<(?:script|img|iframe|link rel="stylesheet")[^>]*(?:src|href)="(?:https?:)?//"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with every warning an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    built = subprocess.run(
        [*command, "--site-dir", folder], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow("builds the site of the docs")
def test_no_page_fetches_anything_from_elsewhere(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 40
    assert [page for page in pages if FETCHED.search(page.read_text("utf-8"))] == []


@pytest.mark.parametrize("index", ["docs/README.md", "evidence/README.md"])
def test_an_index_names_every_page(index: str) -> None:
    page = REPOSITORY / index
    linked = set(re.findall(r"\]\(([^)#]+\.md)", page.read_text("utf-8")))
    folders = ("reproduction", "assumptions")  # papers, which have an index of their own
    pages = {
        file.relative_to(page.parent).as_posix()
        for file in page.parent.rglob("*.md")
        if file != page and file.relative_to(page.parent).parts[0] not in folders
    }
    assert pages - linked == set()


@pytest.mark.slow("builds the site of the docs")
def test_tables_and_lists_begin_after_an_empty_line(site: Path) -> None:
    assert "<table>" in (site / "evidence" / "performance.html").read_text("utf-8")
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        stray = re.search(r"<p>(?:(?!</p>).)*?\n(?:- |\|).*", text, re.DOTALL | re.MULTILINE)
        assert stray is None, f"{page}: {stray[0][:400]}: begin it after an empty line"


@pytest.mark.slow("builds the site of the docs")
def test_the_reference_has_what_the_package_has(site: Path) -> None:
    python = (site / "reference" / "python.html").read_text("utf-8")
    assert "Simulate" in python
    assert 'id="multihop.Study.run"' in python
    assert "goodput_bps" in (site / "reference" / "metrics.html").read_text("utf-8")


def test_commands_of_groups_are_listed_with_their_examples() -> None:
    text = reference_pages.commands()
    assert "## multihop study run\n" in text
    assert "multihop study run my-mesh/study.toml --scale quick" in text
    assert "-h, --help" in text


def test_every_key_of_the_schema_is_on_the_scenario_page() -> None:
    text = scenario_page.page(engine.schema())
    missing = {key for key in keys(engine.schema()) if f"`{key}`" not in text}
    assert missing - {"kind", "scheme"} == set()
    assert "| `window_segments` | integer | `8` |" in text
    assert "| `duration_s` | number | *required* |" in text


def keys(node: object) -> Iterator[str]:
    """Every key that a schema names."""
    if isinstance(node, dict):
        yield from node.get("properties", {})
        for inner in node.values():
            yield from keys(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from keys(inner)


def test_a_routing_scheme_shows_its_own_keys_and_names_the_scheme_it_extends() -> None:
    text = scenario_page.page(engine.schema())
    dcar = text.partition('### `scheme = "dcar"`')[2].partition("\n### ")[0]
    assert "every key of `aodv`" in dcar
    assert "`ring_increment_ttl`" not in dcar


@pytest.mark.parametrize(
    ("uri", "link", "expected"),
    [
        ("model/schemes/copas.md", "../dsr.md#caches", "../dsr.md#caches"),
        ("model/schemes/copas.md", "#model", "#model"),
        ("use/studies.md", "../../CONTRIBUTING.md#style", "../contributing.md#style"),
        ("use/studies.md", "../../examples", f"{HOST}/tree/main/examples"),
        ("use/studies.md", "../../Makefile", f"{HOST}/blob/main/Makefile"),
        ("use/studies.md", "../../no-such-file", "../../no-such-file"),
        ("use/studies.md", "https://example.org/a", "https://example.org/a"),
        ("use/studies.md", "../../evidence/worlds.md", "../evidence/worlds.md"),
        ("evidence/worlds.md", "../docs/use/studies.md", "../use/studies.md"),
        ("evidence/worlds.md", "images/worlds.svg", "images/worlds.svg"),
        ("evidence/worlds.md", "worlds.csv", f"{HOST}/blob/main/evidence/worlds.csv"),
        ("contributing.md", "docs/model/schemes/copas.md", "model/schemes/copas.md"),
        ("quick-start.md", "CHANGELOG.md", "changelog.md"),
    ],
)
def test_links_stay_in_the_site_where_they_can(uri: str, link: str, expected: str) -> None:
    assert docs_site.relinked(f"a [b]({link}) c", uri, HOST) == f"a [b]({expected}) c"


def test_code_keeps_what_looks_like_a_link() -> None:
    text = "```rust\nx[1](../Makefile)\n```\n"
    assert docs_site.relinked(text, "use/studies.md", HOST) == text


@pytest.mark.slow("runs every command of the tutorial")
def test_the_tutorial_s_commands_work(tmp_path: Path) -> None:
    text = TUTORIAL.read_text("utf-8")
    blocks = re.findall(r'^```(sh|toml title="([^"]+)")\n(.*?)^```', text, re.MULTILINE | re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = 0
    for _, file, block in blocks:
        if file:
            (tmp_path / file).write_text(block, "utf-8")
            continue
        ran = subprocess.run(
            ["sh", "-eu", "-c", block],
            cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True,
        )  # fmt: skip
        assert ran.returncode == 0, f"{block}\n{ran.stderr}"
        commands += block.count("\n")
    assert commands == text.count("\nmultihop "), "a command is in a block that is not run"
    assert (tmp_path / "out" / "first" / "report.html").is_file()
    assert (tmp_path / "out" / "fair" / "report.html").is_file()
