"""Time the lab page in a browser: its start, figures after a drag, pictures of a drag.

    python -m benches.lab                      # three minutes of two idle cores
    python -m benches.lab --page evidence/performance.md

Needs Playwright and a Chromium. Other work on the machine shows in all times: the load is part of
the table.
"""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import click
from playwright.sync_api import Browser, Page, sync_playwright

from multihop import catalogue
from multihop.files import put_between

MARKERS = "<!-- lab: begin -->", "<!-- lab: end -->"
STARTS, DRAGS, PICTURES, LOOK_S = 5, 8, 300, 15.0
WITHIN, SOON_S, WEIGHTY = 0.1, 5.0, 0.05
"""An interval that is narrow, when it is to be, and the share from which a flow has weight."""
MESH = """\
title = "mesh"
duration_s = 60
[topology]
kind = "random"
nodes = 50
area_m = [1200, 900]
seed = 4
""" + "".join(
    f'[[flows]]\nkind = "ftp"\nsource = {k}\ndestination = {k + 10}\nstart_s = 1\n'
    for k in range(5)
)
PLACE = """(node) => {
  const { map } = window.lab, box = map.canvas.getBoundingClientRect();
  return [box.left + map.view.x(map.at[node][0]), box.top + map.view.y(map.at[node][1])];
}"""
WATCH = """() => {
  const results = window.lab.results, made = Object.getPrototypeOf(results);
  window.hits = []; window.up = 0; window.over = false; let fresh = false;
  window.lab.map.canvas.addEventListener("pointerup", () => { window.up = performance.now(); },
    { once: true, capture: true });
  results.clear = function () { made.clear.call(this); fresh = window.up > 0; };
  results.show = function (told, ended) {
    const { runs, total_bps: { now }, rows } = told.states[0];
    const flows = rows.map((row) => [row.goodput_bps.mean, row.goodput_bps.half]);
    if (fresh) {
      window.hits.push([(performance.now() - window.up) / 1e3, runs, now.mean, now.half, flows]);
      window.over = ended ?? told.done;
    }
    made.show.call(this, told, ended);
  };
}"""
MOVE = """([x, y, count]) => new Promise((done) => {
  const { map } = window.lab, gaps = [];
  let last = performance.now(), k = 0;
  const step = () => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    const at = { pointerId: 1, clientX: x + (k % 60), clientY: y + (k % 37), bubbles: true };
    map.canvas.dispatchEvent(new PointerEvent("pointermove", at));
    if (++k < count) requestAnimationFrame(step); else done(gaps.slice(2));
  };
  requestAnimationFrame(step);
})"""
RENDERER = """() => {
  const gl = document.createElement("canvas").getContext("webgl");
  const known = gl && gl.getExtension("WEBGL_debug_renderer_info");
  return known ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : "canvas without WebGL";
}"""


