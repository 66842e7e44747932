"""The picture of several runs of one static network together."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from multihop.draw import network_map
from multihop.draw.paths import link_shares
from multihop.draw.style import INK, MARGIN_IN, WIDTH_IN, flow_colour, heading, rendered
from multihop.files import write_atomically
from multihop.result_types import FlowReport, LinkReport

_TITLE_IN, _LABELS_IN = 0.95, 0.35


def network_routes(
    positions_m: Sequence[Sequence[float]],
    links: Sequence[LinkReport],
    flows: Sequence[FlowReport],
    labels: Sequence[str],
    *,
    receive_range_m: float,
    title: str,
    subtitle: str,
    paths: Sequence[Path],
) -> None:
    """Draw nodes, which are in range, and each flow's links, as wide as they were busy.

    `links` rows hold `flow`, `from`, `to` and `packets`; both directions of a link are one line.
    Each of `paths` ends in `.png` or `.svg`.
    """
    extent = network_map.Extent.around(positions_m, WIDTH_IN - 2 * MARGIN_IN, 9.0)
    low_in = 0.1 + _LABELS_IN + network_map.LEGEND_IN
    figure = Figure(figsize=(WIDTH_IN, _TITLE_IN + extent.height_in + low_in))
    heading(figure, title, subtitle)
    axes = extent.axes(figure, low_in)
    heard = network_map.draw_hearing(axes, positions_m, receive_range_m)
    shares = [link_shares(row for row in links if row["flow"] == flow["id"]) for flow in flows]
    network_map.draw_links(axes, extent, positions_m, shares)
    busy = {node for links_of_flow in shares for ends in links_of_flow for node in ends}
    network_map.draw_nodes(axes, extent, positions_m, flows, busy)
    network_map.draw_legend(figure, extent, 0.1 + _LABELS_IN, hearing=heard, moving=False)
    _draw_labels(figure, labels)
    for path in paths:
        write_atomically(path, rendered(figure, "svg" if path.suffix == ".svg" else "png"))


def _draw_labels(figure: Figure, labels: Sequence[str]) -> None:
    width, height = figure.get_size_inches()
    handles = [
        Line2D([], [], color=flow_colour(i), linewidth=5, solid_capstyle="round", label=label)
        for i, label in enumerate(labels)
    ]
    figure.legend(
        handles=handles, loc="center left", ncols=3, frameon=False, fontsize=10.5, labelcolor=INK,
        borderpad=0, borderaxespad=0, columnspacing=2.5,
        bbox_to_anchor=(MARGIN_IN / width, (0.1 + _LABELS_IN / 2) / height),
    )  # fmt: skip
