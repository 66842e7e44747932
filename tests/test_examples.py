"""The examples that come with the package."""

import pytest

import multihop
from multihop import catalogue


@pytest.mark.parametrize("name", [name for name, _ in catalogue.scenarios()])
def test_every_example_runs_and_sends(name: str) -> None:
    result = multihop.run(catalogue.scenario_file(name), set={"duration_s": 21})
    assert result.json["mac"]["data_sent"] > 0
