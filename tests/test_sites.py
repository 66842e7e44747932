"""Files of real sites: what each format says, joined, in metres, and as a scenario that runs."""

import csv
import json
import math
import time
import tomllib
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from pyproj import Geod

import multihop
from multihop import catalogue, engine, scenario, sites
from multihop.sites.form import Survey
from multihop.sites.projection import Plane
from multihop.sites.qualities import LOSSLESS, gain_of_delivery, gain_of_rate
from tests.conftest import Called

FILES = Path(__file__).parent / "sites"
MAP = Path(__file__).parents[1] / "examples" / "sites" / "meshviewer.json"


def read(name: str) -> Survey:
    return sites.read(FILES / name)


def deliveries(found: Survey) -> dict[tuple[str, str], float | None]:
    return {
        (link.source, link.target): link.delivery and round(link.delivery, 3)
        for link in found.links
    }


def test_a_map_has_the_gains_that_were_derived_from_it_by_hand() -> None:
    """The package's measured mesh was made from the same map."""
    mesh = sites.joined([sites.read(MAP)])
    made = {(mesh.names[a], mesh.names[b]): gain for a, b, gain, _ in mesh.gains}
    folder = catalogue.scenario_folder()
    with (folder / "freifunk-leipzig-routers.csv").open(encoding="utf-8") as file:
        names = {row["router"]: row["name"] for row in csv.DictReader(file)}
    with (folder / "freifunk-leipzig.csv").open(encoding="utf-8") as file:
        by_hand = {
            (names[row["router"]], names[row["neighbour"]]): float(row["gain_db"])
            for row in csv.DictReader(file)
        }
    assert made.keys() == by_hand.keys()
    # Shares were rounded to a thousandth in the file: 0.996 and 0.997 are 1.2 dB apart.
    assert all(abs(made[link] - by_hand[link]) < 0.7 for link in made)


def test_a_map_leaves_out_what_is_off_line_or_no_radio_and_says_so() -> None:
    found = sites.read(MAP)
    assert (len(found.nodes), len(found.links)) == (26, 104)
    assert dict(found.skipped) == {
        "node off line": 1,
        "link of a node off line": 1,
        "link by cable, through a tunnel or of an unknown kind": 3,
    }
    uplinks = {found.nodes[name].name for name in found.nodes if found.nodes[name].gateway}
    assert uplinks == {"73.14", "alone", "gateway-1"}
    mesh = sites.joined([found])
    assert (len(mesh.names), [mesh.names[k] for k in mesh.gateways]) == (24, ["73.14"])
    assert len(sites.joined([found], everything=True).names) == 26
    assert "removed" not in str(found), "an owner's name"


def test_links_of_a_newer_map_have_their_band(tmp_path: Path) -> None:
    nodes = [{"node_id": one, "hostname": one, "is_online": True} for one in "abc"]
    ends = [
        ("wifi24", "a", "b"),
        ("wifi5", "b", "c"),
        ("wifi24", "a", "missing"),
        ("vpn", "a", "c"),
    ]
    links = [
        {"type": kind, "source": a, "target": b, "source_tq": 0.93, "target_tq": 0.91}
        for kind, a, b in ends
    ]
    file = tmp_path / "map.json"
    file.write_text(json.dumps({"timestamp": "2026-11-27", "nodes": nodes, "links": links}))
    found = sites.read(file)
    assert [link.source + link.target for link in found.links] == ["ab", "ba", "bc", "cb"]
    assert found.skipped["link of a node that is not listed"] == 1


def test_links_of_netjson_may_be_down_or_name_nodes_of_their_own(tmp_path: Path) -> None:
    links = [
        {"source": "a", "target": "b", "cost": 1.0},
        {"source": "b", "target": "c", "cost": 1.3, "properties": {"status": "down"}},
    ]
    graph = {
        "type": "NetworkGraph", "protocol": "OLSR", "version": "0.6.6", "metric": "ETX",
        "nodes": [{"id": "a", "name": "church"}, {"id": "b"}], "links": links,
    }  # fmt: skip
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(graph))
    found = sites.read(file)
    assert [node.name for node in found.nodes.values()] == ["church", "", ""]
    assert (len(found.links), found.skipped["link that is down"]) == (2, 1)
    assert found.remarks == ["1 node named by links alone"]


