"""Tables and small charts as HTML, for notebooks; needs no library that draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from multihop.foreign import Html, in_html
from multihop.palette import COLOURS

WIDTH, HEIGHT = 640, 150
_LEFT, _TOP, _BOTTOM = 64, 22, 20
_INK = "currentColor"


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


def colour(number: int) -> str:
    """The colour of a line of `lines`."""
    return COLOURS[number % len(COLOURS)]


def swatch(number: int, text: object) -> Html:
    """The text after a small square in the colour of a line."""
    square = f'<span style="color:{colour(number)}">&#9632;</span>'
    return Html(f"{square} {in_html(str(text))}")


def lines(
    series: Mapping[int, Sequence[tuple[float, float]]], *, x_title: str, y_title: str
) -> str:
    """Lines by number as SVG, over one pair of axes that begin at 0 below."""
    points = [point for line in series.values() for point in line]
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    top = max(max(y for _, y in points), 1e-12)
    width, height = WIDTH - _LEFT - 8, HEIGHT - _TOP - _BOTTOM
    base = _TOP + height

    def place(x: float, y: float) -> str:
        across = _LEFT + width * (x - first) / ((last - first) or 1.0)
        return f"{across:.1f},{base - height * max(y, 0.0) / top:.1f}"

    drawn = "".join(
        f'<polyline fill="none" stroke="{colour(number)}" stroke-width="1.3" points="'
        f'{" ".join(place(x, y) for x, y in line)}"/>'
        for number, line in series.items()
    )
    label = f'fill="{_INK}" font-size="11" font-family="sans-serif"'
    axes = f'<path d="M{_LEFT},{_TOP}V{base}H{_LEFT + width}" fill="none" stroke="{_INK}"/>'
    texts = [
        (_LEFT - 6, _TOP + 8, "end", f"{top:.4g}"),
        (_LEFT - 6, base, "end", "0"),
        (_LEFT, HEIGHT - 5, "start", f"{first:.4g}"),
        (_LEFT + width, HEIGHT - 5, "end", f"{last:.4g} {x_title}"),
        (_LEFT, 13, "start", y_title),
    ]
    written = "".join(
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" {label}>{in_html(text)}</text>'
        for x, y, anchor, text in texts
    )
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return narrowing(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{axes}{drawn}{written}</svg>')


def narrowing(svg: str) -> str:
    """A picture that shrinks to the width of its page; it has a viewBox."""
    return svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)
