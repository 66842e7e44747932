"""Many flows as few: those between the same ends are drawn as one."""

from collections.abc import Iterable, Sequence

from multihop.result_types import FlowReport, RouteReport


class FlowGroup(FlowReport, total=False):
    """A flow drawn for several; what is not drawn is the first one's."""

    flows: int


def by_ends(
    flows: Sequence[FlowReport], rows: Iterable[RouteReport]
) -> tuple[list[FlowGroup], list[RouteReport]]:
    """One flow for all of the same source and destination, and the rows of `routes` to match.

    A group lives from its first start to its last stop; goodputs add up, and `flows` tells how many
    there are in it.
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
            "goodput_bps": sum(flow["goodput_bps"] for flow in group),
            "flows": len(group),
        }
        for number, group in enumerate(groups.values())
    ]
    numbers = {flow["id"]: i for i, group in enumerate(groups.values()) for flow in group}
    return merged, [{**row, "flow": numbers[row["flow"]]} for row in rows]