def test_nodes_and_graph_are_one_mesh() -> None:
    mesh = sites.joined([read("nodes.json"), read("graph.json")])
    assert mesh.names == ["town-hall", "school <b>new</b>", "library"]
    # tq is 1 over the share, the same both ways.
    expected = {(0, 1): 0.8, (1, 0): 0.8, (1, 2): 0.5, (2, 1): 0.5}
    assert {(a, b): gain for a, b, gain, _ in mesh.gains} == pytest.approx(
        {link: gain_of_delivery(share) for link, share in expected.items()}
    )
    assert mesh.gateways == [1]
    x, y = mesh.places_m[2]
    east, north = mesh.places_m[1]
    assert math.dist((x, y), (east, north)) == pytest.approx(15, abs=0.02)


def test_a_tq_may_be_of_1_or_of_255(tmp_path: Path) -> None:
    nodes = [{"node_id": name, "hostname": name} for name in "ab"]
    links = [{"source": "a", "target": "b", "source_tq": 204, "target_tq": 0.5, "type": "wifi"}]
    (tmp_path / "map.json").write_text(json.dumps({"nodes": nodes, "links": links}))
    found = sites.read(tmp_path / "map.json")
    assert deliveries(found) == {("a", "b"): 0.8, ("b", "a"): 0.5}


def test_netjson_costs_mean_what_the_protocol_says() -> None:
    found = read("graph.netjson")
    # ETX 4 is a half each way; NLQ is what arrives there, LQ what arrives here.
    assert deliveries(found) == {
        ("10.0.0.1", "10.0.0.2"): 0.5,
        ("10.0.0.2", "10.0.0.1"): 0.5,
        ("10.0.0.2", "10.0.0.3"): 0.497,
        ("10.0.0.3", "10.0.0.2"): 1.0,
    }
    assert found.routing == "olsr-etx"
    assert found.nodes["10.0.0.1"].place == (41.9, 12.48)


@pytest.mark.parametrize(
    ("protocol", "metric", "cost", "share", "routing"),
    [
        ("batman-adv", "TQ", 1.25, 0.8, "batman"),
        ("babel", None, 512, 0.5, "babel"),
        ("odd", None, 3, None, ""),
    ],
)
def test_netjson_of_other_protocols(
    protocol: str,
    metric: str | None,
    cost: float,
    share: float | None,
    routing: str,
    tmp_path: Path,
) -> None:
    graph = {
        "type": "NetworkGraph", "protocol": protocol, "version": None, "metric": metric,
        "nodes": [{"id": "a"}, {"id": "b"}],
        "links": [{"source": "a", "target": "b", "cost": cost}],
    }  # fmt: skip
    file = tmp_path / "graph.json"
    file.write_text(json.dumps({"type": "NetworkCollection", "collection": [graph]}))
    found = sites.read(file)
    assert deliveries(found) == {("a", "b"): share}
    assert bool(found.skipped) == (share is None)
    assert found.routing == routing


def test_lines_of_geojson_end_in_the_nearest_points() -> None:
    found = read("sites.geojson")
    assert {node.name for node in found.nodes.values()} == {"church", "school", ""}
    # Its coordinates are longitude, latitude; a measured line is one way, any other both.
    assert found.nodes["church"].place == (51.34, 12.37)
    assert deliveries(found) == {
        ("church", "school"): 0.75,
        ("school", "end 1"): None,
        ("end 1", "school"): None,
    }
    assert sum(found.skipped.values()) == 2


