"""Text that others wrote, such as titles and names, made fit for the place that it is put into.

What goes to a terminal, a page or a picture comes through here, once for each kind of place.
"""

from __future__ import annotations

import json
import re
from typing import Any

MOST_CHARACTERS = 200
"""Of a title or a name that stands in a line; the middle of a longer one is left out."""

_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_HIDDEN = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_DIRECTIONS}\ud800-\udfff\ufeff]")
"""Control characters but tab and line feed, those that turn the direction, halves of others."""
_MARKS = re.compile(r"[\\`*]|\](?=[(\[:])|~~|(?<!\w)_|_(?!\w)|^(?=[#>+-]+(?:\s|$))")
"""What Markdown takes for a mark."""


class Html(str):
    """Text that is HTML already: no place escapes it again."""

    __slots__ = ()

    def __html__(self) -> str:
        """The same, as templates ask for it."""
        return self


def shown(text: str) -> str:
    r"""The text with control characters written out (`\x1b`); line breaks and tabs stay."""
    return _HIDDEN.sub(lambda found: ascii(found[0])[1:-1], text)


def line(text: str, most: int | None = MOST_CHARACTERS) -> str:
    """The text as part of a line: blanks for line breaks, control characters written out."""
    told = shown(" ".join(text.split()))
    if most is None or len(told) <= most:
        return told
    return f"{told[: most // 2]}…{told[-(most // 2) :]}"


def in_html(text: str) -> Html:
    """The text as HTML or SVG shows it."""
    from html import escape

    return text if isinstance(text, Html) else Html(escape(shown(text)))


def in_markdown(text: str) -> str:
    """The text as part of a paragraph, a heading or a table's cell of Markdown."""
    from html import escape

    told = escape(line(text, None), quote=False).replace("&gt;", ">")
    return _MARKS.sub(lambda found: "".join(f"\\{mark}" for mark in found[0]) or "\\", told)


def in_script(value: object) -> Html:
    """JSON that can't end the script element that contains it."""
    return script(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def script(text: str) -> Html:
    """A script, or JSON, that can't end the script element that contains it."""
    return Html(re.sub("<(?=/script|!--)", r"\\u003c", text, flags=re.IGNORECASE))


def in_chart(value: Any) -> Any:
    """A specification of a chart whose every text is shown as it is written."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {key: in_chart(inner) for key, inner in value.items()}
    return [in_chart(inner) for inner in value] if isinstance(value, list) else value