@contextmanager
def served(browser: Browser, text: str) -> Iterator[tuple[Page, float, float]]:
    """The page of a scenario, and the times from the command to its address and its figures [s]."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mesh.toml"
        file.write_text(text)
        begun = time.perf_counter()
        command = [sys.executable, "-m", "multihop", "lab", str(file)]
        server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            known_s = time.perf_counter() - begun
            page = browser.new_page(viewport={"width": 1280, "height": 850})
            page.goto(url)
            page.locator("#status", has_text=" run").wait_for()
            yield page, known_s, time.perf_counter() - begun
            page.close()
        finally:
            server.terminate()
            server.wait()


@dataclass(frozen=True, slots=True)
class Drag:
    """When figures came after one drag [s], and how narrow they were."""

    first_s: float
    all_s: float
    """Until the goodput of all was within 10 %; infinite if it never was."""
    flows_s: float
    """Until that of each flow of weight was, too."""
    over_s: float
    """Until no more runs came."""
    runs: int
    soon: int
    """Flows within 10 % after five seconds."""
    needed: int
    """Runs that would bring each flow of weight within 10 %, if mean and spread stay."""

    @classmethod
    def of(cls, hits: list[Any]) -> Drag:
        """What the page showed, each time."""

        def narrow(mean: float | None, half: float | None) -> bool:
            return half is not None and bool(mean) and half <= WITHIN * abs(mean or 0)

        def weighty(hit: list[Any]) -> list[list[float]]:
            return [flow for flow in hit[4] if flow[0] and flow[0] > WEIGHTY * hit[2]]

        known = [hit for hit in hits if hit[1] > 2]
        of_all = [hit[0] for hit in known if narrow(hit[2], hit[3])]
        of_flows = [
            hit[0] for hit in known
            if narrow(hit[2], hit[3]) and all(narrow(*flow) for flow in weighty(hit))
        ]  # fmt: skip
        soon, last = [hit for hit in hits if hit[0] <= SOON_S][-1], hits[-1]
        widest = max(half / mean for mean, half in weighty(last))
        return cls(hits[0][0], min(of_all, default=math.inf), min(of_flows, default=math.inf),
                   last[0], last[1], sum(narrow(*flow) for flow in soon[4]),
                   math.ceil(last[1] * (widest / WITHIN) ** 2))  # fmt: skip


def drags(page: Page) -> list[Drag]:
    """Drag a node again and again, and look until no more runs come."""
    found = []
    for k in range(1, DRAGS + 1):
        x, y = page.evaluate(PLACE, 15)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 3 * k, y - 4 * k, steps=10)
        page.evaluate(WATCH)
        page.mouse.up()
        begun = time.monotonic()
        while time.monotonic() - begun < LOOK_S and not page.evaluate("window.over"):
            page.wait_for_timeout(100)
        found.append(Drag.of(page.evaluate("window.hits")))
    return found


def pictures(page: Page) -> tuple[list[float], str]:
    """The times between pictures while a node is dragged [ms], and what draws them."""
    x, y = page.evaluate(PLACE, 15)
    page.mouse.move(x, y)
    page.mouse.down()
    return page.evaluate(MOVE, [x, y, PICTURES]), page.evaluate(RENDERER)


def row(name: str, values: Sequence[float], digits: int = 2) -> str:
    """A line of the table; what was never reached is infinite."""
    reached = [value for value in values if math.isfinite(value)]
    if not reached:
        return f"| {name} | never | {len(values)} |"
    most = "never" if len(reached) < len(values) else f"{max(values):.{digits}f}"
    middle = statistics.median(values)
    told = f"{middle:.{digits}f}" if math.isfinite(middle) else "never"
    return f"| {name} | {told}, {min(values):.{digits}f} to {most} | {len(values)} |"


@click.command()
@click.option(
    "--page",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Page to put the table into.",
)
def main(page: Path | None) -> None:
    """Measure, and print a table."""
    before = os.getloadavg()[0]
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        starts = []
        for _ in range(STARTS):
            with served(browser, MESH) as (_, known_s, figures_s):
                starts.append((known_s, figures_s))
        with served(browser, MESH) as (shown, *_):
            told = drags(shown)
        many = catalogue.scenario_file("random-200").read_text("utf-8")
        with served(browser, many) as (shown, *_):
            gaps, renderer = pictures(shown)
        browser.close()
    files = resources.files("multihop.lab").joinpath("page")
    size = sum(len(each.read_bytes()) for each in files.iterdir() if each.is_file())
    lines = [
        "| | median, span | n |",
        "|---|---|---|",
        row("from `multihop lab` to the address [s]", [known for known, _ in starts]),
        row("to the first figures on the page [s]", [figures for _, figures in starts]),
        row("from the end of a drag to the first figure [s]", [drag.first_s for drag in told]),
        row("to the goodput of all within 10 % [s]", [drag.all_s for drag in told]),
        row("to that of each flow of weight, too [s]", [drag.flows_s for drag in told]),
        row("until no more runs come [s]", [drag.over_s for drag in told]),
        row("runs by then", [drag.runs for drag in told], 0),
        row("flows of the five within 10 % after 5 s", [drag.soon for drag in told], 0),
        row("runs that would bring each flow of weight within 10 %", [d.needed for d in told], 0),
        row("between pictures while one of 200 nodes is dragged [ms]", gaps, 1),
        "",
        f"Drawn by {renderer}. Load before: {before:.1f} on {os.cpu_count()} processors. The page "
        f"has {size / 1e3:.0f} kB of scripts, styles and HTML.",
    ]
    print("\n".join(lines))
    if page is not None:
        put_between(page, MARKERS, "\n".join(lines))


if __name__ == "__main__":
    main()
