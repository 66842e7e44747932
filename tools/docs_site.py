"""MkDocs' hook: the pages that are not in docs/, and the links that leave docs/.

The Markdown keeps links that work on a code host. Here a link to a file of the repository that is a
page of the site becomes a link to that page, and one to any other file a link to the code host.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from multihop import engine
from tools import reference_pages, scenario_page

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = "docs/"
OUTSIDE = ("evidence/", "papers/")
"""Folders beside docs/ whose pages and pictures are on the site, at the same path."""

ELSEWHERE = {
    "README.md": "quick-start.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Single files outside docs/ and their pages."""

SOURCES = {page: file for file, page in ELSEWHERE.items()}
PAPERS = ("papers/*.md", "papers/*/*.md")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the evidence and the papers to the navigation: each page under its own heading."""
    sections: dict[str, list[str]] = {
        "Evidence": _pages("evidence/*.md"),
        "Papers": [page for pattern in PAPERS for page in _pages(pattern)],
    }
    nav: list[Any] = list(config.nav or [])
    config.nav = [*nav, *({title: pages} for title, pages in sections.items() if pages)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages, and what is shown from beside docs/."""
    pages = {
        **{page: _text(file) for file, page in ELSEWHERE.items()},
        "reference/commands.md": reference_pages.commands(),
        "reference/metrics.md": reference_pages.metrics(),
        "reference/python.md": reference_pages.python(),
        "reference/scenario.md": scenario_page.page(engine.schema()),
    }
    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    for folder in OUTSIDE:
        for file in sorted((REPOSITORY / folder).rglob("*")):
            if file.suffix in {".md", ".svg", ".png", ".webp"}:
                uri = file.relative_to(REPOSITORY).as_posix()
                files.append(File.generated(config, uri, abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Point the links of a page into the site, or to the code host."""
    return relinked(markdown, page.file.src_uri, config.extra["repository"])


def relinked(markdown: str, uri: str, repository: str) -> str:
    """The text of the page at `uri` with links that work on the site."""
    inside = uri if uri.startswith(OUTSIDE) else DOCS + uri
    folder = posixpath.dirname(SOURCES.get(uri, inside))

    def target(found: re.Match[str]) -> str:
        file = posixpath.normpath(posixpath.join(folder, found[1]))
        place = ELSEWHERE.get(file)
        path = REPOSITORY / file
        if file.startswith(DOCS):
            place = file.removeprefix(DOCS)
        elif file.startswith(OUTSIDE) and path.suffix in {".md", ".svg", ".png", ".webp"}:
            place = file
        if place is not None:
            return posixpath.relpath(place, posixpath.dirname(uri))
        if not path.exists():
            return found[1]  # `--strict` reports it
        return f"{repository}/{'tree' if path.is_dir() else 'blob'}/main/{file}"

    parts: list[str] = []
    end = 0
    for fence in FENCE.finditer(markdown):
        parts += [LINK.sub(target, markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, LINK.sub(target, markdown[end:])])


def _pages(pattern: str) -> list[str]:
    """The pages of the site whose files in the repository match, a folder's README first."""
    found = sorted(REPOSITORY.glob(pattern), key=lambda file: (file.name != "README.md", file))
    return [file.relative_to(REPOSITORY).as_posix().removeprefix(DOCS) for file in found]


def _text(file: str) -> str:
    return (REPOSITORY / file).read_text("utf-8")
