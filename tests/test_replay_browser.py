"""Replay in a real browser: it reads the record as it is, plays, steps and follows."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import multihop
from multihop import Result, Watch, catalogue
from multihop.explain import CAUSES as CAUSES_KNOWN
from tests.conftest import CHAIN, Visit
from tests.test_replay import CAUSES

pytestmark = pytest.mark.slow("pages in a browser")

WIDTHS = [390, 1400]
MOVING = catalogue.scenario_file("moving-50")
DECODED = """() => {
  const record = window.replay.record;
  const known = (value) => (value === -1 || Number.isNaN(value) ? null : value);
  const rows = Array.from({ length: record.length }, (_, row) => row);
  const words = (name) => rows.map((row) => record.word(name, record[name][row]) || null);
  const numbers = (values) => Array.from(values, known);
  const sparse = (name) => rows.map((row) => known(record.value(name, row)));
  const packet = (column) => rows.map((row) =>
    record.packet[row] === -1 ? null : known(record[column][record.packet[row]]));
  const numbered = packet("packetNumber");
  const columns = { time_ns: [...record.time], frame: numbers(record.frame) };
  for (const name of ["event", "detail", "kind", "state"]) columns[name] = words(name);
  for (const name of ["node", "peer", "bytes", "queue"]) columns[name] = numbers(record[name]);
  for (const name of ["airtime_ns", "by_frame", "former", "cw_slots", "backoff_slots", "cwnd",
    "ssthresh", "rto_s", "srtt_s", "timer_s"]) columns[name] = sparse(name);
  columns.packet = packet("packets");
  columns.content = packet("packetContent")
    .map((code) => record.word("content", code ?? -1) || null);
  columns.flow = rows.map((row) => known(record.flow(row)));
  columns.number = rows.map((row) => numbered[row] ?? known(record.value("number", row)));
  columns.origin = packet("packetOrigin");
  columns.target = packet("packetTarget");
  return columns;
}"""


Opened = Callable[..., Any]


@pytest.fixture
def opened(visit: Visit, tmp_path: Path) -> Opened:
    """Opens a run's page."""

    def open_page(result: Result, width: int = 1400, **options: Any) -> Any:
        file = multihop.replay(result, tmp_path / "page.html", **options)
        return visit(file, width, "html[data-replay=ready]")

    return open_page


@pytest.fixture(scope="module")
def two_hops() -> Result:
    return multihop.run(CHAIN, events=True)


def drawn(page: Any) -> None:
    """Wait until the page has drawn what it was asked for."""
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")


def shown_ns(page: Any) -> int:
    """The instant that the page shows."""
    drawn(page)
    shown = page.locator("#clock").inner_text()
    return int(shown.removesuffix(" s").replace(" ", "").replace(".", ""))


@pytest.mark.parametrize(
    ("scenario", "options"),
    [
        (CHAIN, {"set": {"duration_s": 4}}),
        (MOVING, {"scheme": "aodv-etx", "set": {"duration_s": 5}}),
        ("hidden-pair", {"set": {"duration_s": 2}}),
        (MOVING, {"set": {"duration_s": 9}, "scheme": "dsr", "events": Watch(5, 9, (0, 3, 12))}),
    ],
)  # fmt: skip
def test_the_page_reads_the_record_as_it_is(
    scenario: Any, options: dict[str, Any], opened: Opened
) -> None:
    if scenario == "hidden-pair":
        scenario = catalogue.scenario_file(scenario)
    result = multihop.run(scenario, **{"events": True, **options})
    found = opened(result).evaluate(DECODED)
    # The page has no use for the interface.
    for name, expected in result.events.drop("interface").to_dict().items():
        assert found[name] == expected.to_list(), name


def test_steps_go_from_frame_to_frame(opened: Opened, two_hops: Result) -> None:
    page = opened(two_hops)
    starts = two_hops.events.filter(event="transmit")["time_ns"].to_list()
    page.keyboard.press("Home")
    assert shown_ns(page) == two_hops.events["time_ns"][0]
    for start in starts[:4]:
        page.keyboard.press("ArrowRight")
        assert shown_ns(page) == start
    page.locator("#back").click()
    assert shown_ns(page) == starts[2]
    page.locator("#on").click()
    assert shown_ns(page) == starts[3]
    page.keyboard.press("End")
    assert shown_ns(page) == two_hops.events["time_ns"][-1]


