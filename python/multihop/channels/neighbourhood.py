"""What an assignment of channels goes by: links, and which of them are in each other's way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from multihop import hearing

Link = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Links and interference on one channel."""

    nodes: int
    links: list[Link]
    """Pairs that can exchange data, the lower number first."""
    senses: list[set[int]]
    """By node, those that it senses or that sense it."""

    def neighbours(self, node: int) -> list[int]:
        """The other ends of the links of `node`, in order."""
        return sorted({a + b - node for a, b in self.links if node in (a, b)})

    def conflicts(self, link: Link) -> list[Link]:
        """The links that can't be in use together with `link` on one channel.

        An end of one is, or senses, an end of the other.
        """
        near = set(link).union(*(self.senses[end] for end in link))
        return [other for other in self.links if other != link and near & set(other)]


def neighbourhood(scenario: Mapping[str, Any], seed: int | None) -> Neighbourhood:
    """That of a scenario at the start of its run, whatever `[[interfaces]]` it has.

    Raises:
        ScenarioError: it can't be run.
    """
    on_one = {key: value for key, value in scenario.items() if key != "interfaces"}
    on_one["routing"] = {"scheme": "static"}
    table = hearing.of_scenario(on_one, seed).at(0)
    senses = table.matrix("senses")
    near = senses | senses.T
    heard = [{int(other) for other in row.nonzero()[0]} for row in near]
    return Neighbourhood(table.nodes, table.pairs(), heard)
