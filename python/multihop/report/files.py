"""The pictures beside a page, with their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multihop.files import write_atomically
from multihop.report import charts
from multihop.report.data import Written, write_numbers
from multihop.study.figures import FigureData


def write_figure(
    data: FigureData, spec: dict[str, Any], folder: Path, name: str, *, pdf: bool = False
) -> Written:
    """Write a figure's picture and data; gives their kinds and paths within `folder`.

    With `pdf` the picture for papers as well, which takes a second each.
    """
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    contents: dict[str, str | bytes] = {
        f"figures/{name}.svg": charts.svg(spec),
        f"figures/{name}.png": charts.png(spec),
    }
    if pdf:
        contents[f"figures/{name}.pdf"] = charts.pdf(spec)
    for path, content in contents.items():
        write_atomically(folder / path, content)
    pictures = list(zip(("SVG", "PNG", "PDF"), contents, strict=False))
    return [*pictures, *write_numbers(data, folder, name)]
