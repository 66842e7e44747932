"""The published schema takes what the engine takes, and refuses what that refuses."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import multihop
from multihop import catalogue

SCENARIOS = sorted(catalogue.scenario_folder().glob("*.toml"))
CHAIN: dict[str, Any] = {
    "duration_s": 5,
    "topology": {"kind": "chain", "hops": 3},
    "flows": [{"kind": "ftp", "source": 0, "destination": 3}],
}


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(multihop.schema())


@pytest.mark.parametrize("file", SCENARIOS, ids=[file.stem for file in SCENARIOS])
def test_every_scenario_of_the_package_is_valid(
    file: Path, validator: Draft202012Validator
) -> None:
    faults = [fault.message for fault in validator.iter_errors(tomllib.loads(file.read_text()))]
    assert faults == []


def test_every_routing_with_all_its_keys_is_valid_and_no_other_key_is(
    validator: Draft202012Validator,
) -> None:
    schemes = [
        table["properties"]["scheme"]["const"]
        for table in multihop.schema()["$defs"]["Routing"]["oneOf"]
        if "const" in table["properties"]["scheme"]
    ]
    assert {"aodv", "dsr", "dcar", "static"} <= set(schemes)
    for scheme in schemes:
        resolved = multihop.run({**CHAIN, "routing": {"scheme": scheme}}, set={"duration_s": 1})
        for routing in ({"scheme": scheme}, resolved.scenario["routing"]):
            faults = validator.iter_errors({**CHAIN, "routing": routing})
            assert [fault.message for fault in faults] == [], routing
        wrong = {**resolved.scenario["routing"], "nothing": 1}
        assert not validator.is_valid({**CHAIN, "routing": wrong}), scheme
