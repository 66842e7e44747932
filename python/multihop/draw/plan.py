"""The map of a scenario that has not run: its nodes, who receives whom, and its flows' ends."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from multihop import hearing, wires
from multihop.draw import network_map
from multihop.draw.style import MARGIN_IN, WIDTH_IN
from multihop.nodes import Nodes
from multihop.places import has_metres

_MOST_HIGH_IN = 4.5


def plan_figure(scenario: Mapping[str, Any]) -> Figure:
    """Draw a resolved scenario, where its nodes are at first.

    A line joins the ends of each flow that names both.
    """
    heard = hearing.of_scenario(scenario)
    places = [(x, y) for (_, x, y), *_ in heard.ways]
    flows = [
        flow for flow in scenario["flows"]
        if all(isinstance(flow[end], int) for end in ("source", "destination"))
    ]  # fmt: skip
    extent = network_map.Extent.around(places, WIDTH_IN - 2 * MARGIN_IN, _MOST_HIGH_IN)
    figure = Figure(figsize=(WIDTH_IN, extent.height_in + network_map.LEGEND_IN + 0.1))
    axes = extent.axes(figure, network_map.LEGEND_IN)
    is_drawn = network_map.draw_hearing(axes, places, heard.at(0).pairs())
    is_wired = network_map.draw_wires(axes, wires.lines(scenario, places))
    lines = [{(flow["source"], flow["destination"]): 0.5} for flow in flows]
    network_map.draw_links(axes, extent, places, lines)
    crowded = network_map.draw_nodes(axes, extent, places, flows, (), Nodes.of(scenario))
    network_map.draw_legend(
        figure, extent, 0, used="from source to destination", hearing=is_drawn,
        metres=has_metres(scenario), crowded=crowded, wires=is_wired,
    )  # fmt: skip
    return figure
