"""`multihop plan`: what is changed, that the same seeds compare it, and what it names."""

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from multihop import scenario
from multihop.cli.plan import _verdict
from multihop.sites import candidates, path_loss, planner, uses
from multihop.sites.candidates import Candidate
from multihop.sites.planner import Effort, Plan, Ranked, plan
from multihop.sites.service import Asked
from multihop.statistics import Estimate
from tests.conftest import Called
from tests.test_service import MESH

SHORT = MESH.replace("duration_s = 46", "duration_s = 27")
ROOFS = "id,lat,lon\nroof,51.0003,12.0003\ncellar,51.0001,12.0004\n"
NODES = """name,x_m,y_m,lat,lon
tower,0,0,51,12
near,50,0,51,12.000712
far,0,50,51.00045,12
cut off,50,50,51.00045,12.000712
"""
LINKS = """from,to,gain_db
roof,tower,-80
roof,far,-80
cellar,tower,-108
cellar,far,-80
"""
EFFORT = ["--start", 3, "--limit", 6]


@pytest.mark.parametrize(
    ("low", "says"),
    [(0.02, "Take roof: 95 % sure"), (-0.02, "roof leads, but may not help at all: 95 % sure")],
)
def test_a_lead_that_may_be_chance_is_said(low: float, says: str) -> None:
    value = Estimate(0.5, 0.4, 0.6, 10, 10)
    rows = [
        Ranked(Candidate("roof", "router"), value, Estimate(0.1, low, 0.2, 10, 10), None),
        Ranked(Candidate("as it is", "as it is"), value, None, 10),
    ]
    found = SimpleNamespace(
        effort=Effort(), ranked=rows, test=uses.CALLS, runs=60, seeds=10, decided=True
    )
    assert _verdict(cast(Plan, found)).startswith(says)


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    """Three houses, of which one hardly gets anything, and two places for a router."""
    (tmp_path / "mesh.toml").write_text(SHORT)
    (tmp_path / "roofs.csv").write_text(ROOFS)
    (tmp_path / "links.csv").write_text(LINKS)
    return tmp_path / "mesh.toml"


def asked(text: str) -> Asked:
    return Asked.of(scenario.load(text))


def test_a_router_gets_a_place_a_name_and_its_links() -> None:
    base = asked(SHORT)
    one = candidates.Candidate("near", "router", (25.0, 25.0), {0: -80.0, 2: -90.0})
    changed = one.applied(base.scenario, base.scenario["flows"], None, 1)
    assert changed["topology"]["names"][4] == "near'"  # one of that name is there
    assert changed["topology"]["positions_m"][4] == [25.0, 25.0]
    assert changed["radio"]["gains_db"][-2:] == [[0, 4, -80.0], [2, 4, -90.0]]
    assert len(base.scenario["topology"]["positions_m"]) == 4


def test_a_dish_makes_one_link_stronger_each_way() -> None:
    base = asked(SHORT.replace("[1, 2, -104.5]]", "[1, 2, -104.5], [2, 1, -101]]"))
    first, second = candidates.links(base.scenario, base.nodes, 10)
    assert (first.label, second.label) == ("tower - near +10 dB", "near - far +10 dB")
    gains = second.applied(base.scenario, [], None, 1)["radio"]["gains_db"]
    assert gains == [[0, 1, -80.0], [1, 2, -94.5], [2, 1, -91.0]]


def test_a_grid_leaves_out_places_beside_nodes() -> None:
    places = [one.place_m for one in candidates.grid(asked(SHORT).scenario, 25)]
    assert (25.0, 25.0) in places
    assert (0.0, 0.0) not in places
    assert len(places) == 9 - 4


def test_shadowing_to_a_node_is_the_same_wherever_the_router_is() -> None:
    found = path_loss.PathLoss(-40.0, 3.0, 8.0, 10, 10)
    near, far = ([(0, (0.0, 0.0)), (1, (100.0, 0.0))] for _ in range(2))
    here, there = found.drawn((10.0, 0.0), near, 5), found.drawn((20.0, 0.0), far, 5)
    assert here[0] - there[0] == pytest.approx(30 * math.log10(2), abs=0.02)
    assert found.drawn((10.0, 0.0), near, 6) != here


def test_path_loss_is_found_although_weak_links_are_in_no_map() -> None:
    generator = np.random.default_rng(3)
    places = [(float(x), float(y)) for x, y in generator.uniform(0, 300, (40, 2))]
    real = path_loss.PathLoss(-40.0, 3.2, 6.0, 0, 0)
    gains = {}
    for a in range(40):
        for b in range(a):
            gain = real.gain_db(math.dist(places[a], places[b])) + 6 * generator.standard_normal()
            if gain > -105:
                gains[b, a] = min(gain, -80.0)  # the end of the scale
    found = path_loss.fitted(places, gains)
    assert found is not None
    assert found.exponent == pytest.approx(3.2, abs=0.35)
    assert found.sigma_db == pytest.approx(6, abs=0.8)
    assert found.gain_db(100) == pytest.approx(real.gain_db(100), abs=1)
    assert path_loss.fitted(places[:2], {(0, 1): -80.0}) is None