def test_it_plays_at_the_speed_that_is_set(opened: Opened, two_hops: Result) -> None:
    page = opened(two_hops)

    def played_s(seconds: float) -> float:
        """How much of the run it plays, a second that it takes."""
        begun, start = shown_ns(page), page.evaluate("performance.now()")
        page.keyboard.press("Space")
        page.wait_for_timeout(seconds * 1e3)
        assert page.locator("#play").get_attribute("aria-label") == "Pause"
        page.locator("#play").click()
        on = shown_ns(page) - begun
        assert page.locator("#play").get_attribute("aria-label") == "Play"
        return on / 1e6 / (page.evaluate("performance.now()") - start)

    page.keyboard.press("Home")
    while page.locator("#rate").inner_text() != "10 ms a second":
        page.keyboard.press("ArrowDown")
        drawn(page)
    slow = played_s(0.6)
    assert 0 < slow <= 0.011
    for key in ("ArrowUp", "+"):
        for _ in range(3):
            page.keyboard.press(key)
    drawn(page)
    assert page.locator("#rate").inner_text() == "1 s a second"
    assert 5 * slow < played_s(0.6) <= 1.1
    page.locator("#timeline").click(position={"x": 5, "y": 8})
    assert shown_ns(page) < 1.2e9


def test_a_node_is_followed_by_its_last_events(opened: Opened, two_hops: Result) -> None:
    page = opened(two_hops)
    middle = page.locator("#map").bounding_box()
    page.mouse.click(middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2)
    assert page.locator("#node").input_value() == "1"
    page.locator("#timeline").click(position={"x": 600, "y": 8})
    now = shown_ns(page)
    rows = two_hops.events.filter(
        pl.col("time_ns") <= now, pl.col("node") == 1, pl.col("event") != "mac"
    ).tail(20)
    entries = page.locator("#followed li")
    assert entries.count() == 20
    assert entries.first.locator(".when").inner_text() == f"{rows['time_ns'][-1] // 1000 / 1e6:.6f}"
    page.locator("#mac").check()
    drawn(page)
    assert page.locator("#followed li", has_text="window").count() > 0
    entries.last.locator(".when").click()
    assert shown_ns(page) < now


def test_a_packet_is_followed_from_end_to_end(opened: Opened, two_hops: Result) -> None:
    page = opened(two_hops)
    packet = two_hops.events.filter(event="deliver", content="tcp-data")["packet"][3]
    page.locator("#packet").fill(str(packet))
    page.keyboard.press("Enter")
    way = two_hops.events.filter(packet=packet)
    entries = page.locator("#followed li")
    drawn(page)
    assert entries.count() == way.height
    assert page.locator("#followed li.ahead").count() == way.height
    entries.last.locator(".when").click()
    drawn(page)
    assert page.locator("#followed li.ahead").count() == 0
    assert "So far by 0 → 1 → 2." in page.locator("#followed .told").inner_text()
    page.locator("#packet").fill("99999999")
    page.keyboard.press("Enter")
    assert page.locator("#packet:invalid").count() == 1


def test_causes_are_bands_that_tell(opened: Opened, two_hops: Result) -> None:
    page = opened(two_hops, causes=CAUSES)
    bands = page.locator("#bands .band:not(.silence)")
    assert bands.count() == 2
    first, second = (bands.nth(at).bounding_box() for at in (0, 1))
    assert first["x"] + first["width"] == pytest.approx(second["x"], abs=1)
    bands.first.click()
    assert shown_ns(page) == pytest.approx(4e9, abs=1)
    told = page.locator("#told")
    assert "RTS from 0 to 1 unanswered." in told.inner_text()
    told.locator(".when").nth(1).click()
    assert shown_ns(page) == pytest.approx(4.2e9, abs=1)
    assert page.locator("#node").input_value() == "1"
    told.get_by_text("Next step").click()
    assert shown_ns(page) == pytest.approx(5.5e9, abs=1)
    assert "RTO by then 2 s." in told.locator(".current").inner_text()
    for _ in range(3):
        told.get_by_text("Step back").click()
    assert shown_ns(page) == pytest.approx(4e9, abs=1)


def test_silences_are_gone_through_one_after_the_other(opened: Opened, two_hops: Result) -> None:
    flow = CAUSES["flows"][0]
    later = [
        dict(each, from_s=each["from_s"] + 3, to_s=each["to_s"] + 3) for each in flow["silences"]
    ]
    page = opened(two_hops, causes={"flows": [flow, dict(flow, flow=1, silences=later)]})
    page.keyboard.press("Home")
    told = page.locator("#told h2")
    names = [f"Silence of flow {number}," for number in (0, 1, 0)]
    for name in names:
        page.get_by_text("Next silence").click()
        assert told.inner_text().startswith(name)
        page.locator("#told").get_by_text("Next step").click()
    page.get_by_text("Silence before").click()
    assert told.inner_text().startswith(names[1])


