"""How large the page of a run is, how soon it is ready, and what a picture of it costs.

Writes the pages of two examples and plays them in headless Chromium at several speeds. What a
picture costs is the time of all tasks of the page's process and of the one that paints, on all
their threads, from one picture to the next: scripting, style, layout, painting, compositing.
"""

import json
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import click
from playwright.sync_api import Browser, Page, sync_playwright

import multihop
from multihop import catalogue

CASES = {
    "200 nodes, 10 flows, 100 s": ("random-200", {"duration_s": 101}),
    "50 moving nodes, 300 s": ("moving-50", {}),
}
SPEEDS = {"1 ms": 9, "10 ms": 12, "100 ms": 15, "1 s": 18, "1 min": 24}
"""Places of the control, by what is played a second."""
PLAYED_S = 4.0
BEGUN = 0.3
"""The share of the run where playing begins."""
SIZE = {"width": 1400, "height": 900}
CATEGORIES = ["toplevel", "devtools.timeline", "blink.user_timing", "__metadata"]


def measure(browser: Browser, file: Path) -> None:
    """Print what a page takes to be ready and to play."""
    loads = []
    for _ in range(3):
        page = opened(browser, file)
        loads.append(page.evaluate("performance.getEntriesByName('ready')[0].startTime") / 1e3)
        page.close()
    click.echo(f"  ready after {statistics.median(loads):.2f} s (median of {len(loads)})")
    page = opened(browser, file)
    page.locator("#play").click()
    page.wait_for_timeout(2_000)  # until the page's code is compiled
    page.keyboard.press("Space")
    for name, place in SPEEDS.items():
        box = page.locator("#timeline").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + BEGUN * box["width"], box["y"] + 10)
        page.locator("#speed").fill(str(place))
        costs, busy = played(browser, page)
        low, most = statistics.median(costs), sorted(costs)[int(0.95 * len(costs))]
        click.echo(
            f"  {name:>6} a second: {low:5.1f} ms a picture, of these "
            f"{statistics.median(busy):4.1f} ms on the page's main thread; "
            f"95 % below {most:5.1f} ms; {len(costs)} pictures"
        )
    page.close()


def opened(browser: Browser, file: Path) -> Page:
    """The page, ready."""
    page = browser.new_page(viewport=SIZE)
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-replay=ready]", timeout=60_000)
    return page


def played(browser: Browser, page: Page) -> tuple[list[float], list[float]]:
    """Milliseconds of each picture, on all threads and on the page's main one."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.locator("#play").click()
    page.wait_for_timeout(PLAYED_S * 1e3)
    page.keyboard.press("Space")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    return costs_of(events)


def costs_of(events: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """What each picture cost, of the events of a trace."""
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    drawn = [e for e in events if e["name"] == "FireAnimationFrame"]
    (page_process, main) = statistics.mode((e["pid"], e["tid"]) for e in drawn)
    starts = sorted(e["ts"] for e in drawn if e["pid"] == page_process)
    threads = defaultdict(list)
    for event in events:
        ours = event["pid"] == page_process or names.get(event["pid"]) == "GPU Process"
        if ours and event["ph"] == "X" and event["name"].endswith("RunTask"):
            threads[event["pid"], event["tid"]].append(event)
    everything, own = [0.0] * len(starts), [0.0] * len(starts)
    for thread, tasks in threads.items():
        place, until = 0, 0.0
        for task in sorted(tasks, key=lambda each: each["ts"]):
            if task["ts"] < until:  # within another
                continue
            until = task["ts"] + task.get("dur", 0)
            while place + 1 < len(starts) and starts[place + 1] <= until:
                place += 1
            everything[place] += task.get("dur", 0) / 1e3
            if thread == (page_process, main):
                own[place] += task.get("dur", 0) / 1e3
    return everything[1:-1], own[1:-1]


def renderer(browser: Browser) -> str:
    """What paints."""
    info = browser.new_browser_cdp_session().send("SystemInfo.getInfo")
    canvas = info["gpu"]["featureStatus"].get("2d_canvas", "?")
    driver = info["gpu"].get("auxAttributes", {}).get("glRenderer") or "no GL"
    return f"Chromium {browser.version}, headless; canvas: {canvas}; {driver}"


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), help="Keep the pages there.")
def main(folder: Path | None) -> None:
    """Measure the pages of two examples."""
    path = shutil.which("chromium")
    if path is None:
        raise click.ClickException("chromium is not installed")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        click.echo(renderer(browser))
        for name, (scenario, changes) in CASES.items():
            file = (folder or Path(scratch)) / f"{scenario}.html"
            begun = time.perf_counter()
            multihop.replay(catalogue.scenario_file(scenario), file, set=changes)
            spent, size = time.perf_counter() - begun, file.stat().st_size / 1e6
            click.echo(f"{name}: {size:.1f} MB, written in {spent:.1f} s")
            measure(browser, file)
        browser.close()


if __name__ == "__main__":
    main()
