"""The lab page itself, and its files."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from multihop import catalogue, engine
from multihop.foreign import in_html, in_script, line
from multihop.lab.folder import own_files
from multihop.palette import COLOURS


def page(text: str, name: str, folder: Path) -> str:
    """The page that begins with a scenario."""
    facts: dict[str, Any] = {
        "text": text,
        "name": line(name),
        "folder": str(folder),
        "own": own_files(folder),
        "examples": [name for name, _ in catalogue.scenarios()],
        "schemes": [{"name": name, "about": about} for name, about in engine.schemes()],
        "schema": engine.schema(),
        "palette": COLOURS,
        "version": engine.version,
    }
    player = resources.files("multihop").joinpath("playback", "page", "player.html")
    parts = {
        "title": in_html(line(name)),
        "player": player.read_text("utf-8").replace("<!-- head -->", _read("played.html")),
        "facts": in_script(facts),
    }
    return re.sub(r"<!-- (\w+) -->", lambda found: parts[found[1]], _read("lab.html"))


def _read(name: str) -> str:
    return resources.files("multihop.lab").joinpath("page", name).read_text("utf-8")


FILES: dict[str, Callable[[], tuple[bytes, str]]] = {
    "lab.js": lambda: (_read("lab.js").encode(), "text/javascript; charset=utf-8"),
    "lab.css": lambda: (_read("lab.css").encode(), "text/css; charset=utf-8"),
}
"""What the page asks for besides."""
