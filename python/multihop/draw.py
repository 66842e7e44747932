"""Pictures of networks."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

FLOW_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""

_INK, _SOFT_INK, _FAINT, _NODE = "#222222", "#555B61", "#E3E6EA", "#9AA3AD"
_LEAST_SHARE = 0.01
_WIDEST_POINTS = 7.0


def network_routes(
    positions_m: Sequence[Sequence[float]],
    links: Sequence[Mapping[str, Any]],
    flows: Sequence[Mapping[str, Any]],
    labels: Sequence[str],
    *,
    receive_range_m: float,
    title: str,
    subtitle: str,
    paths: Sequence[Path],
) -> None:
    """Draw nodes, who hears whom, and each flow's links, as wide as they were busy.

    `links` rows hold `flow`, `from`, `to` and `packets`; both directions of a link are one line.
    """
    width_m = max(x for x, _ in positions_m) - min(x for x, _ in positions_m)
    height_m = max(y for _, y in positions_m) - min(y for _, y in positions_m)
    figure, axes = plt.subplots(figsize=(11, 1.7 + 9.6 * (height_m + 100) / (width_m + 200)))
    _draw_hearing(axes, positions_m, receive_range_m)
    for index, flow in enumerate(flows):
        shares = link_shares([row for row in links if row["flow"] == flow["id"]])
        offset = (index - (len(flows) - 1) / 2) * 0.09 * receive_range_m
        _draw_routes(axes, positions_m, shares, FLOW_COLOURS[index % 6], offset)
    xs, ys = zip(*positions_m, strict=True)
    axes.scatter(xs, ys, s=34, color="white", edgecolor=_NODE, linewidth=1.1, zorder=4)
    for index, flow in enumerate(flows):
        _draw_ends(axes, positions_m, flow, FLOW_COLOURS[index % 6])
    _finish(figure, axes, labels, title, subtitle)
    for path in paths:
        figure.savefig(path, dpi=160, facecolor="white")
    plt.close(figure)


def link_shares(links: Sequence[Mapping[str, Any]]) -> dict[tuple[int, int], float]:
    """Share of one flow's busiest link that each link carried, directions added.

    Links that carried less than a hundredth of it are left out.
    """
    packets: dict[tuple[int, int], float] = {}
    for row in links:
        ends = (min(row["from"], row["to"]), max(row["from"], row["to"]))
        packets[ends] = packets.get(ends, 0) + row["packets"]
    busiest = max(packets.values(), default=1)
    shares = {ends: count / busiest for ends, count in packets.items()}
    return {ends: share for ends, share in shares.items() if share >= _LEAST_SHARE}


def _draw_hearing(axes: Any, positions: Sequence[Sequence[float]], range_m: float) -> None:
    for i, a in enumerate(positions):
        for b in positions[:i]:
            if math.dist(a, b) <= range_m:
                axes.plot([a[0], b[0]], [a[1], b[1]], color=_FAINT, linewidth=1.0, zorder=1)


def _draw_routes(
    axes: Any,
    positions: Sequence[Sequence[float]],
    shares: Mapping[tuple[int, int], float],
    colour: str,
    offset_m: float,
) -> None:
    for (a, b), share in shares.items():
        (x0, y0), (x1, y1) = positions[a], positions[b]
        length = math.dist(positions[a], positions[b]) or 1.0
        dx, dy = -(y1 - y0) / length * offset_m, (x1 - x0) / length * offset_m
        axes.plot(
            [x0 + dx, x1 + dx],
            [y0 + dy, y1 + dy],
            color=colour,
            linewidth=max(0.5, _WIDEST_POINTS * share),
            alpha=0.35 + 0.55 * share,
            solid_capstyle="round",
            zorder=2,
        )


def _draw_ends(
    axes: Any,
    positions: Sequence[Sequence[float]],
    flow: Mapping[str, Any],
    colour: str,
) -> None:
    source, destination = positions[flow["source"]], positions[flow["destination"]]
    axes.scatter(*source, s=150, color=colour, edgecolor="white", linewidth=1.6, zorder=5)
    axes.scatter(
        *destination, s=150, color=colour, edgecolor="white", linewidth=1.6, zorder=5, marker="s"
    )
    for point, node in ((source, flow["source"]), (destination, flow["destination"])):
        axes.annotate(
            str(node),
            point,
            xytext=(0, 13),
            textcoords="offset points",
            ha="center",
            fontsize=10,
            fontweight="bold",
            color=colour,
            path_effects=[withStroke(linewidth=3, foreground="white")],
            zorder=6,
        )


def _finish(figure: Any, axes: Any, labels: Sequence[str], title: str, subtitle: str) -> None:
    axes.set_aspect("equal")
    axes.axis("off")
    axes.margins(0.03, 0.06)
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.12, top=0.88)
    figure.text(0.04, 0.955, title, fontsize=16, fontweight="bold", color=_INK, va="center")
    figure.text(0.04, 0.915, subtitle, fontsize=10.5, color=_SOFT_INK, va="center")
    flows = [
        Line2D([], [], color=FLOW_COLOURS[i % 6], linewidth=5, solid_capstyle="round", label=label)
        for i, label in enumerate(labels)
    ]
    symbols = [
        Line2D([], [], color=_SOFT_INK, marker="o", linestyle="", markersize=8, label="source"),
        Line2D(
            [], [], color=_SOFT_INK, marker="s", linestyle="", markersize=8, label="destination"
        ),
        Line2D([], [], color="#C9CED4", linewidth=1.5, label="in receive range"),
    ]
    for handles, height in ((flows, 0.055), (symbols, 0.015)):
        figure.legend(
            handles=handles,
            loc="lower left",
            ncols=3,
            frameon=False,
            fontsize=10.5,
            labelcolor=_INK,
            borderpad=0,
            borderaxespad=0,
            columnspacing=2.5,
            bbox_to_anchor=(0.04, height),
        )
