"""Which channels the interfaces of nodes are on: schemes that write a scenario's `[[interfaces]]`.

Channels do not overlap: stations on different ones never hear each other. A scheme gives each node
as many of them as it has radios. `assign` returns the tables; `axis` an axis of a study that varies
the scheme:

    axes = {"assignment": channels.axis(scenario, [1, 6, 11], radios=2)}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from multihop.channels.alike import alike
from multihop.channels.greedy import greedy
from multihop.channels.ko import ko
from multihop.channels.neighbourhood import Neighbourhood, neighbourhood
from multihop.errors import ScenarioError

Assignment = list[set[int]]
"""By node, the channels that it is on."""

SCHEMES: dict[str, Callable[[Neighbourhood, Sequence[int], int], Assignment]] = {
    "alike": alike,
    "greedy": greedy,
    "ko-2007": ko,
}
"""By name, what assigns the channels of a list to nodes with so many radios each."""


def assign(
    scenario: Mapping[str, Any],
    channels: Sequence[int],
    *,
    radios: int = 2,
    scheme: str = "greedy",
    seed: int | None = None,
) -> list[dict[str, Any]]:
    """The `[[interfaces]]` of a scenario, an interface `c1` for channel 1 and so on.

    Where nodes stand is up to the scenario's seed, or to `seed`: a study of several random networks
    needs an assignment for each.

    Raises:
        ScenarioError: the scenario can't be run, or the assignment can't be made.
    """
    if scheme not in SCHEMES:
        fault = f"must be one of {', '.join(SCHEMES)} (got {scheme!r})"
        raise ScenarioError(f"scheme: {fault}")
    if len(set(channels)) < len(channels) or not channels:
        raise ScenarioError(f"channels: must be different ones (got {list(channels)})")
    if not 1 <= radios <= len(channels):
        raise ScenarioError(f"radios: must be 1 to {len(channels)}, as channels (got {radios})")
    near = neighbourhood(scenario, seed)
    chosen = SCHEMES[scheme](near, channels, radios)
    tables: list[dict[str, Any]] = []
    for channel in channels:
        nodes = [node for node, own in enumerate(chosen) if channel in own]
        if nodes:
            everyone = {} if len(nodes) == near.nodes else {"nodes": nodes}
            tables.append({"name": f"c{channel}", "channel": channel, **everyone})
    return tables


def axis(
    scenario: Mapping[str, Any],
    channels: Sequence[int],
    *,
    radios: int = 2,
    schemes: Sequence[str] = tuple(SCHEMES),
    seed: int | None = None,
) -> dict[str, Any]:
    """An axis of a study: a point for each scheme, which sets `interfaces` as `assign` does.

    Raises:
        ScenarioError: as there.
    """

    def tables(scheme: str) -> list[dict[str, Any]]:
        return assign(scenario, channels, radios=radios, scheme=scheme, seed=seed)

    return {"points": [{"label": one, "set": {"interfaces": tables(one)}} for one in schemes]}
