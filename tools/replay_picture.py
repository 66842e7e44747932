"""Makes docs/use/images/replay.png: the page of two strings at an instant where a frame is lost."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import multihop
from multihop import Watch, catalogue

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "use" / "images" / "replay.png"
SIZE = {"width": 1400, "height": 1000}
INSTANT_NS = 19_370_700_000
NODE = 23


def main() -> None:
    """Write the page, open it, go to the instant and take the picture."""
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
        page.evaluate("(time) => window.replay.clock.seek(time)", INSTANT_NS)
        page.locator("aside").evaluate("(element) => element.scrollTo(0, 0)")
        page.wait_for_timeout(300)
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
