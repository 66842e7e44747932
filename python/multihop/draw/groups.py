"""Many flows as few: those between the same ends are drawn as one."""

from collections.abc import Iterable, Sequence

from multihop.results import FlowJson, LinkJson


def by_ends(
    flows: Sequence[FlowJson], rows: Iterable[LinkJson]
) -> tuple[list[FlowJson], list[LinkJson]]:
    """One flow for all of the same source and destination, and the rows of `routes` to match.

    A group lives from its first start to its last stop; goodputs add up, and `flows` tells how many
    there are in it.
    """
    groups: dict[tuple[int, int], list[FlowJson]] = {}
    for flow in flows:
        groups.setdefault((flow["source"], flow["destination"]), []).append(flow)
    merged: list[FlowJson] = [
        {
            "id": number,
            "source": source,
            "destination": destination,
            "start_s": min(flow["start_s"] for flow in group),
            "stop_s": max(flow["stop_s"] for flow in group),
            "goodput_bps": sum(flow["goodput_bps"] for flow in group),
            "flows": len(group),
        }
        for number, ((source, destination), group) in enumerate(groups.items())
    ]
    numbers = {flow["id"]: i for i, group in enumerate(groups.values()) for flow in group}
    return merged, [{**row, "flow": numbers[row["flow"]]} for row in rows]
