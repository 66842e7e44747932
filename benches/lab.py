"""Time the lab page in a browser: its start, the first figure after a drag, pictures of a drag.

Needs Playwright and a Chromium. Other work on the machine shows in all times: the load is printed
with them.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from multihop import catalogue

STARTS, DRAGS, PICTURES, LOOK_MS = 5, 8, 300, 6500
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
  window.hits = []; window.up = 0; let fresh = false;
  window.lab.map.canvas.addEventListener("pointerup", () => { window.up = performance.now(); },
    { once: true, capture: true });
  results.clear = function () { made.clear.call(this); fresh = window.up > 0; };
  results.show = function (told, ended) {
    const { runs, total_bps: { now } } = told.states[0];
    if (fresh) window.hits.push([performance.now() - window.up, runs, now.half / now.mean]);
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


def drags(page: Page) -> list[Any]:
    """For each of some drags of a node, when which figures came: ms, runs, relative half-width."""
    found = []
    for k in range(1, DRAGS + 1):
        x, y = page.evaluate(PLACE, 15)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 3 * k, y - 4 * k, steps=10)
        page.evaluate(WATCH)
        page.mouse.up()
        page.wait_for_timeout(LOOK_MS)
        found.append(page.evaluate("window.hits"))
    return found


def main() -> None:
    """Measure, and print."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        starts = []
        for _ in range(STARTS):
            with served(browser, MESH) as (_, known_s, figures_s):
                starts.append((known_s, figures_s))
        with served(browser, MESH) as (page, *_):
            told = drags(page)
        first = [hits[0][0] for hits in told]
        narrow = [
            next(
                (ms for ms, runs, half in hits if runs > 2 and half is not None and half <= 0.1),
                None,
            )
            for hits in told
        ]
        many = catalogue.scenario_file("random-200").read_text("utf-8")
        with served(browser, many) as (page, *_):
            x, y = page.evaluate(PLACE, 15)
            page.mouse.move(x, y)
            page.mouse.down()
            gaps = page.evaluate(MOVE, [x, y, PICTURES])
            renderer = page.evaluate(RENDERER)
        browser.close()
    reached = [ms for ms in narrow if ms is not None]
    print(f"total within 10 %: after {len(reached)} of {DRAGS} drags in {LOOK_MS} ms")
    print(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; {renderer}")
    for name, values in (("address [s]", [a for a, _ in starts]),
                         ("figures [s]", [b for _, b in starts]),
                         ("first figure after a drag [ms]", first),
                         ("total within 10 % [ms]", reached),
                         ("between pictures [ms]", gaps)):  # fmt: skip
        if not values:
            continue
        span = f"{min(values):.3g} to {max(values):.3g}"
        print(f"{name}: median {statistics.median(values):.3g}, {span} of {len(values)}")


if __name__ == "__main__":
    main()
