"""The measured mesh that is shipped: its gains give the deliveries that they were derived from."""

import csv
import math

import pytest

import multihop
from multihop import catalogue, engine

SCENARIO = catalogue.scenario_folder() / "freifunk-leipzig.toml"
FLOW = {
    "kind": "cbr",
    "source": 0,
    "destination": 1,
    "packet_bytes": 100,
    "rate_bps": 100 * 8 * 40,
    "start_s": 1,
}
LEAST_GAIN_DB = -82 - 20
"""Of a frame that is noticed, at the power of the scenario."""


def links() -> list[dict[str, str]]:
    """The lines of the file."""
    with SCENARIO.with_suffix(".csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_each_gain_gives_the_delivery_that_was_measured() -> None:
    for link in links():
        # A Rayleigh fade leaves an exponentially distributed power.
        least_over_mean = 10 ** ((LEAST_GAIN_DB - float(link["gain_db"])) / 10)
        assert math.exp(-least_over_mean) == pytest.approx(float(link["delivery"]), abs=0.006)


@pytest.mark.parametrize("delivery", [0.5, 0.859])
def test_frames_arrive_as_often_as_was_measured(delivery: float) -> None:
    gain_db = next(
        float(link["gain_db"])
        for link in links()
        if abs(float(link["delivery"]) - delivery) < 0.011
    )
    scenario = {
        "duration_s": 101,
        "profile": "standard",
        "topology": {"kind": "positions", "positions_m": [[0, 0], [50, 0]]},
        "radio": {
            "reception": "sinr",
            "propagation": "measured",
            "gains_db": [[0, 1, gain_db]],
            "fading": "rayleigh",
            "coherence_s": 1e-3,
        },
        "mac": {
            "phy": "802.11n",
            "band_ghz": 2.4,
            "data_rate_bps": 6e6,
            "rts_threshold_bytes": "inf",
            "long_retry_limit": 1,
            "short_retry_limit": 1,
        },
        "routing": {"scheme": "static"},
        "link": {"arp": False},
        "flows": [FLOW],
    }
    run = multihop.run(scenario, seed=1).json
    share = run["flows"][0]["received_packets"] / run["mac"]["data_sent"]
    assert run["mac"]["data_sent"] == 4000
    # Three standard deviations of 4000 draws are 0.024 at most; deliveries are a hundredth apart.
    assert share == pytest.approx(delivery, abs=0.035)


def test_the_mesh_runs_over_its_links() -> None:
    run = multihop.run(SCENARIO, seed=1).json
    assert all(flow["mean_hops"] > 1 for flow in run["flows"] if flow["mean_hops"])
    assert sum(flow["acked_segments"] for flow in run["flows"]) > 100


def test_shadowed_gains_are_the_formula_and_a_normal_number() -> None:
    nodes, side_m, deviation_db = 120, 50.0, 6.0
    scenario = {
        "duration_s": 1.1,
        "topology": {"kind": "random", "nodes": nodes, "area_m": [side_m, side_m]},
        "radio": {
            "reception": "sinr",
            "propagation": "log-distance",
            "path_loss_exponent": 3,
            "shadowing_db": deviation_db,
            "transmit_power_dbm": 30,
            "sense_range_m": 2000,
        },
        "mac": {"phy": "802.11a"},
        "routing": {"scheme": "static"},
        "flows": [FLOW],
    }
    run = multihop.run(scenario, seed=3)
    places = run.json["positions_m"]
    gains = {
        (a, b): gain_db
        for a, b, gain_db in engine.gains_db(engine.to_json(scenario), syntax="json", seed=3)
    }
    over_a_metre_db = 20 * math.log10(4 * math.pi * 5.18e9 / 299_792_458)
    extras = []
    for (a, b), gain_db in gains.items():
        assert gains[b, a] == gain_db
        by_distance_db = -over_a_metre_db - 30 * math.log10(math.dist(places[a], places[b]))
        extras.append(gain_db - by_distance_db)
    assert len(extras) == nodes * (nodes - 1), "no link is too weak to count"
    pairs = len(extras) / 2
    mean = sum(extras) / len(extras)
    deviation = math.sqrt(sum((extra - mean) ** 2 for extra in extras) / len(extras))
    # Four standard errors.
    assert mean == pytest.approx(0, abs=4 * deviation_db / math.sqrt(pairs))
    assert deviation == pytest.approx(deviation_db, abs=4 * deviation_db / math.sqrt(2 * pairs))


@pytest.mark.parametrize(
    ("scenario", "says"),
    [
        (
            {"topology": {"kind": "chain", "hops": 1}},
            'radio.reception: must be "sinr" for the gains of links',
        ),
        (
            {
                "radio": {"reception": "sinr"},
                "mac": {"phy": "802.11a"},
                "topology": {"kind": "random", "nodes": 4, "area_m": [100, 100]},
                "mobility": {"kind": "random-waypoint", "area_m": [100, 100]},
            },
            'mobility.kind: must be "static" for the gains of links',
        ),
    ],
)
def test_gains_need_powers_and_places_that_stay(scenario: dict[str, object], says: str) -> None:
    with pytest.raises(multihop.ScenarioError) as error:
        engine.gains_db(
            engine.to_json({"duration_s": 2, **scenario, "flows": [FLOW]}), syntax="json"
        )
    assert says in str(error.value)
