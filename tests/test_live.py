"""A run that is watched while it goes on: parts of its record, and the page that takes them."""

from __future__ import annotations

import http.client
import re
import shlex
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import multihop
from multihop import Result, catalogue
from multihop.emulation import Network
from multihop.events import Passage
from multihop.playback import Live, live
from tests.conftest import CHAIN, Called
from tests.test_emulation import PING
from tests.test_replay_browser import DECODED

_PARTS = 7


class Staged:
    """A run that is over, told as if it went on: a part at each look, once it is let go on."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.may_go_on = threading.Semaphore(0)
        self._told = 0

    def look(self) -> Passage | None:
        """The next part."""
        if self._told == _PARTS:
            return None
        if not self.may_go_on.acquire(timeout=20):
            return None
        self._told += 1
        events = self.result.events
        begin, end = ((self._told - each) * events.height // _PARTS for each in (1, 0))
        until_s = int(events["time_ns"][end - 1]) / 1e9
        # A flow is known from its first packet on.
        known = self.result.json["flows"] if self._told > 1 else []
        return Passage(until_s, events[begin:end], [dict(flow) for flow in known])


@pytest.fixture(scope="module")
def run() -> Result:
    return multihop.run(
        catalogue.scenario_file("moving-50"), scheme="dsr", set={"duration_s": 4}, events=True
    )


@pytest.fixture
def visited(browser: Any) -> Iterator[Any]:
    """Opens the page of a live run, and gathers what goes wrong."""
    said: list[str] = []
    context = browser.new_context()

    def open_page(url: str) -> Any:
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url)
                if not request.url.startswith(url) else None)  # fmt: skip
        page.goto(url)
        return page

    yield open_page
    context.close()
    # Browsers report what tells a page that the run is over.
    assert [text for text in said if not text.startswith("Failed to load resource")] == []


def becomes_true(page: Any, expression: str) -> None:
    for _ in range(300):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never: {expression}")


def asked(live: Live, path: str, host: str | None = None) -> tuple[int, bytes]:
    name, port = re.fullmatch(r"http://(.*):(\d+)/", live.url).groups()  # type: ignore[union-attr]
    connection = http.client.HTTPConnection(name, int(port), timeout=30)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.mark.slow("replays a record part by part")
def test_the_parts_come_to_the_whole_record(run: Result, visited: Any) -> None:
    staged = Staged(run)
    with Live(Result({**run.json, "flows": []}), staged.look) as live:
        page = visited(live.url)
        staged.may_go_on.release()
        page.wait_for_selector("html[data-replay=ready]")
        assert page.locator("#flows tbody tr").count() == 0
        assert page.locator("#live").get_attribute("aria-pressed") == "true"
        staged.may_go_on.release(_PARTS - 1)
        page.wait_for_selector("#live", state="hidden")
        found = page.evaluate(DECODED)
        flows = page.locator("#flows tbody tr").count()
    # The page has no use for the interface.
    for name, expected in run.events.drop("interface").to_dict().items():
        assert found[name] == expected.to_list(), name
    assert flows == len(run.json["flows"])


def test_a_page_keeps_up_until_the_reader_goes_elsewhere(run: Result, visited: Any) -> None:
    staged = Staged(run)
    with Live(run, staged.look) as live:
        staged.may_go_on.release(3)
        page = visited(live.url)
        page.wait_for_selector("html[data-replay=ready]")

        def ends_at(parts: int) -> str:
            last = run.events["time_ns"][parts * run.events.height // _PARTS - 1]
            return f"window.replay.clock.end >= {last} - 1000"

        behind = "window.replay.clock.end - window.replay.clock.time"
        becomes_true(page, ends_at(3))
        assert page.evaluate(behind) <= 1e9
        page.keyboard.press("Home")
        page.wait_for_selector("#live[aria-pressed=false]")
        staged.may_go_on.release(2)
        becomes_true(page, ends_at(5))
        assert not page.evaluate("window.replay.clock.live")
        page.locator("#live").click()
        assert page.evaluate(behind) <= 1e9
        staged.may_go_on.release(_PARTS)


def test_what_comes_late_is_answered_when_it_is_there(run: Result) -> None:
    staged = Staged(run)
    with Live(run, staged.look) as live:
        threading.Timer(0.5, staged.may_go_on.release).start()
        begun = time.monotonic()
        status, part = asked(live, "/part/0")
        assert status == 200
        assert int.from_bytes(part[:4], "little") < len(part)
        assert time.monotonic() - begun >= 0.4
        staged.may_go_on.release(_PARTS)
        assert [asked(live, f"/part/{number}")[0] for number in (_PARTS - 1, _PARTS)] == [200, 404]


def test_old_parts_are_forgotten_and_a_page_starts_after_them(
    run: Result, visited: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_ROWS", run.events.height // 3)
    staged = Staged(run)
    staged.may_go_on.release(_PARTS)
    with Live(run, staged.look) as served:
        assert asked(served, f"/part/{_PARTS}")[0] == 404
        assert asked(served, "/part/0")[0] == 410
        page = visited(served.url)
        page.wait_for_selector("html[data-replay=ready]")
        page.wait_for_selector("#live", state="hidden")
        assert 0 < page.evaluate("window.replay.record.length") <= run.events.height // 3


def test_only_this_machine_is_answered_by_its_own_name(run: Result) -> None:
    staged = Staged(run)
    staged.may_go_on.release(_PARTS)
    with Live(run, staged.look) as live:
        assert live.url.startswith("http://127.0.0.1:")
        assert asked(live, "/")[0] == 200
        for path in ("/", "/part/0"):
            assert asked(live, path, "elsewhere.org")[0] == 403
        for path in ("/part/x", "/part/-1", "/../etc/passwd", "/part/99999999999"):
            assert asked(live, path)[0] == 404


def test_who_says_nothing_is_hung_up_on_and_keeps_nobody_from_an_answer(
    run: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live._Handler, "timeout", 0.3)
    staged = Staged(run)
    staged.may_go_on.release(_PARTS)
    with Live(run, staged.look) as served:
        host, port = served.hosts[0].split(":")
        silent = [socket.create_connection((host, int(port)), timeout=20) for _ in range(60)]
        silent[1].sendall(b"GET / HTTP/1.1\r\n")
        assert asked(served, "/part/0")[0] == 200
        for connection in silent:
            assert connection.recv(1) == b""
            connection.close()


@pytest.mark.needs("emulation")
def test_looks_at_an_emulation_come_to_its_record() -> None:
    with Network(CHAIN, set={"duration_s": 30}, events=True) as net:
        assert net.plan.json["flows"] == []
        program = net[0].popen(
            [*PING, net[2].address, "--count", "20", "--interval", "0.05"],
            stdout=subprocess.DEVNULL,
        )
        parts = []
        while program.poll() is None:
            parts.append(net.look())
            time.sleep(0.1)
        net.sleep(0.2)
        parts.append(net.look())
    assert net.look() is None
    known = [part for part in parts if part is not None]
    flows = known[-1].flows
    assert [(flow["source"], flow["destination"]) for flow in flows] == [(0, 2), (2, 0)]
    assert [flow["delivered_segments"] for flow in flows] == [
        flow["delivered_segments"] for flow in net.result.json["flows"]
    ]
    rows = sum(part.events.height for part in known)
    whole = net.result.events
    last_ns = int(known[-1].until_s * 1e9) - 10_000_000
    assert whole.filter(whole["time_ns"] < last_ns).height <= rows <= whole.height
    assert all(part.events["time_ns"].is_sorted() for part in known)


@pytest.mark.needs("emulation")
def test_the_command_tells_where_the_page_is(called: Called) -> None:
    said = called(
        "emulate", catalogue.scenario_file("six-hops"), "--live", "--exec", 0,
        shlex.join([*PING, "10.0.0.2"]), "--seconds", 2,
    )  # fmt: skip
    assert said.returncode == 0
    assert re.search(r"^multihop: live at http://127\.0\.0\.1:\d+/$", said.stderr, re.MULTILINE)
    with Live(multihop.run(CHAIN), lambda: None) as taken:
        port = taken.url.rstrip("/").rpartition(":")[2]
        said = called("emulate", catalogue.scenario_file("six-hops"), "--live", port)
    assert said.returncode != 0
    assert said.stderr.splitlines()[-1] == f"multihop: --live {port}: Address already in use"