def test_placemarks_are_nodes_and_links() -> None:
    found = read("sites.kml")
    assert {name: node.place for name, node in found.nodes.items()} == {
        "church": (51.34, 12.37),
        "school": (51.341, 12.3715),
    }
    assert deliveries(found) == {("church", "school"): None, ("school", "church"): None}
    assert sum(found.skipped.values()) == 1


def test_tracks_of_gpx_move_and_waypoints_stay() -> None:
    found = read("walk.gpx")
    (track,) = found.tracks.values()
    began = track.values[0]
    assert [time_s - began for time_s, *_ in track.points()] == [0, 100, 200]
    mesh = sites.joined([found])
    walker = mesh.names.index("walker")
    church = mesh.places_m[mesh.names.index("church")]
    assert mesh.tracks[walker][0].tolist() == [0, *church]
    # 0.001 degrees of latitude are 111.26 m on the ellipsoid at 51.34 degrees north.
    assert math.dist(mesh.tracks[walker][1][1:], church) == pytest.approx(111.26, abs=0.02)


def test_tables_of_spreadsheets_are_nodes_and_links_by_id_or_name() -> None:
    mesh = sites.joined([read("sites.csv"), read("links.csv")])
    assert mesh.names == ["Kirche", "Schule", "ohne Ort"]
    gains = {(a, b): round(gain, 1) for a, b, gain, _ in mesh.gains}
    assert gains == {(0, 1): -82, (1, 0): -85, (0, 2): round(gain_of_delivery(0.8), 1)}


def test_dumps_of_babeld_know_each_other_by_their_interfaces() -> None:
    mesh = sites.joined([read("roof-a.babeld"), read("roof-b.babeld")])
    assert mesh.names[:2] == ["roof-a", "roof-b"]
    assert (len(mesh.names), mesh.gateways, mesh.routing) == (3, [0], "babel")
    # rxcost is of what comes from the neighbour, 256 over the share; both dumps say the same.
    gains = {(a, b): gain for a, b, gain, _ in mesh.gains}
    assert gains[1, 0] == pytest.approx(gain_of_delivery(256 / 320))
    assert gains[0, 1] == pytest.approx(gain_of_delivery(256 / 512))


def test_txtinfo_and_jsoninfo_say_the_same_of_the_same_links() -> None:
    text, data = (deliveries(read(name)) for name in ("olsr.txt", "olsr.json"))
    assert text == {
        ("10.0.0.1", "10.0.0.2"): 0.498,
        ("10.0.0.2", "10.0.0.1"): 1.0,
        ("10.0.0.2", "10.0.0.3"): 0.6,
        ("10.0.0.3", "10.0.0.2"): 0.8,
    }
    # Without LQ there is the cost, in 1024ths: ETX 4.
    alone = {("10.0.0.3", "10.0.0.5"): 0.5, ("10.0.0.5", "10.0.0.3"): 0.5}
    assert data == text | alone
    assert [n.id for n in read("olsr.txt").nodes.values() if n.gateway] == ["10.0.0.3"]


def test_scans_say_what_one_router_hears() -> None:
    mesh = sites.joined([read("roof-a.scan"), read("roof-a.assoc")])
    assert mesh.names == ["roof-a", "02:ca:00:00:01:02"]
    gains = {(a, b): (gain, kind) for a, b, gain, kind in mesh.gains}
    assert gains == {(1, 0): ((-71 - 58) / 2 - 20, "signal"), (0, 1): (-77 - 20, "rate")}


def test_tracks_of_bonnmotion_are_lines_of_points() -> None:
    found = read("walk.movements")
    assert found.tracks["0"].points().tolist() == [
        [0, 20, 30],
        [10, 50, 70.5],
        [10, 50, 70.5],
        [30, 10, 70.5],
    ]
    assert len(found.nodes) == 3


