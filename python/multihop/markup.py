"""Tables as HTML, and what stands beside pictures, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from multihop.foreign import Html, in_html
from multihop.palette import COLOURS


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> Html:
    """A table, its first `left` columns flush left and the others flush right."""

    def cells(kind: str, row: Sequence[str]) -> str:
        return "".join(
            f'<{kind} style="text-align:{"left" if place < left else "right"}">{cell}</{kind}>'
            for place, cell in enumerate(map(in_html, row))
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    head = cells("th", heads)
    return Html(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def swatch(number: int, text: object) -> Html:
    """The text after a small square in the colour that pictures give to this number."""
    square = f'<span style="color:{COLOURS[number % len(COLOURS)]}">&#9632;</span>'
    return Html(f"{square} {in_html(str(text))}")


def narrowing(svg: str) -> str:
    """A picture that shrinks to the width of its page; it has a viewBox."""
    svg = svg[svg.index("<svg ") :]
    return svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)
