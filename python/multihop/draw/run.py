"""The picture of one run: its map, and under it the paths of its flows over time."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from multihop import hearing, wires
from multihop.draw import network_map
from multihop.draw.groups import by_ends, goodput_bps
from multihop.draw.movement import Movement
from multihop.draw.paths import by_window, fitting_window_s, history, link_shares
from multihop.draw.style import MARGIN_IN, WIDTH_IN, heading
from multihop.draw.timeline import DETAILED_FLOWS, PATHS_SHOWN, Timeline, rate
from multihop.nodes import Nodes
from multihop.places import has_metres
from multihop.result_types import FlowReport, RunResult
from multihop.results import Result, schemes_of, title_of

_TITLE_IN = 0.95
_MOST_MAP_IN = 7.5
_MOST_SMALL_MAP_IN, _SMALL_NODES = 4.5, 25


def run_figure(result: RunResult, window_s: float | None = None) -> Figure:
    """Draw a result that holds `routes`; they are seen in windows of `window_s`.

    Without `window_s` a round one is chosen that fits the length of the run. Nodes of a network
    with `movement` are drawn where they were at the end.
    """
    scenario = result["scenario"]
    flows: Sequence[FlowReport] = result["flows"]
    duration_s = scenario["duration_s"]
    window_s = window_s or fitting_window_s(duration_s)
    rows = result.get("routes", [])
    if len(flows) > DETAILED_FLOWS:
        flows, rows = by_ends(flows, rows)
    knots = result.get("movement")
    movement = Movement(knots, duration_s) if knots else None
    histories = [history(rows, flow, window_s) for flow in flows]
    nodes = Nodes.of(scenario)
    timeline = Timeline(flows, histories, nodes, window_s=window_s, duration_s=duration_s)

    extent = _extent(result["positions_m"], movement)
    height = _TITLE_IN + extent.height_in + network_map.LEGEND_IN + 0.1 + timeline.height_in + 0.15
    figure = Figure(figsize=(WIDTH_IN, height))
    heading(figure, title_of(scenario), _subtitle(result))
    timeline.draw(figure, 0.15)
    legend_in = timeline.height_in + 0.25
    axes = extent.axes(figure, legend_in + network_map.LEGEND_IN)
    if movement is None:
        places: network_map.Points = result["positions_m"]
        pairs = hearing.of(Result(result)).at(0).pairs()
        heard = network_map.draw_hearing(axes, places, pairs)
        network_map.draw_wires(axes, wires.lines(scenario, places))
        shares = [link_shares(row for row in rows if row["flow"] == f["id"]) for f in flows]
        network_map.draw_links(axes, extent, places, shares)
    else:
        places, heard = movement.last(), False
        network_map.draw_trails(axes, movement, flows)
        strength = min(1.0, 2.5 / len(flows))
        for index, flow in enumerate(flows):
            own = by_window((row for row in rows if row["flow"] == flow["id"]), window_s)
            network_map.draw_moving_links(axes, movement, own, window_s, index, strength)
    busy = {node for h in histories for path, _ in h.shares[:PATHS_SHOWN] for node in path}
    crowded = network_map.draw_nodes(axes, extent, places, flows, busy, nodes)
    moved = movement is not None
    how = ", drawn where its nodes then were" if moved else "; wider: more packets"
    network_map.draw_legend(
        figure, extent, legend_in, used=f"link used{how}", hearing=heard, moving=moved,
        metres=has_metres(scenario), crowded=crowded, wires=bool(wires.members(scenario)),
    )  # fmt: skip
    return figure


def _extent(positions_m: network_map.Points, movement: Movement | None) -> network_map.Extent:
    shown = list(positions_m)
    if movement is not None:
        for node in range(movement.nodes):
            shown.extend(movement.trail(node)[1].tolist())
    most_in = _MOST_SMALL_MAP_IN if len(positions_m) <= _SMALL_NODES else _MOST_MAP_IN
    return network_map.Extent.around(shown, WIDTH_IN - 2 * MARGIN_IN, most_in)


def _subtitle(result: RunResult) -> str:
    scenario = result["scenario"]
    total = rate(goodput_bps(result["flows"]))
    duration = f"{scenario['duration_s']:g} s"
    return (
        f"{schemes_of(scenario)}   ·   seed {result['seed']}   ·   {duration}   ·   "
        f"{len(result['positions_m'])} nodes   ·   goodput {total}"
    )
