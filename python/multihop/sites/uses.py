"""What a house does to find out what it gets: calls, pages, a video, a download.

Each `Test` is flows on top of a scenario's own, and what a run says of how they went.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multihop.recording import Recording
from multihop.sites import live_video, video_on_demand

GOOD_MOS = 3.6
"""Of a call: R of 70, from which on many users are satisfied (ITU-T G.107, table B.1)."""
SOON_S = 3.0
CALL_S = 10.0
DOWNLOAD_BYTES, DOWNLOAD_MINUTES = 100e6, 10.0
_READING_S = 5.0
_TEST = "service of a house"
Run = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Test:
    """What a house does on top of the scenario's load, and how well it went."""

    unit: str
    """Of the value; empty for a share, 0 to 1."""
    what: str
    flows: Callable[[int, int, float, int], list[dict[str, Any]]]
    """For a house, the gateway, a start [s] and a number of calls that there is time for."""
    value: Callable[[Run], float | None]
    """Of a run; None if nothing could be judged."""
    record: Recording | None = None
    """What a run has to record for it."""
    details: Callable[[Run], Mapping[str, float | None]] | None = None
    """More of a run, with the unit in each name."""
    lasts_s: float | None = None
    """From the start to the end of its runs; as long as the scenario's where absent."""


def _own(run: Run) -> list[Mapping[str, Any]]:
    """The test's flows in a run."""
    return [flow for flow in run["flows"] if flow.get("name") == _TEST]


def _calls(house: int, gateway: int, begin_s: float, calls: int) -> list[dict[str, Any]]:
    return [
        {
            "kind": "voice", "name": _TEST, "source": ends[0], "destination": ends[1],
            "start_s": begin_s + k * CALL_S, "stop_s": begin_s + (k + 1) * CALL_S,
        }
        for k in range(calls)
        for ends in ((house, gateway), (gateway, house))
    ]  # fmt: skip


def _pages(house: int, gateway: int, begin_s: float, _calls: int) -> list[dict[str, Any]]:
    page = {"kind": "web", "source": house, "destination": gateway, "reading_s": _READING_S}
    return [{**page, "name": _TEST, "start_s": begin_s}]


def _bulk(house: int, gateway: int, begin_s: float, _calls: int) -> list[dict[str, Any]]:
    return [
        {"kind": "ftp", "name": _TEST, "source": gateway, "destination": house, "start_s": begin_s}
    ]


def _video(house: int, gateway: int, begin_s: float, _calls: int) -> list[dict[str, Any]]:
    return [{**video_on_demand.flow(gateway, house, begin_s), "name": _TEST}]


def _live(house: int, gateway: int, begin_s: float, _calls: int) -> list[dict[str, Any]]:
    return [{**live_video.flow(gateway, house, begin_s), "name": _TEST}]


def _good(run: Run) -> float:
    """The share of calls that are good both ways."""
    scores = [float(flow["voice"]["mos"] or 0) for flow in _own(run)]
    both = [min(pair) for pair in zip(scores[::2], scores[1::2], strict=True)]
    return float(sum(score >= GOOD_MOS for score in both) / len(both))


def _soon(run: Run) -> float | None:
    """The share of pages that came soon, of those that had the time for it."""
    judged = [
        time_s is not None and time_s <= SOON_S
        for flow in _own(run)
        if "transfers" in flow
        for start_s, time_s in zip(
            flow["transfers"]["start_s"], flow["transfers"]["time_s"], strict=True
        )
        if time_s is not None or start_s + SOON_S <= flow["stop_s"]
    ]
    return sum(judged) / len(judged) if judged else None


def _kbps(run: Run) -> float:
    """What the bulk transfer got."""
    return float(sum(flow["goodput_bps"] for flow in _own(run)) / 1e3)


def _watched(run: Run) -> video_on_demand.Watched | None:
    """How the video went."""
    (flow,) = _own(run)
    chunks = flow["transfers"]
    arrived_s = [
        None if time_s is None else start_s + time_s
        for start_s, time_s in zip(chunks["start_s"], chunks["time_s"], strict=True)
    ]
    return video_on_demand.watched(arrived_s, flow["start_s"], flow["stop_s"])


def _plays(run: Run) -> float | None:
    """Whether the video plays to the end."""
    seen = _watched(run)
    return None if seen is None else float(seen.plays)


def _stalls(run: Run) -> dict[str, float | None]:
    """When the video begins, and its stalls if it does."""
    seen = _watched(run)
    if seen is None or seen.begins_after_s is None:
        return dict.fromkeys(("begins_after_s", "stalls", "stalled_s"))
    return {
        "begins_after_s": seen.begins_after_s,
        "stalls": float(seen.stalls),
        "stalled_s": seen.stalled_s,
    }


def _played(run: Run) -> float | None:
    """The share of the time that the video plays."""
    (flow,) = _own(run)
    rows = run["series"]["flows"]
    own: Sequence[tuple[float, float]] = [
        (time_s, goodput_bps)
        for number, time_s, goodput_bps in zip(
            rows["flow"], rows["time_s"], rows["goodput_bps"], strict=True
        )
        if number == flow["id"]
    ]
    return live_video.played(own, flow["start_s"], flow["stop_s"])


def download(minutes: float) -> Test:
    """Whether 100 MB come in so many minutes, for which its runs last."""

    def flows(house: int, gateway: int, begin_s: float, _calls: int) -> list[dict[str, Any]]:
        ends = {"source": gateway, "destination": house, "start_s": begin_s}
        return [{"kind": "file", "name": _TEST, "bytes": DOWNLOAD_BYTES, **ends}]

    def value(run: Run) -> float:
        (flow,) = _own(run)
        return float(flow.get("completion_s") is not None)

    return Test("", f"100 MB in {minutes:g} min", flows, value, lasts_s=minutes * 60)


CALLS = Test("", "good calls", _calls, _good)
PAGES = Test("", f"pages within {SOON_S:g} s", _pages, _soon)
VIDEO = Test(
    "", f"a {live_video.RATE_BPS / 1e6:g} Mbit/s video plays", _video, _plays, details=_stalls
)
LIVE = Test(
    "", f"time a live video of {live_video.RATE_BPS / 1e6:g} Mbit/s plays", _live, _played,
    Recording(series_interval_s=live_video.STEP_S),
)  # fmt: skip
GOODPUT = Test("kbit/s", "goodput of a download", _bulk, _kbps)
TESTS = {"calls": CALLS, "pages": PAGES, "video": VIDEO, "live": LIVE, "goodput": GOODPUT}
"""What a plan can have houses get more of, by the name that a person gives it."""
