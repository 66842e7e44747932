"""Reports in a real browser: drawn without errors, hovered, and as narrow as a phone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop.report.drawing import drawing
from multihop.report.pages import Section, write_report, write_reproduction_page
from multihop.study.figures import figure_data
from tests.conftest import Visit
from tests.report_sample import SCENARIO, claim_row, study

pytestmark = pytest.mark.slow("pages in a browser")

WIDTHS = [390, 1280]
PAGES = ["report.html", "all/report.html"]
FIGURES = ["line", "ratio", "bar", "lying", "over-time", "heat", "cdf", "box", "front"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    results = study().run(folder, scale="quick")
    write_report(results, folder)
    verdicts = [
        claim_row(
            f"paper-{number}", verdict, statement="It " + "falls " * 9, measured=0.2,
            interval=(0.1, 0.3), runs=12, reason="its-reason-in-one-very-long-word" * 2,
        )
        for number, verdict in enumerate(("reproduced", "differs", "differs", "not run"))
    ]  # fmt: skip
    (folder / "all").mkdir()
    section = Section("chains", results, figure_data(results))
    write_reproduction_page([section], verdicts, folder / "all" / "report.html")
    return folder


@pytest.fixture
def opened(visit: Visit, folder: Path) -> Callable[[str, int], Any]:
    """Opens a page of the folder."""
    return lambda name, width: visit(folder / name, width, "html[data-charts=drawn]")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_every_figure_is_drawn_and_nothing_sticks_out(opened: Any, name: str, width: int) -> None:
    page = opened(name, width)
    prefix = "chains-" if name.startswith("all") else ""
    for figure in FIGURES:
        chart = page.locator(f"#chart-{prefix}{figure}")
        svg = chart.locator("svg")
        assert svg.locator("path[d]").count() > 5
        box, frame = svg.bounding_box(), chart.bounding_box()
        assert box["height"] > 100
        assert 0.9 * frame["width"] < box["width"] <= frame["width"] + 1
    assert page.locator(".chart svg").count() == len(FIGURES)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", WIDTHS)
def test_pointing_at_a_value_tells_it(opened: Any, width: int) -> None:
    page = opened("report.html", width)
    for figure, words in (
        ("line", ["scheme", "Hops", "kbit/s", "95 % interval", "networks", "flows"]),
        ("bar", ["scheme", "RTS", "mean", "95 % interval", "runs"]),
        ("over-time", ["line", "Time [s]", "Congestion window"]),
    ):
        mark = "rect" if figure == "bar" else "symbol"
        marks = page.locator(f"#chart-{figure} svg .mark-{mark}.role-mark path")
        marks.last.scroll_into_view_if_needed()
        box = marks.last.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x - 2, y - 2)
        page.mouse.move(x, y, steps=3)
        tooltip = page.locator("#vg-tooltip-element.visible")
        tooltip.wait_for(timeout=5000)
        text = tooltip.inner_text()
        for word in words:
            assert word in text, (figure, word, text)


def test_charts_follow_the_width_of_the_window(opened: Any) -> None:
    page = opened("report.html", 1280)
    svg = page.locator("#chart-ratio svg")
    wide, flat = svg.bounding_box()["width"], svg.bounding_box()["height"]
    page.set_viewport_size({"width": 390, "height": 850})
    page.wait_for_function(
        "document.querySelector('#chart-ratio svg').width.baseVal.value <= 390", timeout=10_000
    )
    assert svg.bounding_box()["width"] < wide
    assert svg.bounding_box()["height"] > flat  # one panel below the other
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_paper_shows_what_is_folded(opened: Any) -> None:
    page = opened("report.html", 1280)
    page.emulate_media(media="print")
    assert not page.get_by_text("cw_min").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.get_by_text("cw_min").is_visible()
    assert page.locator("#figure-line .numbers td").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.get_by_text("cw_min").is_visible()


def test_long_tables_are_sorted_filtered_and_put_back(opened: Any) -> None:
    page = opened("report.html", 1280)
    table = page.locator("#summary table").first
    schemes = table.locator("tbody th:visible")
    before = schemes.all_inner_texts()
    assert len(before) > 12
    page.locator("#summary .tools input").first.fill("small 3")  # hops, not 3 networks
    assert page.locator("#summary .tools output").first.inner_text() == f"2 of {len(before)}"
    assert {*schemes.all_inner_texts()} == {"small window"}
    points = table.locator("tbody tr:visible td:first-child").all_inner_texts()
    assert points == ["3", "3"]
    page.locator("#summary .tools input").first.fill("")
    heading = table.locator("thead th", has_text="Mean")
    heading.focus()
    for order in ("descending", "ascending"):
        page.keyboard.press("Enter")
        page.wait_for_function(
            "document.querySelector('#summary th[aria-sort]').ariaSort === " + repr(order)
        )
        page.wait_for_timeout(50)
        cells = table.locator("td[data-label=Mean]").all()
        values = [float(cell.get_attribute("data-sort")) for cell in cells]
        assert values == sorted(values, reverse=order == "descending")
    page.get_by_role("button", name="Original order").first.click()
    assert schemes.all_inner_texts() == before


def test_headings_stay_in_sight_and_contents_lead_there(opened: Any) -> None:
    page = opened("report.html", 1280)
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Summary").click()
    page.mouse.wheel(0, 600)
    page.wait_for_timeout(300)
    box = page.locator("#summary thead th").first.bounding_box()
    assert page.locator("#summary table").first.bounding_box()["y"] < -100
    assert 0 <= box["y"] < 5


def test_a_table_that_is_too_wide_scrolls_by_itself(opened: Any) -> None:
    page = opened("report.html", 390)
    page.locator("#figure-line summary").click()
    scroll = page.locator("#figure-line .scroll")
    assert scroll.evaluate("(e) => e.scrollWidth > e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not page.locator("nav").is_visible()  # folded above the text


def test_the_page_follows_a_dark_screen_and_charts_stay_on_white(opened: Any) -> None:
    page = opened("report.html", 1280)
    page.emulate_media(color_scheme="dark")
    ground = "(e) => getComputedStyle(e).backgroundColor"
    assert page.locator("body").evaluate(ground) != "rgb(255, 255, 255)"
    assert page.locator("#chart-line").evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark", media="print")
    assert page.locator("body").evaluate(ground) == "rgb(255, 255, 255)"


def test_verdicts_can_be_filtered(opened: Any) -> None:
    page = opened("all/report.html", 1280)
    rows = page.locator("tr[data-verdict]:visible")
    assert rows.count() == 4
    page.get_by_label("differs").uncheck()
    assert rows.count() == 2
    page.get_by_label("Search").fill("PAPER-3")
    assert rows.count() == 1
    assert page.locator("form.filters output").inner_text() == "1 of 4"
    page.get_by_label("Study or owner").select_option("chains")
    assert rows.count() == 1


def test_what_a_notebook_shows_shrinks_to_a_phone(browser: Any, folder: Path) -> None:
    results = study().open(folder, scale="quick")
    shown = [multihop.run(SCENARIO, record=multihop.Recording(series_interval_s=0.5))._repr_html_()]
    shown += [drawing(results, name)._repr_svg_() for name in ("line", "heat")]
    page = browser.new_page(viewport={"width": 390, "height": 850})
    page.set_content("".join(f"<div>{each}</div>" for each in shown))
    boxes = [picture.bounding_box() for picture in page.locator("div > svg").all()]
    assert len(boxes) == len(shown)
    for box in boxes:
        assert box["x"] + box["width"] <= 390
        assert box["height"] < box["width"]  # not squeezed
    page.close()
