"""The lab page in a real browser: built, run, played, explained and compared by mouse and keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from multihop.lab import Lab, Limits
from multihop.lab.server import Asked
from tests.conftest import CHAIN

pytestmark = pytest.mark.slow("a server, and pages in a browser")

AXE = Path(__file__).parents[1] / "viewer" / "node_modules" / "axe-core" / "axe.min.js"
EVIL = '"><img src=x onerror=document.title=666><script>document.title=666</script>'
SHORT = CHAIN.replace("11.5", "3.5").replace("stop_s = 11", "stop_s = 3")
MARK = "<img src=x onerror=alert(1)>"
SILENT = f"""\
title = "{MARK}"
duration_s = 4.5
[topology]
kind = "positions"
positions_m = [[0, 0], [240, 0], [480, 0], [720, 0]]
names = ["{MARK}", "b", "c", "d{MARK}"]
""" + "".join(
    f'[[flows]]\nname = "{MARK}"\nkind = "cbr"\nsource = {source}\ndestination = {destination}\n'
    f"start_s = {start}\npacket_bytes = 1000\nrate_bps = 3e6\n"
    for source, destination, start in ((0, 1, 1), (3, 2, 1.003))
)
"""A flow that hears nothing; what strangers name is meant to be run."""
PLACE = """(node) => {
  const { map } = window.lab, box = map.canvas.getBoundingClientRect();
  return [box.left + map.view.x(map.at[node][0]), box.top + map.view.y(map.at[node][1])];
}"""


def opened(browser: Any, lab: Lab, **options: Any) -> Iterator[Any]:
    """The page; whatever it complains of fails the test."""
    said: list[str] = []
    context = browser.new_context(accept_downloads=True, **options)
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(lab.url)
    page.wait_for_selector("html[data-lab=ready]")
    yield page
    context.close()
    assert said == []


def check_readable(page: Any, width: int) -> None:
    """Nothing that keeps readers out, and nothing beyond the edge."""
    page.evaluate(f"() => {{ {AXE.read_text('utf-8')} }}")
    found = page.evaluate("axe.run(document)")["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    folder = tmp_path_factory.mktemp("lab")
    with Lab(Asked(SHORT, "chain.toml", folder, limits=Limits(nodes=200))) as lab:
        yield lab, folder


@pytest.fixture
def page(browser: Any, served: tuple[Lab, Path]) -> Iterator[Any]:
    """At 1280 px, with a mouse."""
    yield from opened(browser, served[0], viewport={"width": 1280, "height": 850})


@pytest.fixture
def telephone(browser: Any, served: tuple[Lab, Path]) -> Iterator[Any]:
    """At 390 px, by touch."""
    size = {"width": 390, "height": 850}
    yield from opened(browser, served[0], viewport=size, has_touch=True)


def text(page: Any) -> str:
    found: str = page.evaluate("window.lab.bench.text")
    return found


def until(page: Any, expression: str) -> None:
    """Wait for something of the page; its policy forbids Playwright's own way."""
    for _ in range(200):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(expression)


def drag(page: Any, begin: Any, end: Any) -> None:
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def test_a_network_is_built_and_run_by_mouse_alone(page: Any, served: tuple[Lab, Path]) -> None:
    page.locator("#status", has_text="runs in").wait_for()
    x, y = page.evaluate(PLACE, 1)
    drag(page, (x, y), (x, y - 80))
    until(page, "window.lab.bench.text.includes('positions_m')")
    page.locator(".sums .change").first.wait_for()
    assert page.locator("tbody .change").first.inner_text() != ""
    page.get_by_text("Node", exact=True).click()
    page.mouse.click(x, y + 60)
    until(page, "window.lab.bench.count === 4")
    page.get_by_text("Line", exact=True).click()
    page.fill("#count", "3")
    drag(page, (x - 150, y + 120), (x + 150, y + 120))
    until(page, "window.lab.bench.count === 7")
    page.get_by_text("Flow", exact=True).click()
    page.select_option("#application", "cbr")
    drag(page, page.evaluate(PLACE, 4), page.evaluate(PLACE, 6))
    until(page, "window.lab.bench.text.includes('kind = \"cbr\"')")
    assert "source = 4\ndestination = 6" in text(page)
    page.locator("tbody tr").nth(1).wait_for()
    for undone in range(4, 0, -1):
        assert page.evaluate("window.lab.bench.past.length") == undone
        page.click("#undo")
        until(page, f"window.lab.bench.past.length === {undone - 1}")
    page.locator("#undo:disabled").wait_for()
    assert text(page) == SHORT
    page.click("#redo")
    until(page, "window.lab.bench.text.includes('positions_m')")
    page.click("#save")
    page.locator("#said", has_text="Saved chain.toml").wait_for()
    assert (served[1] / "chain.toml").read_text("utf-8") == text(page)
    page.reload()
    page.wait_for_selector("html[data-lab=ready]")
    assert "positions_m" in text(page)  # the address has it