def test_vehicles_of_sumo_come_turn_and_go() -> None:
    found = read("cars.fcd.xml")
    # What lies on a straight way at one speed is left out.
    track = found.tracks["flow.0"].points().tolist()
    assert track == [[100, -10, 5], [102, 10, 5], [104, 10, 25]]
    assert found.present_s == {"ped": (101, 102)}
    mesh = sites.joined([found])
    assert mesh.tracks[0].tolist() == [[0, 0, 5], [2, 20, 5], [4, 20, 25]]
    texts, _ = sites.written(mesh, sites.Options("cars"))
    events = tomllib.loads("".join(texts["scenario.toml"]))["events"]
    assert [(e["kind"], e["node"], e["at_s"]) for e in events] == [
        ("node-kill", 1, 0), ("node-restore", 1, 1), ("node-kill", 1, 2),
    ]  # fmt: skip


def jagged(kind: str, seconds: int, nodes: int = 2) -> str:
    """Nodes that turn each second, as a file of that kind."""
    places = [
        [(100 + 50 * math.sin(k * second), 100 + 50 * math.cos(k * second)) for k in range(nodes)]
        for second in range(seconds)
    ]
    match kind:
        case "sumo":
            rows = (
                f'<timestep time="{second}.00">'
                + "".join(
                    f'<vehicle id="{k}" x="{x:.2f}" y="{y:.2f}" angle="9.0" type="car" speed="9"/>'
                    for k, (x, y) in enumerate(step)
                )
                + "</timestep>"
                for second, step in enumerate(places)
            )
            return f"<fcd-export>{''.join(rows)}</fcd-export>"
        case "gpx":
            tracks = (
                "<trk><trkseg>"
                + "".join(
                    f'<trkpt lat="{51 + step[k][0] / 1e5:.7f}" lon="{12 + step[k][1] / 1e5:.7f}">'
                    f"<time>2026-05-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
                    "</time></trkpt>"
                    for second, step in enumerate(places)
                )
                + "</trkseg></trk>"
                for k in range(nodes)
            )
            return f"<gpx>{''.join(tracks)}</gpx>"
        case "bonnmotion":
            rows = (
                " ".join(f"{t} {step[k][0]:.3f} {step[k][1]:.3f}" for t, step in enumerate(places))
                for k in range(nodes)
            )
        case "eel":
            rows = (
                f"{t}.0 nem:{k + 1} location cart {x:.3f},{y:.3f},0"
                for t, step in enumerate(places)
                for k, (x, y) in enumerate(step)
            )
        case _:
            starts = [f"$node_({k}) set {axis}_ 100" for k in range(nodes) for axis in "XY"]
            goals = (
                f'$ns_ at {t}.5 "$node_({k}) setdest {x:.3f} {y:.3f} 90"'
                for t, step in enumerate(places)
                for k, (x, y) in enumerate(step)
            )
            rows = (row for part in (starts, goals) for row in part)
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("kind", ["sumo", "gpx", "bonnmotion", "eel", "ns2"])
def test_memory_grows_with_the_run_and_not_with_the_file(kind: str, tmp_path: Path) -> None:
    peaks, texts = [], []
    for seconds in (50, 1000, 3000):  # the first has everything imported
        file = tmp_path / f"{seconds}"
        file.write_text(jagged(kind, seconds))
        tracemalloc.start()
        try:
            mesh = sites.joined([sites.read(file)])
            written = sites.written(mesh, sites.Options("x"))[0]
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        texts.append(["".join(text) for text in written.values()])
    _, short, long = peaks
    # BonnMotion has a whole way on a line, which is held while it is read.
    assert long < short * (2.5 if kind == "bonnmotion" else 1.4)
    _, *texts = texts
    # It is the same run, but for the note on what is left out.
    assert texts[0][0] == texts[1][0]
    assert "the file goes on to 2999" in texts[1][1]
    assert tomllib.loads(texts[1][1])["duration_s"] == 900


