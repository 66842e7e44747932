"""Makes the pictures of the page that plays a run, of two strings, in docs/use/images.

replay.png is an instant at which a frame is lost; replay.webp plays the 28 ms around it, in a
window of half the size, for README.md.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import multihop
from multihop import Watch, catalogue

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "use" / "images"
SIZE = {"width": 1400, "height": 1000}
SMALL = {"width": 1100, "height": 780}
INSTANT_NS = 19_370_700_000
NODE = 23
FRAMES = 28
STEP_NS = 1_000_000
SHOWN_MS = 140
"""Each frame of the animation is 1 ms of the run, shown for 0.14 s."""


def main() -> None:
    """Write the page, open it, and take the pictures."""
    path = shutil.which("chromium")
    if path is None:
        sys.exit("chromium is not installed")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = multihop.replay(
            catalogue.scenario_file("two-strings"), Path(folder) / "page.html", watch=Watch(0, 60)
        )
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-replay=ready]")
        page.locator("#node").fill(str(NODE))
        page.keyboard.press("Enter")
        (IMAGES / "replay.png").write_bytes(_at(page, INSTANT_NS, 300))
        page.set_viewport_size(SMALL)  # type: ignore[arg-type]
        first = INSTANT_NS - FRAMES // 2 * STEP_NS
        frames = [
            Image.open(io.BytesIO(_at(page, first + frame * STEP_NS, 60))).convert("RGB")
            for frame in range(FRAMES)
        ]
        frames[0].save(
            IMAGES / "replay.webp", save_all=True, append_images=frames[1:],
            duration=SHOWN_MS, loop=0, quality=45, method=6,
        )  # fmt: skip
        browser.close()


def _at(page: Page, time_ns: int, wait_ms: int) -> bytes:
    """The page at an instant of the run, as a PNG."""
    page.evaluate("(time) => window.replay.clock.seek(time)", time_ns)
    page.locator("aside").evaluate("(element) => element.scrollTo(0, 0)")
    page.wait_for_timeout(wait_ms)
    return page.screenshot()


if __name__ == "__main__":
    main()
