"""`multihop run --schemes`: schemes side by side on the same networks."""

import json
from pathlib import Path

import multihop
from tests.conftest import Called

MESH = """
title = "mesh [/dense]"
duration_s = 6
topology = { kind = "random", nodes = 12, area_m = [600, 400], connected = true }
flows = [{ kind = "ftp", source = "random", destination = "random", count = 2 }]
"""
NULL = "from multihop import AodvPolicy\nclass Mine(AodvPolicy):\n    pass\n"


def test_schemes_are_compared_on_the_same_networks(tmp_path: Path, called: Called) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    (tmp_path / "mine.py").write_text(NULL)
    command = ("run", "mesh.toml", "--schemes", "aodv,dcar,mine.py:Mine", "--seeds", "4")
    said = called(*command, "--json", "-")
    assert said.returncode == 0, said.stderr
    told = json.loads(said.stdout)
    assert told["seeds"] == [1, 2, 3, 4]
    aodv, dcar, mine = told["schemes"]
    assert (aodv["reading"], dcar["reading"], mine["reading"]) == (None, "ccar/ns2-stock", None)
    alone = [
        multihop.run(tmp_path / "mesh.toml", scheme="dcar", seed=seed).json["flows"]
        for seed in told["seeds"]
    ]
    totals = [sum(flow["goodput_bps"] for flow in flows) for flows in alone]
    assert dcar["total_goodput_bps"]["values"] == totals
    ratio = sum(totals) / sum(aodv["total_goodput_bps"]["values"])
    assert abs(dcar["total_goodput_bps"]["ratio"]["value"] - ratio) < 1e-12
    # AODV as the policy's base has another transport than the named scheme.
    assert aodv["total_goodput_bps"]["ratio"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    shown = called(*command)
    assert "ratio to aodv" in " ".join(shown.stdout.split())
    assert "mine.py:Mine" in shown.stdout
    assert shown.stdout.startswith("mesh [/dense]: seeds 1 to 4\n")
    assert "routing packets packets" not in shown.stdout


def test_what_goes_with_one_scheme_alone_is_refused(tmp_path: Path, called: Called) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    for more, told in [
        (("--schemes", "aodv,,dsr"), "must be names joined by commas"),
        (("--schemes", "aodv,aodv"), "'aodv' appears twice"),
        (("--schemes", "aodv", "--scheme", "dsr"), "--schemes stands in place of --scheme"),
        (("--schemes", "aodv,dsrr"), "did you mean 'dsr'?"),
        (("--schemes", "aodv", "--trace", "t.parquet"), "--schemes goes with --seed"),
    ]:
        said = called("run", "mesh.toml", *more)
        assert (said.returncode, told in said.stderr) == (2, True), said.stderr
