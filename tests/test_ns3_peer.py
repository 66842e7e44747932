"""What the ns-3 driver is given, and ns-3 itself where it is installed."""

from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop import Result
from multihop.peers import ns3
from multihop.results import delivered
from multihop.validation import radios

SCENARIO: dict[str, Any] = {
    "duration_s": 11.5,
    "topology": {"kind": "chain", "hops": 2, "spacing_m": 200},
    "routing": {"scheme": "aodv"},
    "transport": {"scheme": "newreno", "segment_bytes": 1000, "window_segments": 4},
    "flows": [{"kind": "ftp", "source": 0, "destination": 2, "start_s": 1, "stop_s": 11}],
}


def result(**sections: Any) -> Result:
    return multihop.run({**SCENARIO, **sections}, seed=3)


def test_driver_gets_the_scenario(tmp_path: Path) -> None:
    told = dict(text.removeprefix("--").split("=") for text in ns3.arguments(result(), tmp_path))
    assert Path(told["nodes"]).read_text() == "0.0 0.0\n200.0 0.0\n400.0 0.0\n"
    assert Path(told["flows"]).read_text() == "0 2 1.0 11.0 0 0\n"
    assert (told["data"], told["control"]) == ("DsssRate2Mbps", "DsssRate1Mbps")
    assert (told["segment"], told["window"], told["seed"]) == ("1000", "4", "3")
    assert float(told["receive"]) == pytest.approx(-64.375, abs=1e-3)
    assert float(told["sense"]) == pytest.approx(-78.072, abs=1e-3)


@pytest.mark.parametrize(
    ("sections", "says"),
    [
        ({"routing": {"scheme": "dsr"}}, "routing.scheme = 'dsr'"),
        ({"transport": {"scheme": "reno"}}, "transport.scheme = 'reno'"),
        ({"topology": {"kind": "links", "nodes": 3, "links": [[0, 1], [1, 2]]}}, "explicit links"),
        ({"mac": {"data_rate_bps": 3e6}}, "3e+06 bit/s"),
        ({"mac": {"phy": "802.11g", "data_rate_bps": 11e6}}, "mac.phy = '802.11g'"),
        ({"mac": {"phy": "802.11b", "rate": "arf"}}, "mac.rate = 'arf'"),
        (
            {"radio": {"reception": "sinr"}, "mac": {"phy": "802.11ax", "band_ghz": 2.4}},
            "mac.band_ghz = 2.4",
        ),
        ({"mac": {"phy": "802.11b", "preamble": "short"}}, "mac.preamble = 'short'"),
        ({"radio": {"propagation": "log-distance"}}, "radio.propagation = 'log-distance'"),
        ({"radio": {"propagation": "free-space"}}, "radio.propagation = 'free-space'"),
        (
            {"mobility": {"kind": "random-waypoint", "area_m": [400, 100]}},
            "mobility.kind = 'random-waypoint'",
        ),
    ],
)
def test_what_the_driver_has_not_got_is_refused(
    sections: dict[str, Any], says: str, tmp_path: Path
) -> None:
    with pytest.raises(ns3.UnsupportedError) as error:
        ns3.arguments(result(**sections), tmp_path)
    assert says in str(error.value)


def test_a_table_driven_routing_goes_with_its_attributes(tmp_path: Path) -> None:
    """ns-3 sends at the interval, ours earlier by a jitter of half a second at most."""
    olsr = {"scheme": "olsr", "hysteresis": False, "hello_interval_s": 2.25, "max_jitter_s": 0.5}
    kill = {"kind": "node-kill", "node": 1, "at_s": 5}
    options = ns3.arguments(result(routing=olsr, events=[kill]), tmp_path)
    told = dict(text.removeprefix("--").split("=", 1) for text in options)
    assert told["routing"] == "olsr"
    assert told["attributes"] == "HelloInterval=2.0s,TcInterval=4.75s"
    assert told["kills"] == "1:5.0"


@pytest.mark.parametrize(
    ("routing", "says"),
    [
        ({"scheme": "olsr"}, "routing.hysteresis = True; it has False"),
        (
            {"scheme": "dsdv", "update_jitter": 0},
            "routing.triggers_on_sequence = False; it has True",
        ),
    ],
)
def test_rules_that_ns3_has_not_got_are_refused(
    routing: dict[str, Any], says: str, tmp_path: Path
) -> None:
    with pytest.raises(ns3.UnsupportedError) as error:
        ns3.arguments(result(routing=routing), tmp_path)
    assert says in str(error.value)


def test_a_folder_without_ns3_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ns3.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(ns3.FailedError, match="no Python package ns3"):
        ns3.package()


def test_the_driver_has_802_11b_with_the_long_preamble(tmp_path: Path) -> None:
    fast = result(mac={"phy": "802.11b"})
    told = dict(text.removeprefix("--").split("=") for text in ns3.arguments(fast, tmp_path))
    assert (told["data"], told["control"]) == ("DsssRate11Mbps", "DsssRate1Mbps")


def test_todays_radios_get_routes_and_frames_of_one_size(tmp_path: Path) -> None:
    scenario = radios.scenarios()["chain-802.11a-24-udp-2hop"]
    given = ns3.arguments(multihop.run(scenario, seed=1), tmp_path)
    told = dict(text.removeprefix("--").split("=") for text in given)
    routes = {
        tuple(map(int, line.split())) for line in Path(told["routes"]).read_text().splitlines()
    }
    # Node, destination, next hop, place of the interface.
    hops = {(0, 1, 1), (0, 2, 1), (1, 0, 0), (1, 2, 2), (2, 1, 1), (2, 0, 1)}
    assert routes == {(*hop, 0) for hop in hops}
    assert told["segment"] == "1472"
    assert (told["standard"], told["data"], told["rts"]) == ("80211a", "OfdmRate24Mbps", "4692480")
    # Free space over 1 m at 5.18 GHz.
    assert float(told["referenceLoss"]) == pytest.approx(46.735, abs=0.01)


@pytest.mark.skipif(ns3.package() is None, reason=ns3.INSTALL_HINT)
def test_ns3_delivers_about_what_we_do(tmp_path: Path) -> None:
    package = ns3.package()
    assert package is not None
    ours = result()
    run = ns3.run(ns3.build(package, tmp_path), ours)
    assert run.delivered[0] == pytest.approx(delivered(ours.json["flows"][0]), rel=0.2)
    assert run.events > 10_000
