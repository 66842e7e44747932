"""COPAS's choice of two paths on a map, from the record of a run: Fig. 2 (a) of its paper.

python papers/copas/choice.py docs/model/images/copas-choice.svg
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from multihop import catalogue
from multihop.draw.style import (
    INK,
    MARGIN_IN,
    NODE,
    SOFT_INK,
    WIDTH_IN,
    flow_colour,
    heading,
    save,
)
from multihop.result_types import CandidateReport, ChoiceReport
from multihop.results import Result
from multihop.simulate import run

SOURCE, DESTINATION = 0, 9
_HEIGHT_IN, _TITLE_IN, _MARGIN_M = 6.2, 1.15, 75.0
_USES = ("data", "acknowledgments")


def first_choice(result: Result) -> ChoiceReport:
    """What the destination chose when the source first asked for paths."""
    choices = result.json["schemes"]["copas"]["choices"]
    ends = (SOURCE, DESTINATION)
    return next(choice for choice in choices if (choice["originator"], choice["target"]) == ends)


def draw(result: Result) -> Figure:
    """The nodes, the paths that the request took with their contention, and which were chosen."""
    choice, places = first_choice(result), result.json["positions_m"]
    figure = Figure(figsize=(WIDTH_IN, _HEIGHT_IN))
    heading(
        figure, "Two ways round the contended one",
        f"What node {DESTINATION} had collected by {choice['time_s']:.2f} s; "
        "small: a relay's backoffs a second; at each way their sum",
    )  # fmt: skip
    bottom = MARGIN_IN / _HEIGHT_IN
    axes = figure.add_axes(
        (MARGIN_IN / WIDTH_IN, bottom, 1 - 2 * MARGIN_IN / WIDTH_IN,
         1 - bottom - _TITLE_IN / _HEIGHT_IN)
    )  # fmt: skip
    axes.set_axis_off()
    axes.set_aspect("equal")
    xs, ys = zip(*places, strict=True)
    axes.set_xlim(min(xs) - _MARGIN_M, max(xs) + _MARGIN_M)
    axes.set_ylim(min(ys) - _MARGIN_M, max(ys) + _MARGIN_M)
    for number, candidate in enumerate(choice["candidates"]):
        _way(axes, places, choice, number, candidate)
    _nodes(axes, places, choice["candidates"])
    return figure


def _way(
    axes: Axes, places: Sequence[Any], choice: ChoiceReport, number: int, candidate: CandidateReport
) -> None:
    taken = (choice["forward"], choice["reverse"])
    uses = [(place, use) for place, use in enumerate(_USES) if taken[place] == number]
    path = candidate["path"]
    # Acknowledgments go from the destination to the source.
    links = list(pairwise(path if not uses or uses[0][0] == 0 else path[::-1]))
    for link in links:
        tail, head = (places[node] for node in link)
        look = (
            {"arrowstyle": "-|>", "color": flow_colour(uses[0][0]), "linewidth": 2.5}
            if uses
            else {"arrowstyle": "-", "color": NODE, "linewidth": 1.5, "linestyle": "--"}
        )
        axes.annotate(
            "", xy=head, xytext=tail, zorder=1,
            arrowprops={"shrinkA": 13, "shrinkB": 13, "mutation_scale": 16, **look},
        )  # fmt: skip
    said = " and ".join(use for _, use in uses) or "not taken"
    relays = [places[node] for node in path[1:-1]]
    axes.annotate(
        f"{said}: {sum(candidate['contention']):.2f}",
        xy=(sum(x for x, _ in relays) / len(relays), max(y for _, y in relays)),
        xytext=(0, 32 if relays[0][1] > 0 else 22), textcoords="offset points", ha="center",
        fontsize=10, color=flow_colour(uses[0][0]) if uses else SOFT_INK,
    )  # fmt: skip


def _nodes(axes: Axes, places: Sequence[Any], candidates: Sequence[CandidateReport]) -> None:
    contention = {
        node: mean
        for candidate in candidates
        for node, mean in zip(candidate["path"][1:-1], candidate["contention"], strict=True)
    }
    for node, (x, y) in enumerate(places):
        is_end = node in (SOURCE, DESTINATION)
        axes.plot(
            x, y, marker="o", markersize=19, markerfacecolor=INK if is_end else "white",
            markeredgecolor=INK if is_end else NODE, zorder=2,
        )  # fmt: skip
        axes.text(
            x, y, str(node), ha="center", va="center", fontsize=9.5,
            color="white" if is_end else INK, zorder=3,
        )  # fmt: skip
        if node in contention:
            axes.annotate(
                f"{contention[node]:.2f}", xy=(x, y), xytext=(0, -24 if y <= 0 else 15),
                textcoords="offset points",
                ha="center", fontsize=8.5, color=SOFT_INK,
            )  # fmt: skip


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def main(file: Path) -> None:
    """Run the scenario and draw the destination's first choice."""
    result = run(catalogue.scenario_folder() / "contended-middle.toml", seed=4, paths=True)
    figure = draw(result)
    save(figure, file)


if __name__ == "__main__":
    main()
