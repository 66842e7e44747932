"""What each house gets: good links give all, a link that hardly carries nothing."""

import json
from pathlib import Path

import numpy as np
import pytest

from multihop.sites import live_video, uses, video_on_demand
from multihop.sites.days import GB_PER_MONTH, PROFILE, Demand
from tests.conftest import Called

MESH = """
title = "three houses"
duration_s = 46
profile = "standard"
[topology]
kind = "positions"
positions_m = [[0, 0], [50, 0], [0, 50], [50, 50]]
names = ["tower", "near", "far", "cut off"]
[radio]
reception = "sinr"
propagation = "measured"
gains_db = [[0, 1, -80], [1, 2, -104.5]]
fading = "rayleigh"
coherence_s = 1e-3
[mac]
phy = "802.11n"
streams = 1
rate = "minstrel"
rts_threshold_bytes = "inf"
[routing]
scheme = "babel"
[[flows]]
kind = "web"
source = "near"
destination = "tower"
start_s = 16
"""


def test_a_house_gets_what_its_links_carry(tmp_path: Path, called: Called) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    said = called("service", "mesh.toml", "--seeds", 3, "--json", "-")
    assert said.returncode == 0, said.stderr
    told = json.loads(said.stdout)
    assert (told["gateway"], told["seeds"]) == (0, 3)
    near, far, cut = told["houses"]
    assert near["calls"]["mean"] == near["pages"]["mean"] == 1
    assert far["calls"]["mean"] < 0.4
    assert far["pages"]["mean"] < 0.9
    # The mean of all three houses, as they have the same seeds.
    mean = sum(house["calls"]["mean"] for house in (near, far, cut)) / 3
    assert told["all"]["calls"]["mean"] == pytest.approx(mean)
    assert told["all"]["calls"]["low"] <= mean <= told["all"]["calls"]["high"]
    # Three seeds in which nothing came: 0 of 3, by Wilson's formula 1.96^2 / (3 + 1.96^2) at most.
    assert (
        cut["calls"]
        == cut["pages"]
        == {"mean": 0, "low": 0, "high": pytest.approx(0.5615, abs=1e-4)}
    )


def test_the_table_has_the_worst_house_first(tmp_path: Path, called: Called) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    said = called("service", "mesh.toml", "--seeds", 2)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    houses = [
        line.split("(")[0].strip(" 0123456789") for line in lines if " to " in line and "(" in line
    ]
    assert ({*houses[:2]}, houses[2:]) == ({"cut off", "far"}, ["near", "all houses"])
    assert "3 calls of 10 s a seed" in " ".join(said.stdout.split())


def arriving(*rates_bps: float, step_s: float = 0.1) -> list[tuple[float, float]]:
    """What arrives at these rates, ten seconds each."""
    steps = round(10 / step_s)
    return [
        (round((k * steps + n + 1) * step_s, 6), rate)
        for k, rate in enumerate(rates_bps)
        for n in range(steps)
    ]


def test_a_player_begins_stalls_and_goes_on_as_by_hand() -> None:
    assert live_video.played(arriving(3e6, 3e6), 0, 20) == pytest.approx(1, abs=0.01)
    assert live_video.played(arriving(0, 0), 0, 20) == 0
    assert live_video.played(arriving(3e6), 0, 5) is None
    # At half the rate 6 s are there after 12 s and last 12 s; then 4 s of each 8 s are shown.
    half = arriving(1.5e6, 1.5e6, 1.5e6, 1.5e6)
    assert live_video.played(half, 0, 40) == pytest.approx((12 + 4 + 4) / 34, abs=0.02)
    # 10 s come, are shown until 16 s, then nothing is there; from 20 s on twice the rate brings a
    # segment in 1 s, and it plays for 9 s to the end.
    assert live_video.played(arriving(3e6, 0, 6e6), 0, 30) == pytest.approx((10 + 9) / 24, abs=0.01)


def test_a_video_is_fetched_ahead_and_every_stall_counts() -> None:
    assert video_on_demand.CHUNKS.read_text() == video_on_demand.chunks()
    # Chunks of 2 s, two each second: begins with the third, after 1.5 s, and never waits.
    fast = [10 + 0.5 * (k + 1) for k in range(40)]
    assert video_on_demand.watched(fast, 10, 40) == video_on_demand.Watched(1.5, 0, 0.0)
    # The fourth comes 1 s after the third has been shown: one stall.
    late = [11.0, 12.0, 13.0, 20.0, 20.0, *range(21, 60)]
    seen = video_on_demand.watched(late, 10, 40)
    assert seen == video_on_demand.Watched(3.0, 1, 1.0)
    assert not seen.plays
    # Nothing after the third: it stands from 19 s to the end.
    assert video_on_demand.watched([11.0, 12.0, 13.0, None], 10, 40) == video_on_demand.Watched(
        3.0, 1, 21.0
    )
    # An outage of 20 s passes unseen with 30 s in the buffer.
    outage = [10 + 0.2 * (k + 1) for k in range(15)] + [33.0] * 15
    assert video_on_demand.watched(outage, 10, 50) == video_on_demand.Watched(
        pytest.approx(0.6), 0, 0.0
    )
    # A begin after 10 s is too late, and a run must leave those.
    slow = video_on_demand.watched([16.0, 20.0, 21.0, *[21.5] * 30], 10, 60)
    assert slow == video_on_demand.Watched(11.0, 0, 0.0)
    assert not slow.plays
    assert video_on_demand.watched([None, None, None], 10, 40) == video_on_demand.Watched(
        None, 0, 0.0
    )
    assert video_on_demand.watched([], 10, 19) is None