def test_a_network_is_built_by_keys_alone(page: Any) -> None:
    page.locator("#map").focus()
    page.keyboard.press("PageDown")
    assert page.locator("#selection h2").inner_text() == "Node 0"
    assert "Heard by 1 (" in page.locator(".heard").inner_text()
    assert "Only sensed by 2" in page.locator(".heard").inner_text()
    page.keyboard.press("ArrowUp")
    until(page, "window.lab.bench.text.includes('[0.0, 10.0]')")
    page.keyboard.press("Control+d")
    until(page, "window.lab.bench.count === 4")
    page.keyboard.press("f")
    page.keyboard.press("Enter")
    page.keyboard.press("PageUp")
    page.keyboard.press("Enter")
    until(page, "(window.lab.bench.look.flows ?? []).length === 2")
    assert "source = 3\ndestination = 2" in text(page)
    page.locator("#map").focus()
    page.keyboard.press("Delete")
    until(page, "window.lab.bench.count === 3")
    page.keyboard.press("Control+z")
    until(page, "window.lab.bench.count === 4")


def test_forms_and_text_say_the_same_and_where_a_fault_is(page: Any) -> None:
    page.click("#tab-settings")
    page.select_option("#key-transport-scheme", "cubic")
    until(page, "window.lab.bench.text.includes('[transport]')")
    assert text(page).startswith(SHORT[:20])
    page.locator("#set-mac > summary").click()
    page.fill("#key-mac-queue_packets", "-3")
    page.keyboard.press("Tab")
    page.locator("#key-mac-queue_packets-wrong").wait_for()
    field = page.locator("#key-mac-queue_packets")
    assert field.get_attribute("aria-invalid") == "true"
    assert "mac.queue_packets" in page.locator("#fault").inner_text()
    field.fill("")
    page.keyboard.press("Tab")
    page.locator("#fault").wait_for(state="hidden")
    page.click("#tab-toml")
    page.set_input_files("#import", {"name": "n.csv", "mimeType": "text/csv",
                                     "buffer": b"name,x_m,y_m\na,0,300\nb,200,x\n"})  # fmt: skip
    page.locator("#said", has_text="n.csv: Line 3 has no place.").wait_for()
    editor = page.locator("#text")
    editor.fill(editor.input_value() + "\nx = [")
    page.locator("#line").wait_for()
    editor.fill(SHORT.replace("two hops", EVIL.replace('"', "'")))
    page.locator("#title", has_text="onerror").wait_for()
    assert page.evaluate("document.images.length") == 0
    assert page.title() == "chain.toml - multihop lab"


