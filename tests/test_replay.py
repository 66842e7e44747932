"""Replay: what goes into the page, the command, and that the bundle is made of the sources."""

import hashlib
import itertools
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import multihop
from multihop import Result, Watch, catalogue, traces
from multihop.palette import COLOURS
from multihop.playback.causes import CausesError, checked
from multihop.playback.columns import encode
from multihop.playback.page import page
from tests.conftest import CHAIN, Called

VIEWER = Path(__file__).parents[1] / "viewer"
BUNDLE = Path(multihop.__file__).parent / "playback" / "page"
CAUSES: dict[str, Any] = {
    "flows": [
        {
            "flow": 0,
            "silent_s": 3.0,
            "shares": {"hidden-terminal": 0.5, "rto-backoff": 0.5},
            "silences": [
                {
                    "from_s": 4.0,
                    "to_s": 7.0,
                    "text": "Nothing from 4 to 7 s.",
                    "causes": [
                        {
                            "cause": "hidden-terminal",
                            "from_s": 4.0,
                            "to_s": 5.5,
                            "share": 0.5,
                            "text": "RTS from 0 to 1 unanswered.",
                            "evidence": [
                                {"time_s": 4.2, "what": "RTS lost", "frame": 9, "node": 1},
                            ],
                        },
                        {
                            "cause": "rto-backoff",
                            "from_s": 5.5,
                            "to_s": 7.0,
                            "share": 0.5,
                            "text": "RTO by then 2 s.",
                            "evidence": [],
                        },
                    ],
                }
            ],
        }
    ]
}
"""As `multihop explain --json` writes it."""


def facts_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    facts: dict[str, Any] = json.loads(found[1])
    return facts


def test_the_bundle_is_made_of_the_sources() -> None:
    names = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json"]
    sources = (path for path in (VIEWER / "src").rglob("*.*") if path.is_file())
    names += [
        f"src/{name}" for name in sorted(s.relative_to(VIEWER / "src").as_posix() for s in sources)
    ]
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name}\n".encode() + (VIEWER / name).read_bytes() + b"\n")
    for name in ("replay.js", "replay.css", "../../lab/page/lab.js", "../../lab/page/lab.css"):
        head = (BUNDLE / name).read_text("utf-8").partition("\n")[0]
        assert f"sources {digest.hexdigest()};" in head, f"{name} is older than viewer/: make page"


def test_columns_leave_out_what_other_rows_hold() -> None:
    events = multihop.run(CHAIN, events=True).events
    columns = encode(events)
    counts = {entry["name"]: entry["count"] for entry in columns.layout}
    event = pl.col("event")
    assert counts["event"] == counts["time_ns"] == counts["node"] == events.height
    assert counts["kind"] == events.filter(event == "transmit").height
    own = events.filter(~event.is_in(["receive", "miss"]) & pl.col("peer").is_not_null())
    assert counts["peer"] >= own.height
    assert counts["peer"] < events["peer"].is_not_null().sum()
    assert counts["content"] == counts["origin"] == 0
    assert counts["packets"] == events["packet"].drop_nulls().n_unique()
    assert columns.size == sum(entry["count"] * entry["width"] for entry in columns.layout)
    assert len(zlib.decompress(columns.compressed())) == columns.size


@pytest.mark.slow("records two million events")
def test_a_page_of_two_million_events_is_small_enough() -> None:
    scenario = catalogue.scenario_file("random-200")
    result = multihop.run(scenario, set={"duration_s": 25}, events=Watch(from_s=10))
    assert result.events.height > 200_000
    each = len(page(result)) / result.events.height
    assert each * 2_100_000 < 15e6


def test_receptions_of_frames_outside_the_record_keep_what_is_their_own() -> None:
    whole = multihop.run(CHAIN, events=True).events
    cut = whole.filter(pl.col("event") != "transmit")
    counts = {entry["name"]: entry["count"] for entry in encode(cut).layout}
    assert counts["kind"] == cut.filter(pl.col("event").is_in(["receive", "miss"])).height


@pytest.mark.parametrize("pause_s", [0.0, 4.0])
def test_ways_are_those_that_the_run_recorded(pause_s: float) -> None:
    scenario = catalogue.scenario_file("moving-50")
    changes = {"mobility.pause_s": pause_s, "duration_s": 90}
    result = multihop.run(
        scenario, set=changes, record=multihop.Recording(routes_interval_s=90.0), events=Watch(1, 2)
    )
    found = facts_of(page(result))["ways"]
    assert len(found) == len(result.json["movement"]) == 50
    times = np.linspace(0, 90, 181)
    for way, knots in zip(found, result.json["movement"], strict=True):
        ours, theirs = (np.array(each, dtype=float).reshape(-1, 3).T for each in (way, knots))
        for axis in (1, 2):
            mine = np.interp(times, ours[0], ours[axis])
            assert np.abs(mine - np.interp(times, theirs[0], theirs[axis])).max() < 0.02


