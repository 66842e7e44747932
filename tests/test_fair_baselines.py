"""The studies that `multihop new-scheme` writes: the baseline is the scheme's own base."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from multihop import Study
from tests.conftest import Called


def small(file: Path, **tables: Any) -> Study:
    """The null scheme and the baseline of a study, on one small network where nodes move."""
    study = Study.read(file).tables
    schemes = [each for each in study["schemes"] if each["name"] in ("null", study["baseline"])]
    scenario = {
        **study["scenario"],
        "duration_s": 25,
        "topology": {"kind": "random", "nodes": 40, "area_m": [1000, 600], "connected": True},
    }
    movement = {"movement": study["axes"]["movement"]}
    kept = {"title": "t", "question": "q", "baseline": study["baseline"], "axes": movement}
    return Study(
        schemes=schemes, scenario=scenario, scale={"quick": {"networks": 2}}, **kept, **tables
    )


@pytest.mark.parametrize("kind", ["congestion-control", "routing", "dsr"])
def test_a_scheme_that_overrides_nothing_is_its_baseline(
    kind: str, tmp_path: Path, called: Called
) -> None:
    assert called("new-scheme", "mine", "--kind", kind).returncode == 0
    study = small(tmp_path / "mine" / "study.toml")
    results = study.run(tmp_path / "out", workers=2, allow_code=True)
    baseline = study.table.baseline
    assert baseline is not None
    assert results.ratio("goodput_bps", "null", to=baseline).value == 1.0
    null, base = (
        results.runs.filter(scheme=name).drop("scheme").rows() for name in ("null", baseline)
    )
    assert null == base


@pytest.mark.parametrize("kind", ["routing", "dsr", "congestion-control"])
def test_the_scheme_and_its_control_differ_in_nothing_but_the_class(
    kind: str, tmp_path: Path, called: Called
) -> None:
    assert called("new-scheme", "mine", "--kind", kind).returncode == 0
    schemes = tomllib.loads((tmp_path / "mine" / "study.toml").read_text())["schemes"]
    mine, null = (next(s for s in schemes if s["name"] == name) for name in ("Mine", "null"))
    assert str(null["set"]).replace("MineNull", "Mine") == str(mine["set"])