def test_a_video_on_a_good_link_plays_and_a_download_has_its_own_time(
    tmp_path: Path, called: Called
) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    asks = ("service", "mesh.toml", "--seeds", 2, "--test", "video", "--test", "live")
    asks = (*asks, "--test", "download")
    said = called(*asks, "--within", 3, "--json", "-")
    assert said.returncode == 0, said.stderr
    near, far, cut = json.loads(said.stdout)["houses"]
    assert {*near} == {"node", "video", "live", "download"}
    assert near["video"]["mean"] == 1
    assert 0.5 < near["video"]["begins_after_s"] < 5  # 18 Mbit at a few Mbit/s or more
    assert near["video"]["stalls"] == near["video"]["stalled_s"] == 0
    assert near["live"]["mean"] > 0.99
    assert near["download"]["mean"] == 1
    assert far["video"]["mean"] == 0
    assert far["live"]["mean"] < 0.9
    assert cut["video"]["mean"] == cut["live"]["mean"] == cut["download"]["mean"] == 0
    assert cut["video"]["begins_after_s"] is None
    shown = " ".join(called(*asks, "--within", 0.01).stdout.split())
    assert "100 MB in 0.01 min" in shown
    assert (
        "100 (34 to 100) 100 (34 to 100) 0 (0 to 66)" in shown
    )  # near plays it, and 100 MB take longer
    assert "a live video, played when 6 s are there" in shown


def test_100_mb_are_awaited_as_long_as_they_may_take() -> None:
    test = uses.download(10)
    (flow,) = test.flows(1, 0, 15.0, 4)
    assert (flow["bytes"], flow["source"], flow["destination"]) == (1e8, 0, 1)
    assert test.lasts_s == 600
    for told, wanted in (({"completion_s": 599.0}, 1), ({}, 0)):
        own = {"name": "service of a house", **told}
        assert test.value({"flows": [own, {"completion_s": 1.0}]}) == wanted


def test_a_drawn_day_has_the_load_of_its_hour() -> None:
    demand = Demand()
    # 453 GB in 30 days, on the mean of all hours; by hand 453 x 8000 / 2592 kbit/s.
    rates = [demand.rate_bps(hour) for hour in range(24)]
    assert sum(rates) / 24 == pytest.approx(GB_PER_MONTH * 8e6 / 2592, rel=1e-9)
    assert rates[22] / rates[7] == pytest.approx(0.993 / 0.195)
    days = [demand.day(range(30), seed) for seed in range(400)]
    hours = np.bincount([day.hour for day in days], minlength=24) / len(days)
    share = sum(PROFILE[18:]) / sum(PROFILE)
    assert hours[18:].sum() == pytest.approx(share, abs=0.075)  # three standard errors
    evening = [Demand(hour=22).day(range(30), seed).videos for seed in range(400)]
    mean = 30 * rates[22] / live_video.RATE_BPS
    assert np.mean(evening) == pytest.approx(mean, abs=3 * (mean / 400) ** 0.5)


def test_a_day_is_the_same_for_all_houses_but_for_their_own() -> None:
    demand = Demand(hour=21)
    day, fewer = demand.day(range(1, 9), 5), demand.day((2, 4), 5)
    assert fewer.starts_s == {house: day.starts_s[house] for house in (2, 4)}
    flows = day.flows(0, 15)
    assert len(flows) == day.videos
    busy = next(house for house, starts in day.starts_s.items() if starts)
    others = day.flows(0, 15, but=busy)
    assert others == [flow for flow in flows if flow["destination"] != busy]
    assert len(others) < len(flows)


def test_drawn_days_take_the_place_of_the_scenarios_load(tmp_path: Path, called: Called) -> None:
    (tmp_path / "mesh.toml").write_text(MESH.replace("-104.5", "-95"))
    asks = ("service", "mesh.toml", "--seeds", 2, "--test", "pages", "--hour", 22)
    told = {}
    for gigabytes in (0, 10_000):
        said = called(*asks, "--demand", gigabytes, "--json", "-")
        assert said.returncode == 0, said.stderr
        told[gigabytes] = json.loads(said.stdout)
    assert told[0]["days"] == [{"hour": 22, "videos": 0}] * 2
    assert all(day["videos"] > 30 for day in told[10_000]["days"])
    assert told[0]["houses"][1]["pages"]["mean"] > 0.8
    assert told[10_000]["houses"][1]["pages"]["mean"] < 0.5
    shown = " ".join(called(*asks, "--demand", 0).stdout.split())
    assert "Mean of 2 days" in shown
    assert "beside drawn days at 22 o'clock, when 0.0 videos of 3 Mbit/s are on" in shown


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (("--gateway", "church"), "--gateway: no node is called 'church'"),
        (("--set", "duration_s=20"), "must leave 10 s after the first flow's start for a call"),
        (("--seeds", "1"), "1 is not in the range"),
        (("--hour", "21"), "--hour needs --demand GB"),
        (("--within", "5"), "--within needs --test download"),
        (("--demand", "453", "--hour", "24"), "24 is not in the range"),
        (("--test", "films"), "'films' is not one of"),
        (("--set", "flows.0.source=random", "--set", "flows.0.destination=random"), "--gateway"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    option: tuple[str, ...], says: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    said = called("service", "mesh.toml", *option)
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert says in line
