"""The templates of pages, and how text gets into them."""

from __future__ import annotations

import re

import jinja2
from markupsafe import Markup, escape

from multihop.foreign import shown


def environment() -> jinja2.Environment:
    """The templates, with the filter `sort_key`."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("multihop.report"),
        autoescape=True,
        finalize=lambda value: shown(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["sort_key"] = sort_key
    return made


def sort_key(text: str) -> str:
    """What a cell is sorted by: the number that it begins with, or its text; nothing for none."""
    plain_text = text.replace(",", "").replace("−", "-").strip("– ")
    number = re.match(r"-?\d+(\.\d+)?(?=$|[ %(])", plain_text)
    return number[0] if number else plain_text


def breakable(text: str) -> Markup:
    """Text in which lines may break within the names of tests and files."""
    return Markup(re.sub(r"(::|/|_)(?=\w)", r"\1<wbr>", str(escape(shown(text)))))
