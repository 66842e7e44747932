"""Running from Python, and results as data frames."""

import json
import pickle
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multihop
from multihop.recording import Recording
from multihop.results import Result
from multihop.scenario import load, to_toml
from tests.conftest import CHAIN


def test_a_scheme_that_changes_what_the_scenario_sets_warns(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(CHAIN + "\n[transport]\nwindow_segments = 3\n")
    changed = r"^dsr sets transport.window_segments = 32 \(file: 3\)$"
    with pytest.warns(multihop.OverrideWarning, match=changed):
        multihop.run(file, scheme="dsr")
    multihop.run(file, scheme="dsr", set={"transport.window_segments": 4})
    multihop.run(CHAIN, scheme="dsr")


def without_clock(result: multihop.Result) -> dict[str, object]:
    """The result's JSON without the wall-clock time."""
    tables = json.loads(json.dumps(result.json))
    del tables["engine"]["build_s"], tables["engine"]["wall_s"]
    return tables


def test_same_seed_same_result_other_seed_another() -> None:
    first, again, other = (multihop.run(CHAIN, seed=seed) for seed in (5, 5, 6))
    assert without_clock(first) == without_clock(again)
    assert first.json["flows"] != other.json["flows"]


def test_path_text_and_mapping_are_the_same_scenario(chain: Path) -> None:
    results = [multihop.run(source) for source in (chain, str(chain), CHAIN, tomllib.loads(CHAIN))]
    assert all(without_clock(result) == without_clock(results[0]) for result in results)


def test_a_result_can_be_run_again_from_itself() -> None:
    first = multihop.run(CHAIN, seed=8, set={"transport.window_segments": 4})
    again = multihop.run(first.scenario, seed=first.seed)
    assert first.version == multihop.__version__
    assert without_clock(first)["flows"] == without_clock(again)["flows"]


def test_many_runs_come_in_the_order_of_their_seeds() -> None:
    seen = []
    results = multihop.run_many(CHAIN, seeds=[4, 2, 9], workers=2, finished=seen.append)
    assert [result.seed for result in results] == [4, 2, 9]
    assert sorted(result.seed for result in seen) == [2, 4, 9]
    assert results[1].json["flows"] == multihop.run(CHAIN, seed=2).json["flows"]


def test_views_are_polars_frames() -> None:
    result = multihop.run(CHAIN, record=Recording(series_interval_s=0.5, queues=[0, 1], links=True))
    assert result.flows["id"].to_list() == [0]
    assert result.flows["destination"].item() == 2
    assert result.mac["rts_sent"] > 0
    assert result.routing["packets_sent"] > 0
    assert result.queue["drops"] >= 0
    assert result.series.columns == ["flow", "time_s", "sequence", "cwnd", "goodput_bps"]
    assert result.series["time_s"].is_sorted()
    assert set(result.queues["node"]) == {0, 1}
    assert {"flow", "from", "to", "packets"} == set(result.links.columns)
    assert ((result.links["from"] - result.links["to"]).abs() == 1).all()


def test_nothing_recorded_gives_empty_tables() -> None:
    result = multihop.run(CHAIN)
    for frame in (
        result.series,
        result.queues,
        result.links,
        result.routes,
        result.paths,
        result.frames,
    ):
        assert frame.is_empty()
        assert frame.columns


def test_bad_scenarios_raise_scenario_error() -> None:
    with pytest.raises(multihop.ScenarioError, match="sede"):
        multihop.run(CHAIN.replace("seed", "sede"))
    with pytest.raises(multihop.ScenarioError, match="did you mean 'shortest-path-aodv'"):
        multihop.run(CHAIN, scheme="shortest-path-aod")
    with pytest.raises(multihop.ScenarioError):
        multihop.run_many(CHAIN, seeds=range(3), set={"no.such": 1})
    assert issubclass(multihop.ScenarioError, ValueError)


def test_an_error_has_its_parts() -> None:
    with pytest.raises(multihop.ScenarioError) as in_file:
        multihop.run(CHAIN.replace("hops = 2", "hops = 0"))
    with pytest.raises(multihop.ScenarioError) as in_mapping:
        multihop.run(tomllib.loads(CHAIN.replace("hops = 2", "hops = 0")))
    error = in_file.value
    assert (error.line, error.key) == (7, "topology.hops")
    assert str(error) == f"line 7: topology.hops: {error.fault}"
    error = in_mapping.value
    assert (error.line, error.key, error.fault) == (None, "topology.hops", in_file.value.fault)
    again = pickle.loads(pickle.dumps(in_file.value))
    assert (again.line, again.key, str(again)) == (7, "topology.hops", str(in_file.value))


def test_values_laid_over_a_scenario_keep_their_types() -> None:
    mac = {"short_retry_limit": float("inf"), "rts_threshold_bytes": np.int64(99)}
    settings = {"mac": mac, "radio.capture_db": "inf", "title": "two words"}
    scenario = multihop.run(CHAIN, set=settings).scenario
    assert scenario["mac"]["short_retry_limit"] == scenario["radio"]["capture_db"] == "inf"
    assert scenario["mac"]["rts_threshold_bytes"] == 99
    assert scenario["title"] == "two words"


def test_what_progress_raises_ends_the_run() -> None:
    class Enough(Exception):
        pass

    def stop(share: float) -> None:
        assert 0.0 <= share <= 1.0
        raise Enough

    with pytest.raises(Enough):
        multihop.run(CHAIN.replace("11", "1000000"), progress=stop)


def test_a_movement_file_is_looked_for_beside_its_scenario(tmp_path: Path) -> None:
    path = tmp_path / "moving.toml"
    path.write_text('[topology]\nkind = "setdest"\nfile = "moves.tcl"\n')
    assert load(path).overrides == [("topology.file", str(tmp_path / "moves.tcl"))]


KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
LEAVES = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
VALUES = st.recursive(LEAVES, lambda v: st.lists(v) | st.dictionaries(KEYS, v), max_leaves=20)


@given(st.dictionaries(KEYS, VALUES))
def test_mappings_survive_the_way_through_toml(scenario: dict[str, object]) -> None:
    assert tomllib.loads(to_toml(scenario)) == scenario


def told_of(result: Result) -> dict[str, Any]:
    """All of a result but how long it took."""
    return {**result.json, "engine": None}


def test_what_to_record_is_asked_for_of_a_run() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'frame'"):
        multihop.run(CHAIN, frame=True)
    with pytest.raises(ValueError, match="observe is for studies"):
        multihop.run(CHAIN, record=Recording(observe=["channel"]))
