"""Colours, sizes and text that all pictures share."""

import bisect
import io
from pathlib import Path
from typing import Any, Literal

import click
import matplotlib as mpl
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from multihop.files import write_atomically
from multihop.palette import COLOURS

COLOURED_FLOWS = 3 * len(COLOURS)
"""So many flows have colours of their own: the palette, darker, and lighter."""

INK, SOFT_INK, FAINT, NODE, GROUND = "#222222", "#555B61", "#DFE3E8", "#9AA3AD", "#F1F3F5"
WIRE = "#7A828B"
WIDTH_IN = 11.0
MARGIN_IN = 0.45

Format = Literal["png", "svg"]

_RC: Any = {"svg.fonttype": "none", "svg.hashsalt": "multihop"}
_DPI = 160


def flow_colour(index: int) -> str:
    """Colour of the flow at this place in the scenario."""
    colour = COLOURS[index % len(COLOURS)]
    match index // len(COLOURS) % 3:
        case 1:
            return to_hex(darker(colour, 0.55))
        case 2:
            return to_hex(lighter(colour, 0.5))
        case _:
            return colour


def darker(colour: str, share: float) -> tuple[float, float, float]:
    """`colour` of which only this share is left, the rest black."""
    r, g, b = (channel * share for channel in to_rgb(colour))
    return r, g, b


def lighter(colour: str, share: float) -> tuple[float, float, float]:
    """`colour` mixed with this share of white."""
    r, g, b = (channel + (1 - channel) * share for channel in to_rgb(colour))
    return r, g, b


def on_top_of(colour: str | tuple[float, float, float]) -> str:
    """Text colour that is readable on `colour`."""
    r, g, b = to_rgb(colour)
    return INK if 0.299 * r + 0.587 * g + 0.114 * b > 0.55 else "white"


def text_width_in(text: str, size: float, weight: str = "normal") -> float:
    """Width of one line of text, in inches."""
    if not text.strip():
        return 0.0
    properties = FontProperties(weight=weight, size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, properties, ismath=False)
    return float(width) / 72


def shortened(text: str, width_in: float, size: float, weight: str = "normal") -> str:
    """`text` without as much of its middle as it takes to fit into `width_in`."""

    def without_middle(left: int) -> str:
        return f"{text[: (left + 1) // 2].rstrip()}…{text[len(text) - left // 2 :].lstrip()}"

    def width_of(left: int) -> float:
        return text_width_in(without_middle(left), size, weight)

    if len(text) <= 2 or text_width_in(text, size, weight) <= width_in:
        return text
    fitting = bisect.bisect_right(range(3, len(text)), width_in, key=width_of)
    return without_middle(2 + fitting)


def heading(figure: Figure, title: str, subtitle: str) -> None:
    """Title and subtitle at the top of a figure."""
    width, height = figure.get_size_inches()
    room = width - 2 * MARGIN_IN
    for text, size, weight, colour, down in (
        (" ".join(title.split()), 16, "bold", INK, 0.42),
        (subtitle, 10.5, "normal", SOFT_INK, 0.74),
    ):
        figure.text(
            MARGIN_IN / width, 1 - down / height, shortened(text, room, size, weight),
            fontsize=size, fontweight=weight, color=colour, va="center", parse_math=False,
        )  # fmt: skip


def rendered(figure: Figure, kind: Format) -> bytes:
    """The figure as a file; the same figure gives the same bytes, and text in SVG stays text."""
    stream = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else None
    with mpl.rc_context(_RC):
        figure.savefig(stream, format=kind, dpi=_DPI, facecolor="white", metadata=metadata)
    return stream.getvalue()


def save(figure: Figure, file: Path) -> None:
    """Write a figure for a page of the documentation, as SVG or PNG by the file's name.

    Raises:
        click.FileError: if the file can't be written.
    """
    try:
        write_atomically(file, rendered(figure, "svg" if file.suffix == ".svg" else "png"))
    except OSError as error:
        raise click.FileError(str(file), error.strerror) from None
