"""What the nodes of a scenario are called wherever people are told of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multihop.foreign import line

_MARK = "\0"
_MARKED = re.compile(rf"{_MARK}(\d+){_MARK}")


class Nodes:
    """The nodes' names: a node is told as `church (3)`, or by its number if it has none."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = names
        """By node; empty if nodes have numbers alone. Text of others."""

    @classmethod
    def of(cls, scenario: Mapping[str, Any]) -> Nodes:
        """Those of a resolved scenario."""
        names = scenario.get("topology", {}).get("names")
        is_well = isinstance(names, list) and all(isinstance(name, str) for name in names)
        return cls(names if is_well else ())

    def __bool__(self) -> bool:
        return bool(self.names)

    def name(self, node: int) -> str:
        """Its name alone, as part of a line; empty if it has none."""
        name = self.names[node] if 0 <= node < len(self.names) else ""
        return "" if name == str(node) else line(name)

    def short(self, node: int) -> str:
        """Its name, or else its number: for where there is little room."""
        return self.name(node) or str(node)

    def __call__(self, node: int) -> str:
        """A node as people are told of it, as part of a line."""
        name = self.name(node)
        return f"{name} ({node})" if name else str(node)

    def marked(self, node: int) -> str:
        """A node in a text that is not ready: `told` puts its name there, whatever that holds."""
        return f"{_MARK}{node}{_MARK}" if self.name(node) else str(node)

    def told(self, text: str) -> str:
        """A text with nodes that `marked` put there."""
        return _MARKED.sub(lambda found: self(int(found[1])), text) if self.names else text

    def each(self, nodes: Iterable[int]) -> list[str]:
        """Several of them."""
        return [self(node) for node in nodes]

    def number(self, text: str) -> int | None:
        """The node that a text names, or whose number it is; None if there is no such."""
        if text in self.names:
            return self.names.index(text)
        return int(text) if text.isascii() and text.isdigit() else None