def test_the_roof_that_helps_is_named_and_values_are_kept(mesh: Path, called: Called) -> None:
    text = mesh.read_text().replace(
        "positions_m = [[0, 0], [50, 0], [0, 50], [50, 50]]\n"
        'names = ["tower", "near", "far", "cut off"]',
        'file = "nodes.csv"',
    )
    (mesh.parent / "nodes.csv").write_text(NODES)
    mesh.write_text(text)
    options = [
        "--at",
        "roofs.csv",
        "--at",
        "links.csv",
        "--house",
        "far",
        *EFFORT,
        "--keep",
        "values.jsonl",
    ]
    said = called("plan", mesh.name, *options, "--json", "-", "--map", "map.png")
    assert said.returncode == 0, said.stderr
    told = json.loads(said.stdout)
    assert (told["decided"], told["houses"], told["runs"] > 0) == (True, [2], True)
    best = told["candidates"][0]
    assert best["label"] == "roof"
    assert best["place_m"] == pytest.approx([21.1, 33.4], abs=0.3)
    assert best["value"]["mean"] == 1
    assert best["gain"]["mean"] > 0.4
    others = {one["label"]: one["eliminated_after"] for one in told["candidates"][1:]}
    assert others == {"as it is": 3, "cellar": 3}
    assert (mesh.parent / "map.png").stat().st_size > 5000
    again = called("plan", mesh.name, *options, "--json", "-")
    assert json.loads(again.stdout) == {**told, "runs": 0}
    shown = " ".join(called("plan", mesh.name, *options).stdout.split())
    assert "Take roof: 95 % sure if it leads by 10 points; 0 runs, 3 seeds" in shown
    other = called("plan", mesh.name, *options, "--worst")
    assert other.returncode == 2
    assert "--keep values.jsonl: is of another plan" in other.stderr


def test_another_setting_sees_the_same_draws() -> None:
    """With random ends, which one more router would change; as it is, all is the same."""
    text = SHORT.replace('source = "near"', 'source = "random"')
    base = asked(text)
    source = scenario.load(text)
    same = candidates.setting(source, {}, "mac.cw_max", "1023")  # its default
    other = candidates.Candidate("deaf", "router", (1.0, 1.0), {})
    found = plan(
        base, [same, other], objective="goodput", houses=[1], effort=Effort(start=2, limit=2),
        workers=1,
    )  # fmt: skip
    values = {row.candidate.label: row.value.value for row in found.ranked}
    assert len(values) == 3
    assert len({round(value, 6) for value in values.values()}) == 1
    assert values["deaf"] > 100


def test_a_dish_lets_a_far_house_see_a_video() -> None:
    base = asked(SHORT)
    dishes = candidates.links(base.scenario, base.nodes, 20)
    found = plan(
        base, dishes, objective="live", houses=[2], effort=Effort(start=2, limit=2), workers=1
    )
    values = {row.candidate.label: row.value.value for row in found.ranked}
    assert values["near - far +20 dB"] > 0.9
    assert values["as it is"] == values["tower - near +20 dB"] == 0


def test_what_it_has_is_told_after_ctrl_c(
    mesh: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_tasks, calls = planner.run_tasks, []

    def interrupting(*arguments: object, **options: object) -> object:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return run_tasks(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(planner, "run_tasks", interrupting)
    said = called("plan", mesh.name, "--dish", 20, "--house", "far", "--start", 20, "--workers", 1)
    assert said.returncode == 130
    assert "Undecided (interrupted)" in " ".join(said.stdout.split())
    assert "interrupted: this is of" in said.stderr


def test_the_bound_of_one_house_stands_beside_what_it_gets(tmp_path: Path, called: Called) -> None:
    chain = """duration_s = 14
[topology]
kind = "chain"
hops = 2
spacing_m = 200
[[flows]]
kind = "web"
source = 2
destination = 0
start_s = 1
"""
    (tmp_path / "chain.toml").write_text(chain)
    said = called(
        "plan", "chain.toml", "--at", "200,100", "--try", "mac.data_rate_bps=1e6", "--house", 2,
        "--objective", "goodput", "--start", 2, "--limit", 3, "--bound", "--json", "-",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    told = json.loads(said.stdout)
    assert told["unit"] == "kbit/s"
    rows = {one["label"]: one for one in told["candidates"]}
    assert rows["mac.data_rate_bps=1e6"]["gain"]["high"] < 0
    for row in rows.values():
        assert row["value"]["mean"] < row.get("bound_kbps", math.inf)
    assert "bound_kbps" in rows["as it is"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "say what may be changed: --at, --grid, --dish or --try"),
        (("--dish", 10, "--house", "tower"), "--house: no house is called 'tower'"),
        (("--dish", 10, "--start", 9, "--limit", 5), "--start 9: must not be above --limit 5"),
        (("--dish", 10, "--bound"), "--bound: is of --objective goodput alone"),
        (("--try", "mac.cw_mix=7"), "did you mean"),
        (("--dish", 10, "--map", "roofs.pdf"), "--map roofs.pdf: must end in .png or .svg"),
        (("--dish", 10, "--keep", "no/values"), "no"),
        (("--dish", 10, "--bound", "--objective", "goodput"), "--bound: needs radio.reception"),
        (("--try", "mac"), "--try mac: must be KEY=VALUE"),
        (("--try", "duration_s=5"), "--try duration_s=5: can't be tried"),
        (("--grid", 1), "makes more than 500 places"),
        (("--grid", 500), "leaves no place"),
        (("--grid", 25), "too few links were measured to know those of a router"),
        (("--at", "1,2", "--at", "1,2"), "two candidates are called '1,2'"),
        (("--at", "roofs.csv"), "the scenario's file of positions has no columns lat and lon"),
        (("--at", "nothing.csv"), "nothing.csv"),
        (("--at", "links.csv"), "links.csv: has no place that the scenario has not"),
        (("--at", "mesh.toml"), "mesh.toml"),
        (("--dish", 10, "--keep", "mesh.toml"), "is no file of a plan's values"),
        (("--dish", 10, "--set", "radio.propagation=free-space"), "radio"),
    ],
)
def test_what_cannot_be_planned_is_one_line(
    options: tuple[object, ...], says: str, mesh: Path, called: Called
) -> None:
    said = called("plan", mesh.name, *options)
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert says in line
