"""Charts as pictures, and the scripts that draw them in a page."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from multihop.files import write_atomically

Spec = dict[str, Any]
VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
"""Version of Vega-Lite that specifications are written for."""


def svg(spec: Spec) -> str:
    """The chart as SVG; the same chart gives the same text."""
    drawn: str = vl_convert.vegalite_to_svg(spec, vl_version=VERSION)
    # Vega numbers clip paths and gradients consecutively for as long as the process lives.
    for kind in ("clip", "gradient_"):
        found = dict.fromkeys(re.findall(rf"\b{kind}\d+", drawn))
        numbers = {name: f"{kind}{number}" for number, name in enumerate(found, 1)}
        drawn = re.sub(rf"\b{kind}\d+", lambda name, to=numbers: to[name[0]], drawn)  # type: ignore[misc]
    return drawn


def png(spec: Spec) -> bytes:
    """The chart as PNG, for a page or slide."""
    drawn: bytes = vl_convert.vegalite_to_png(spec, vl_version=VERSION, scale=2)
    return drawn


def pdf(spec: Spec) -> bytes:
    """The chart as PDF, for a paper; its bytes differ from call to call, what it shows does not."""
    drawn: bytes = vl_convert.vegalite_to_pdf(spec, vl_version=VERSION)
    return drawn


@cache
def bundle() -> str:
    """The scripts that draw such charts in a page.

    To put them together takes a second, so they are kept among the user's cached files.
    """
    name = f"vega-lite-{VERSION}-{metadata.version('vl-convert-python')}.js"
    file = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "multihop", name)
    # Where there is no home, nothing can be written or what is there is no text, they are made.
    with suppress(OSError, RuntimeError, ValueError):
        if kept := file.expanduser().read_text("utf-8"):
            return kept
    found: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VERSION)
    with suppress(OSError, RuntimeError):
        file.expanduser().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file.expanduser(), found)
    return found
