"""A page that is not there is refused before anything is measured for it."""

import importlib

import pytest
from click.testing import CliRunner


@pytest.mark.parametrize(
    "module",
    [
        "benches.answers",
        "benches.lab",
        "benches.peers",
        "benches.scale",
        "evidence.explain.headlines",
        "evidence.first_five",
        "evidence.witness",
        "evidence.worlds.page",
    ],
)
def test_a_page_that_is_not_there_is_refused_first(module: str) -> None:
    said = CliRunner().invoke(importlib.import_module(module).main, ["--page", "nowhere.md"])
    assert said.exit_code == 2
    assert "nowhere.md' does not exist" in said.output