def test_a_run_is_played_and_explained_on_the_same_map(page: Any) -> None:
    page.evaluate("(text) => window.lab.bench.set(text)", SILENT)
    page.locator("#status", has_text=" run").wait_for()
    page.click("#show-watch")
    page.locator("html[data-replay=ready]").wait_for()
    assert page.evaluate("window.lab.player.map.view === window.lab.map.view")
    clock = "window.lab.player.clock"
    page.keyboard.press("Home")
    page.get_by_role("button", name="Next silence").press("Enter")
    assert page.evaluate(f"{clock}.time") == pytest.approx(1.003e9, abs=2e6)
    told = page.locator("#told")
    assert f"flow 1 ({MARK})" in told.locator("h2").inner_text()
    plain = page.evaluate("window.lab.map.canvas.toDataURL()")
    told.get_by_text("Next step").click()
    assert "1. " in page.evaluate("window.lab.player.map.told.text")
    step = page.locator("#told .current .when")
    assert page.evaluate(f"{clock}.time / 1e9") == pytest.approx(float(step.inner_text()), abs=1e-6)
    until(page, f"window.lab.map.canvas.toDataURL() !== {plain!r}")
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    until(page, f"{clock}.playing")
    page.keyboard.press("Space")
    until(page, f"!{clock}.playing")
    page.mouse.click(*page.evaluate(PLACE, 3))
    assert page.input_value("#node") == "3"
    page.mouse.click(*page.evaluate(PLACE, 0))
    assert MARK in page.locator("#followed").inner_text()
    assert page.evaluate("document.images.length") == 0
    assert page.evaluate("window.lab.bench.text") == SILENT  # a drag or click builds nothing here
    page.fill("#watch-seed", "7")
    page.click("text=Play this seed")
    page.locator("#about", has_text="seed 7").wait_for()
    page.click("#undo")
    page.locator("#panel-results").wait_for()
    assert page.locator("#playing > *").count() == 0
    page.locator("#status", has_text="runs in").wait_for()


def test_schemes_are_compared_and_a_run_is_shared(
    page: Any, browser: Any, served: tuple[Lab, Path], tmp_path: Path
) -> None:
    page.click("#tab-compare")
    page.select_option("#compare-scheme", "dsr")
    page.click("#compare-add")
    page.click("#compare-run")
    page.locator("#compare-status", has_text="networks each").wait_for()
    page.locator("#compare-table .change").wait_for()
    page.click("#compare-study")
    page.locator("#said", has_text="multihop study run").wait_for()
    assert 'scheme = "dsr"' in (served[1] / "chain-study.toml").read_text("utf-8")
    with page.expect_download() as got:
        page.click("#share")
    file = tmp_path / "shared.html"
    got.value.save_as(file)
    asked: list[str] = []
    alone = browser.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(file.as_uri())
    alone.frame_locator("iframe").locator("html[data-replay=ready]").wait_for()
    assert "Means of" in alone.locator("body").inner_text()
    assert [url for url in asked if not url.startswith(("file:", "about:"))] == []
    alone.close()


def test_a_network_is_built_and_played_by_touch(telephone: Any) -> None:
    page = telephone
    page.get_by_text("Node", exact=True).tap()
    x, y = page.evaluate(PLACE, 1)
    page.touchscreen.tap(x, y + 60)
    until(page, "window.lab.bench.count === 4")
    page.get_by_text("Flow", exact=True).tap()
    for node in (1, 3):
        page.touchscreen.tap(*page.evaluate(PLACE, node))
    until(page, "(window.lab.bench.look.flows ?? []).length === 2")
    page.evaluate("(text) => window.lab.bench.set(text)", SILENT)
    page.get_by_text("Play and explain").tap()
    page.locator("html[data-replay=ready]").wait_for()
    # The band is hit beside its own edge, as fingers do.
    lane = page.locator(".lane .bands").bounding_box()
    page.touchscreen.tap(lane["x"] + 2, lane["y"] + lane["height"] / 2)
    page.locator("#told").get_by_text("Next step").tap()
    page.locator("#told .current").wait_for()
    page.touchscreen.tap(*page.evaluate(PLACE, 2))
    assert page.input_value("#node") == "2"


@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_a_telephone_and_readers(width: int, page: Any) -> None:
    if not AXE.exists():
        pytest.skip("needs axe-core: npm ci in viewer/")
    page.set_viewport_size({"width": width, "height": 850})
    page.locator("#map").focus()
    page.keyboard.press("PageDown")
    for tab in ("results", "settings", "toml", "compare"):
        page.click(f"#tab-{tab}")
        check_readable(page, width)
    page.evaluate("(text) => window.lab.bench.set(text)", SILENT)
    page.click("#show-watch")
    page.locator("html[data-replay=ready]").wait_for()
    page.get_by_text("Next silence").click()
    page.locator("#told summary").click()
    page.locator("#key summary").click()
    check_readable(page, width)