def linked(facts: dict[str, Any], at_s: float) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The pairs that can exchange data at a time, and those that sense each other, of a page."""
    nodes = len(facts["ways"])
    found: list[set[tuple[int, int]]] = []
    for name in ("links", "senses"):
        pairs: set[int] = set()
        for time_s, changes in zip(facts["heard"]["times_s"], facts["heard"][name], strict=True):
            if time_s <= at_s:
                pairs ^= set(changes)
        found.append({divmod(pair, nodes) for pair in pairs})
    return found[0], found[1]


def test_links_are_drawn_as_the_engine_has_them(tmp_path: Path) -> None:
    """All within a few metres: what gains say, and when an event cuts it, not what metres do."""
    (tmp_path / "gains.csv").write_text("from,to,gain_db\n0,1,-80\n1,2,-80\n0,2,-135\n")
    scenario = {
        "duration_s": 9,
        "profile": "standard",
        "topology": {"kind": "positions", "positions_m": [[0, 0], [5, 5], [9, 0]]},
        "radio": {
            "reception": "sinr", "propagation": "measured", "file": str(tmp_path / "gains.csv"),
        },
        "mac": {"phy": "802.11g", "data_rate_bps": 6e6},
        "flows": [{"kind": "ftp", "source": 0, "destination": 2, "start_s": 1}],
        "events": [{"kind": "link-cut", "node": 1, "neighbour": 2, "at_s": 5}],
    }  # fmt: skip
    facts = facts_of(page(multihop.run(scenario, events=True)))
    assert (facts["receive_m"], facts["sense_m"]) == (None, None)
    links, senses = linked(facts, 4)
    assert (links, senses) == ({(0, 1), (1, 2)}, {(0, 1), (1, 0), (1, 2), (2, 1)})
    assert linked(facts, 6) == ({(0, 1)}, {(0, 1), (1, 0)})


def test_links_of_moving_nodes_change_as_they_move() -> None:
    result = multihop.run(
        catalogue.scenario_file("moving-50"), set={"duration_s": 20}, events=Watch(1, 2)
    )
    facts = facts_of(page(result))
    for at_s in (0.0, 7.0, 19.5):
        places = np.array(
            [[np.interp(at_s, way[::3], way[axis::3]) for axis in (1, 2)] for way in facts["ways"]]
        )
        apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
        links, senses = linked(facts, at_s)
        for a, b in itertools.combinations(range(50), 2):
            # A quarter of a second at 20 m/s each is 10 m.
            assert abs(apart[a, b] - 250) < 10 or ((a, b) in links) == (apart[a, b] < 250)
            assert abs(apart[a, b] - 550) < 10 or ((a, b) in senses) == (apart[a, b] < 550)


def test_it_says_which_access_there_is() -> None:
    result = multihop.run(CHAIN, set={"mac.access": "ez-flow"}, events=True)
    assert facts_of(page(result))["schemes"].endswith(", ez-flow")


def test_a_record_holds_its_run(tmp_path: Path) -> None:
    result = multihop.run(CHAIN, seed=5, events=Watch(from_s=1, to_s=3))
    file = tmp_path / "e.parquet"
    file.write_bytes(traces.to_parquet(result))
    assert pl.read_parquet(file).equals(result.events)
    read = traces.read(file)
    assert read.json == result.json
    assert read.events.equals(result.events)


def test_a_record_plays_as_its_run_does(called: Called, tmp_path: Path, chain: Path) -> None:
    assert called("run", chain, "--seed", 5, "--trace", "e.parquet").returncode == 0
    assert called("replay", "e.parquet", "--from", 2, "--to", 3, "--out", "a.html").returncode == 0
    said = called("replay", chain, "--seed", 5, "--from", 2, "--to", 3, "--out", "b.html")
    assert (said.returncode, said.stdout.strip()) == (0, "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    read = traces.read(tmp_path / "e.parquet")
    again = multihop.replay(read, tmp_path / "c.html", watch=Watch(from_s=2, to_s=3))
    assert again.read_bytes() == (tmp_path / "a.html").read_bytes()


@pytest.mark.parametrize(
    "watch", [Watch(2, 4), Watch(nodes=(1,)), Watch(flows=(0,)), Watch(3, None, (0, 2), (0,))]
)
def test_a_watch_keeps_of_a_record_what_it_would_have_recorded(watch: Watch) -> None:
    whole = multihop.run(CHAIN, events=True).events
    assert watch.kept(whole).equals(multihop.run(CHAIN, events=watch).events)


def test_the_page_knows_the_network() -> None:
    result = multihop.run(CHAIN, events=True)
    facts = facts_of(page(result))
    rows = {column["name"]: column["count"] for column in facts["columns"]}
    assert rows["event"] == result.events.height
    assert facts["ways"] == [[0, 0, 0], [0, 200, 0], [0, 400, 0]]
    assert (facts["receive_m"], facts["sense_m"]) == (250, 550)
    assert facts["palette"] == list(COLOURS)
    (flow,) = facts["flows"]
    assert (flow["source"], flow["destination"], flow["payload"]) == (0, 2, 1460)
    assert linked(facts, 0)[0] == {(0, 1), (1, 2)}
    named = {
        **result.scenario,
        "topology": {"kind": "links", "nodes": 3, "links": [[0, 1], [1, 2]]},
    }
    facts = facts_of(page(multihop.run(named, events=True)))
    assert linked(facts, 0)[0] == {(0, 1), (1, 2)}
    assert (facts["receive_m"], facts["has_metres"]) == (None, False)


def test_titles_end_neither_elements_nor_scripts() -> None:
    text = "</script><b>bold</b> <!-- record -->"
    html = page(multihop.run(CHAIN, set={"title": text}, events=Watch(1, 2)))
    assert "<b>bold" not in html.partition("<script")[0]
    assert facts_of(html)["title"] == text
    assert html.count("</script>") == 3


def test_causes_are_checked() -> None:
    (flow,) = checked(CAUSES)
    assert flow == checked(json.dumps(CAUSES))[0] == CAUSES["flows"][0]
    for wrong, fault in (
        ({}, "flows: Field required"),
        ("{", "Invalid JSON"),
        ({"flows": [{"flow": 0, "silent_s": 1, "silences": [{"from_s": 1, "text": ""}]}]},
         "flows.0.silences.0.to_s: Field required"),
    ):  # fmt: skip
        with pytest.raises(CausesError, match=re.escape(fault)):
            checked(wrong)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["no.parquet"], "no.parquet: No such file or directory"),
        (["text.parquet"], "text.parquet: no Parquet file, or a damaged one"),
        (["bare.parquet"], "does not say which run it records; write it with multihop run --trace"),
        (["six-hops", "--out", "no/page.html"], "no/page.html: its folder does not exist"),
        (["six-hops", "--causes", "no.json"], "no.json: No such file or directory"),
        (["six-hops", "--to", "2", "--causes", "wrong.json"], "wrong.json: flows: Field required"),
        (["six-hops", "--from", "200"], "six-hops.toml: the record holds no events"),
        (["six-hops", "--node", "99"], "--node: must be a node, 0 to 6 (got 99)"),
        (["e.parquet", "--node", "99"], "--node: must be a node, 0 to 2 (got 99)"),
        (["e.parquet", "--from", "3", "--to", "2"], "--to has to be after --from"),
        (["e.parquet", "--seed", "2"], "e.parquet: the run is recorded already: leave out --seed"),
        (["e.parquet", "--routing", "dsr"], "recorded already: leave out --routing dsr"),
        (["nothing-like-it"], "no scenario that comes along has that name"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(
    arguments: list[str], fault: str, called: Called, tmp_path: Path
) -> None:
    (tmp_path / "text.parquet").write_text("no columns")
    pl.DataFrame({"time_ns": [1]}).write_parquet(tmp_path / "bare.parquet")
    record = multihop.run(CHAIN, set={"duration_s": 2}, events=True)
    (tmp_path / "e.parquet").write_bytes(traces.to_parquet(record))
    (tmp_path / "wrong.json").write_text("{}")
    before = sorted(tmp_path.iterdir())
    said = called("replay", *arguments)
    assert said.returncode == 2
    assert fault in said.stderr
    assert said.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_options_of_a_run_are_refused_for_a_recorded_one() -> None:
    result = multihop.run(CHAIN, events=True)
    with pytest.raises(TypeError, match="leave out seed"):
        multihop.replay(result, seed=3)
    with pytest.raises(ValueError, match="no events were recorded"):
        multihop.replay(Result(result.json))
