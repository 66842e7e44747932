"""MkDocs' hook: the pages that are not in docs/, and the links that leave docs/.

The Markdown keeps links that work on a code host. Here a link to a file of the repository that is a
page of the site becomes a link to that page, and one to any other file a link to the code host.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from multihop import engine
from tools import reference_pages, scenario_page

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = "docs/"
ELSEWHERE = {
    "README.md": "quick-start.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Files outside docs/ and their pages."""

SOURCES = {page: file for file, page in ELSEWHERE.items()}
QUICK_START = ("Two commands", "Use")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "quick-start.md": quick_start(_text("README.md")),
        "contributing.md": _text("CONTRIBUTING.md"),
        "changelog.md": _text("CHANGELOG.md"),
        "reference/commands.md": reference_pages.commands(),
        "reference/metrics.md": reference_pages.metrics(),
        "reference/python.md": reference_pages.python(),
        "reference/scenario.md": scenario_page.page(engine.schema()),
    }
    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Point the links of a page into the site, or to the code host."""
    return relinked(markdown, page.file.src_uri, config.extra["repository"])


def quick_start(readme: str) -> str:
    """What multihop is and the README's commands."""
    head, *sections = re.split(r"^## ", readme, flags=re.MULTILINE)
    by_title = {section.partition("\n")[0]: section for section in sections}
    what = head.strip().split("\n\n")[1]
    return "\n\n".join(
        ["# Quick start", what, *(f"## {by_title[title].strip()}" for title in QUICK_START)]
    )


def relinked(markdown: str, uri: str, repository: str) -> str:
    """The text of the page at `uri` with links that work on the site."""
    folder = posixpath.dirname(SOURCES.get(uri, DOCS + uri))

    def target(found: re.Match[str]) -> str:
        file = posixpath.normpath(posixpath.join(folder, found[1]))
        place = ELSEWHERE.get(file)
        if file.startswith(DOCS):
            place = file.removeprefix(DOCS)
        if place is not None:
            return posixpath.relpath(place, posixpath.dirname(uri))
        path = REPOSITORY / file
        if not path.exists():
            return found[1]  # `--strict` reports it
        return f"{repository}/{'tree' if path.is_dir() else 'blob'}/main/{file}"

    parts: list[str] = []
    end = 0
    for fence in FENCE.finditer(markdown):
        parts += [LINK.sub(target, markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, LINK.sub(target, markdown[end:])])


def _text(file: str) -> str:
    return (REPOSITORY / file).read_text("utf-8")
