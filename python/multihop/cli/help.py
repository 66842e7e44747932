"""What the help of a command ends with."""

from __future__ import annotations

REPOSITORY = "https://github.com/multihop/multihop/blob/main"


def ends_with(page: str, *examples: str) -> str:
    """Examples of a command and a link to a page of the repository, as lines that click keeps."""
    lines = [f"  multihop {example}" for example in examples]
    return "\n".join(["\b", "Examples:", *lines, "", "\b", f"Docs: {REPOSITORY}/{page}"])
