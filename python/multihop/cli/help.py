"""What the help of a command ends with."""

from __future__ import annotations

DOCS = "https://github.com/multihop/multihop/blob/main/docs"


def ends_with(page: str, *examples: str) -> str:
    """Examples of a command and a link to a page of the docs, as lines that click keeps."""
    lines = [f"  multihop {example}" for example in examples]
    return "\n".join(["\b", "Examples:", *lines, "", "\b", f"Docs: {DOCS}/{page}"])
