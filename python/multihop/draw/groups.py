"""Many flows as few: those between the same ends are drawn as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from multihop.result_types import FlowReport, RouteReport

if TYPE_CHECKING:

    class FlowGroup(FlowReport, total=False):
        """A flow drawn for several; what is not drawn is the first one's."""

        flows: int


def by_ends(
    flows: Sequence[FlowReport], rows: Iterable[RouteReport]
) -> tuple[list[FlowGroup], list[RouteReport]]:
    """One flow for all of the same source and destination, and the rows of `routes` to match.

    A group lives from its first start to its last stop, over which its goodput is taken; `flows`
    tells how many there are in it.
    """
    groups: dict[tuple[int, int], list[FlowReport]] = {}
    for flow in flows:
        groups.setdefault((flow["source"], flow["destination"]), []).append(flow)
    merged: list[FlowGroup] = [
        {
            **group[0],
            "id": number,
            "start_s": min(flow["start_s"] for flow in group),
            "stop_s": max(flow["stop_s"] for flow in group),
            "goodput_bps": goodput_bps(group),
            "flows": len(group),
        }
        for number, group in enumerate(groups.values())
    ]
    numbers = {flow["id"]: i for i, group in enumerate(groups.values()) for flow in group}
    return merged, [{**row, "flow": numbers[row["flow"]]} for row in rows]


def goodput_bps(flows: Sequence[FlowReport]) -> float:
    """What flows delivered together, over the time from the first start to the last stop [bit/s].

    Not the sum of their goodputs: of files sent one after another that is more than any link
    carries. One flow alone has its own.
    """
    if len(flows) == 1:
        return flows[0]["goodput_bps"]
    lived_s = max(flow["stop_s"] for flow in flows) - min(flow["start_s"] for flow in flows)
    return 8 * sum(flow["delivered_bytes"] for flow in flows) / lived_s if lived_s > 0 else 0.0