def test_what_lies_on_a_straight_way_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "straight.xml"
    steps = (
        f'<timestep time="{t}"><vehicle id="a" x="{10 * t}" y="5" speed="10"/></timestep>'
        for t in range(100)
    )
    file.write_text(f"<fcd-export>{''.join(steps)}</fcd-export>")
    assert sites.read(file).tracks["a"].points().tolist() == [[0, 0, 5], [99, 990, 5]]


def test_vehicles_in_degrees_are_known_by_their_speed(tmp_path: Path) -> None:
    file = tmp_path / "geo.xml"
    steps = (
        f'<timestep time="{k}"><vehicle id="a" x="{12.37 + k * 1e-4}" y="51.34" speed="6.96"/>'
        '<vehicle id="b" x="12.38" y="51.341" speed="0"/></timestep>'
        for k in range(5)
    )
    file.write_text(f"<fcd-export>{''.join(steps)}</fcd-export>")
    found = sites.read(file)
    assert found.in_degrees
    assert found.tracks["a"].points()[0].tolist() == [0, 51.34, 12.37]
    mesh = sites.joined([found])
    assert math.dist(mesh.tracks[0][0][1:], mesh.tracks[0][-1][1:]) == pytest.approx(
        27.87, abs=0.05
    )


def test_a_script_of_core_keeps_its_numbers_as_names() -> None:
    found = read("lab.scen")
    track = found.tracks["6"].points()
    assert track[:, 1:].tolist() == [[180, 228], [180, 228], [300, 178]]
    assert track[-1, 0] == pytest.approx(1 + math.dist((180, 228), (300, 178)) / 25)
    assert found.nodes["7"].place == (216, 348)


def test_an_emulation_log_has_losses_and_places() -> None:
    found = read("range.eel")
    gains = {(link.source, link.target): link.gain_db for link in found.links}
    assert gains == {
        ("nem:1", "nem:2"): -90.0, ("nem:2", "nem:1"): -92.5,
        ("nem:1", "nem:3"): -95.1, ("nem:3", "nem:1"): -97.0,
    }  # fmt: skip
    assert found.nodes["nem:1"].place == (40.031075, -74.523518)
    assert [point[0] for point in found.tracks["nem:2"].points()] == [0, 10]
    assert sum(found.skipped.values()) == 2


@pytest.mark.parametrize(
    ("latitude", "longitude"), [(51.34, 12.37), (0.1, 179.99), (-33.9, -70.6), (78.2, 15.6)]
)
def test_distances_are_those_on_the_ellipsoid(latitude: float, longitude: float) -> None:
    random = np.random.default_rng(7)
    spread = np.array([0.45, 0.45 / math.cos(math.radians(latitude))])  # 50 km to each side
    places = np.array([latitude, longitude]) + random.uniform(-1, 1, (60, 2)) * spread
    places[:, 1] = (places[:, 1] + 180) % 360 - 180
    plane = Plane.around([*map(tuple, places)])
    metres = plane.metres(places)
    geod = Geod(ellps="WGS84")
    for a, b in [(k, (k + 17) % 60) for k in range(60)]:
        true_m = geod.inv(*places[a][::-1], *places[b][::-1])[2]
        assert math.dist(metres[a], metres[b]) == pytest.approx(true_m, rel=5e-5)
        back = plane.degrees(metres[[a]])[0]
        assert geod.inv(*back[::-1], *places[a][::-1])[2] < 1e-3


def test_gains_are_the_formulas_written_out() -> None:
    # exp(-least / mean) with the least at -82 dBm: a mean of -82 dBm gives 1/e.
    assert gain_of_delivery(math.exp(-1)) == pytest.approx(-102)
    assert gain_of_delivery(1) == gain_of_delivery(LOSSLESS) == pytest.approx(-74.92, abs=0.01)
    assert [gain_of_rate(rate) for rate in (65e6, 6.5e6, 20e6)] == [-84, -102, -97]