def test_without_causes_there_are_no_bands(opened: Opened, two_hops: Result) -> None:
    assert not opened(two_hops).locator("#bands").is_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(width: int, opened: Opened) -> None:
    result = multihop.run(MOVING, set={"duration_s": 5}, events=True)
    page = opened(result, width, causes=CAUSES)
    page.locator("#key summary").click()
    page.locator("#bands .band:not(.silence)").first.click()
    page.locator("#node").fill("0")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for part in ("#map", "#play", "#timeline", "#speed"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_it_opens_where_the_worst_silence_begins_at_a_speed_that_can_be_watched(
    opened: Opened, two_hops: Result
) -> None:
    page = opened(two_hops, causes=CAUSES)
    frames = two_hops.events.filter(event="transmit")
    silences = [each for flow in CAUSES["flows"] for each in flow["silences"]]
    worst = max(silences, key=lambda each: each["to_s"] - each["from_s"])
    begun = frames.filter(frames["time_ns"] > worst["from_s"] * 1e9)[0]
    shown = shown_ns(page)
    assert begun["time_ns"][0] <= shown <= begun["time_ns"][0] + begun["airtime_ns"][0]
    span_s = (two_hops.events["time_ns"][-1] - two_hops.events["time_ns"][0]) / 1e9
    amount, unit, _ = page.locator("#rate").inner_text().split(" ", 2)
    speed = float(amount) * {"ms": 1e-3, "s": 1}[unit]
    assert 60 <= span_s / speed <= 180


def test_without_silences_it_opens_with_the_first_data(opened: Opened, two_hops: Result) -> None:
    frames = two_hops.events.filter(event="transmit", content="tcp-data")
    shown = shown_ns(opened(two_hops))
    assert 0 < shown - frames["time_ns"][0] < frames["airtime_ns"][0]


@pytest.mark.parametrize("width", WIDTHS)
def test_with_twenty_silent_flows_the_map_keeps_its_room(width: int, opened: Opened) -> None:
    flow = CAUSES["flows"][0]
    many = {"flows": [flow | {"flow": number} for number in range(20)]}
    page = opened(multihop.run(MOVING, set={"duration_s": 9}, events=True), width, causes=many)
    high = page.evaluate("window.innerHeight")
    assert page.locator("#stage").bounding_box()["height"] >= 0.3 * high
    assert page.locator("footer").bounding_box()["height"] <= 0.45 * high
    name, bands = (
        page.locator(f".lane .{each}").first.bounding_box() for each in ("name", "bands")
    )
    assert name["x"] + name["width"] <= bands["x"]
    line = page.locator("#timeline canvas").bounding_box()
    assert (line["x"], line["width"]) == pytest.approx((bands["x"], bands["width"]), abs=1)


def test_a_cause_looks_the_same_on_every_page_and_like_no_flow(
    opened: Opened, two_hops: Result
) -> None:
    looks: dict[str, set[str]] = {}
    flows = set()
    silence = CAUSES["flows"][0]["silences"][0]
    for names in (CAUSES_KNOWN, CAUSES_KNOWN[::-1], CAUSES_KNOWN[5:]):
        causes = [silence["causes"][0] | {"cause": name} for name in names]
        told = [CAUSES["flows"][0] | {"silences": [silence | {"causes": causes}]}]
        page = opened(two_hops, causes={"flows": told})
        for band in page.locator("#bands .band:not(.silence)").all():
            look = "e => getComputedStyle(e).backgroundImage + getComputedStyle(e).backgroundColor"
            looks.setdefault(band.inner_text(), set()).add(band.evaluate(look))
        swatch = page.locator("#flows .swatch").first
        flows.add(swatch.evaluate("e => getComputedStyle(e).backgroundColor"))
    assert all(len(found) == 1 for found in looks.values())
    assert len(set().union(*looks.values())) == len(looks) == len(CAUSES_KNOWN)
    assert not any(colour in look for found in looks.values() for look in found for colour in flows)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_key_covers_no_node(width: int, opened: Opened, two_hops: Result) -> None:
    page = opened(two_hops, width)
    page.locator("#key summary").click()
    stage, key = (page.locator(each).bounding_box() for each in ("#stage", "#key"))
    beside = key["x"] >= stage["x"] + stage["width"]
    assert beside or key["y"] >= stage["y"] + stage["height"]


def test_the_map_shows_the_instant(opened: Opened, two_hops: Result) -> None:
    page = opened(two_hops)
    pixels = "document.getElementById('map').toDataURL()"
    images = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        drawn(page)
        images.append(page.evaluate(pixels))
    assert all(a != b for a, b in itertools.pairwise(images))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    drawn(page)
    assert page.evaluate(pixels) == images[2]
