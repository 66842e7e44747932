"""Where the instructions of a run go, by layer: evidence/images/where.svg and a table.

Runs the six cases of `instructions.py` under callgrind, with line tables, so that what was inlined
counts for the file it was written in. `--page` puts the table between the markers of a page and
draws the picture. Needs valgrind.
"""

import csv
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import altair as alt
import click
from benches.instructions import RECORD, ROOT, build

from multihop.files import put_between

MARKERS = "<!-- where: begin -->", "<!-- where: end -->"
IMAGE = ROOT / "evidence" / "images" / "where.svg"

ENGINE = "crates/multihop/src/"
LAYERS = {
    "arrivals": (r"radio/|simulation/medium", "what every node in range hears of a transmission"),
    "MAC": (r"mac/", "RTS, CTS, ACK, backoff and its wake-ups"),
    "link": (r"link/", "interface queue, ARP, pacing"),
    "routing": (r"routing/", "AODV, DSR"),
    "transport": (r"transport/|traffic/", "TCP and its applications"),
    "event queue": (r"kernel/(?!time)", "events, backoffs' deadlines, timers, random numbers"),
    "simulation": (r"simulation/|wire/", "which hands events and packets from layer to layer"),
}
"""Files of the engine by layer, the first that fits, and what is in them."""
REST = "library and rest"


@click.command(help=__doc__)
@click.option("--page", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def main(page: Path | None) -> None:
    """Count, print, and write the page."""
    with RECORD.open(newline="") as file:
        cases = list(csv.DictReader(file))
    os.environ["CARGO_PROFILE_RELEASE_DEBUG"] = "line-tables-only"
    os.environ["CARGO_TARGET_DIR"] = str(ROOT / "target" / "where")
    program = build()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = list(pool.map(lambda case: count(program, case), cases))
    found = {name(case): layers for case, layers in zip(cases, counted, strict=True)}
    report = f"![Instructions by layer](images/{IMAGE.name})\n\n{table(found)}"
    print(report)
    if page is not None:
        draw(found)
        put_between(page, MARKERS, report)


def name(case: dict[str, str]) -> str:
    """What a case is called in the table."""
    return " ".join(filter(None, [case["scenario"], case["set"].partition("=")[2].upper()]))


def count(program: Path, case: dict[str, str]) -> Counter[str]:
    """Instructions of one run by layer."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(program)]
        command += [str(ROOT / "python/multihop/scenarios" / f"{case['scenario']}.toml")]
        command += [f"duration_s={case['duration_s']}", *case["set"].split(";")]
        subprocess.run(command, check=True, capture_output=True)
        with out.open(encoding="utf-8") as lines:
            return by_layer(lines)


def by_layer(lines: Iterable[str]) -> Counter[str]:
    """Sum the costs in callgrind's output by the layer whose file they are of.

    What is inlined from the library, and arithmetic on time, belongs to what it is inlined into.
    """
    names: dict[str, str] = {}
    found: Counter[str] = Counter()
    own = layer = REST
    is_call = False
    for line in lines:
        if place := re.match(r"(c?)f([lie])=\((\d+)\)(?: (.*))?", line):
            path = names.setdefault(place[3], place[4] or "")
            of = layer_of(path)
            if place[1]:
                continue
            if place[2] == "l":
                own = layer = of
            elif of != REST or own == REST:
                layer = of
        elif line.startswith("calls="):
            is_call = True
        elif cost := re.match(r"[+\-*\d]\S* (\d+)$", line):
            # What a call cost altogether is counted where it was spent.
            if not is_call:
                found[layer] += int(cost[1])
            is_call = False
    return found


def layer_of(path: str) -> str:
    """The layer that a source file belongs to."""
    _, inside, file = path.partition(ENGINE)
    if not inside:
        return REST
    return next((of for of, (files, _) in LAYERS.items() if re.match(files, file)), REST)


def table(found: dict[str, Counter[str]]) -> str:
    """A row for each layer, a column for each run; in million instructions."""
    rows = [["layer", *found], ["---", *["--:"] * len(found)]]
    for layer in [*LAYERS, REST]:
        what = f"{layer}: {LAYERS[layer][1]}" if layer in LAYERS else layer
        rows.append([what, *(f"{each[layer] / 1e6:.0f}" for each in found.values())])
    rows.append(["all, million", *(f"{each.total() / 1e6:.0f}" for each in found.values())])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def draw(found: dict[str, Counter[str]]) -> None:
    """Draw a bar for each run, divided by layer."""
    order = [*LAYERS, REST]
    rows = [
        {"run": run, "layer": layer, "place": place, "share": each[layer] / each.total()}
        for run, each in found.items() for place, layer in enumerate(order)
    ]  # fmt: skip
    chart = (
        alt.Chart(alt.Data(values=rows), width=560, height=190)
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q",
                title="share of instructions",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            y=alt.Y("run:N", title=None, sort=list(found)),
            color=alt.Color("layer:N", title=None, sort=order, scale=alt.Scale(scheme="tableau10")),
            order="place:O",
        )
    )
    chart.save(IMAGE)


if __name__ == "__main__":
    main()