EVERY = (
    ("nodes.json", "graph.json"), ("graph.netjson",), ("sites.geojson",), ("sites.kml",),
    ("walk.gpx",), ("sites.csv", "links.csv"), ("sites.csv",), ("roof-a.babeld", "roof-b.babeld"),
    ("olsr.txt",), ("olsr.json",), ("roof-a.scan", "roof-a.assoc"), ("walk.movements",),
    ("cars.fcd.xml",), ("lab.scen",), ("range.eel",),
)  # fmt: skip


@pytest.mark.parametrize("files", EVERY, ids=lambda files: files[0])
def test_every_format_becomes_a_scenario_that_runs(
    files: tuple[str, ...], tmp_path: Path, called: Called
) -> None:
    said = called("import", *(FILES / file for file in files), "--out", "town")
    assert (said.returncode, said.stderr) == (0, "")
    assert "Assumed or left out:" in said.stdout
    written = (tmp_path / "town" / "scenario.toml").read_text("utf-8")
    for line in said.stdout.splitlines():
        if line.startswith("- "):
            assert line.split()[-1] in written
    result = multihop.run(tmp_path / "town" / "scenario.toml", set={"duration_s": 21})
    assert len(result.json["positions_m"]) >= 2


def test_places_of_the_file_are_those_of_the_result(tmp_path: Path, called: Called) -> None:
    assert called("import", MAP, "--out", "town").returncode == 0
    with (tmp_path / "town" / "nodes.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    run = multihop.run(tmp_path / "town" / "scenario.toml", set={"duration_s": 16}).json
    assert run["positions_m"] == [[float(row["x_m"]), float(row["y_m"])] for row in rows]
    assert run["scenario"]["topology"]["names"] == [row["name"] for row in rows]
    assert {float(row["lat"]) for row in rows} <= {
        node.place[0] for node in sites.read(MAP).nodes.values() if node.place
    }


def test_five_thousand_nodes_are_imported_in_seconds(tmp_path: Path, called: Called) -> None:
    side, count = 71, 5000
    nodes = [
        {
            "node_id": f"{k:012x}", "hostname": f"router-{k}", "is_online": True,
            "location": {"latitude": 51 + k // side * 1e-3, "longitude": 12 + k % side * 15e-4},
        }
        for k in range(count)
    ]  # fmt: skip
    links = [
        {"type": "wifi", "source": nodes[k]["node_id"], "target": nodes[other]["node_id"],
         "source_tq": 0.9, "target_tq": 0.8}
        for k in range(count) for other in (k + 1, k + side) if other < count
    ]  # fmt: skip
    (tmp_path / "big.json").write_text(json.dumps({"nodes": nodes, "links": links}))
    begun_s = time.process_time()
    said = called("import", "big.json")
    assert said.returncode == 0, said.stderr
    assert "5,000 nodes" in said.stdout
    assert time.process_time() - begun_s < 5


def test_a_map_with_transmit_qualities_runs_batman(tmp_path: Path) -> None:
    assert sites.read(MAP).routing == read("graph.json").routing == "batman"
    bare = json.loads(MAP.read_text("utf-8"))
    for link in bare["links"]:
        link.pop("source_tq", None)
        link.pop("target_tq", None)
    (tmp_path / "bare.json").write_text(json.dumps(bare), "utf-8")
    assert sites.read(tmp_path / "bare.json").routing == ""


def test_the_uplink_and_the_routing_can_be_chosen(tmp_path: Path, called: Called) -> None:
    said = called("import", MAP, "--out", "town", "--gateway", "78.31", "--routing", "olsr-etx")
    assert said.returncode == 0, said.stderr
    source = scenario.load(tmp_path / "town" / "scenario.toml")
    resolved = json.loads(engine.resolve(source.text, source.overrides, syntax=source.syntax))
    assert resolved["flows"][0]["destination"] == 0
    assert (resolved["routing"]["scheme"], resolved["routing"]["metric"]) == ("olsr", "etx")
