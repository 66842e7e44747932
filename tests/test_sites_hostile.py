"""Files of strangers in `multihop import`: one line with the place, nothing half written."""

import gzip
import json
import os
import re
import threading
import zipfile
from pathlib import Path

import pytest

from multihop import sites
from multihop.sites import content, zipped
from tests.conftest import Called

SITES_KML = Path(__file__).parent / "sites/sites.kml"
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE kml [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10)).replace("a0", "a")
    + "]><kml><Placemark><name>&a9;</name></Placemark></kml>"
)
OUTSIDE = '<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]><gpx><wpt>&x;</wpt></gpx>'
NODE = '{"node_id": "ID", "hostname": "ID", "location": {"latitude": AT, "longitude": 1}}'


def a_map(latitude: str) -> str:
    """A map whose second node has that latitude."""
    first, second = (
        NODE.replace("ID", name).replace("AT", at) for name, at in (("a", "2"), ("b", latitude))
    )
    return f'{{"nodes": [{first},\n{second}], "links": []}}'


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.kml", LAUGHS, "line 1: has a document type"),
        ("a.gpx", OUTSIDE, "line 1: has a document type"),
        ("a.kml", "<kml>" * 500, "nested more than 100 deep"),
        ("a.kml", "<kml><Placemark>", "line 1: not XML: no element found"),
        ("a.kml", "<svg/>", "is of no known format"),
        ("a.json", "[" * 100_000, "not JSON"),
        ("a.json", '{"nodes": [1, 2', "line 1: not JSON"),
        ("a.json", '{"nodes": NaN, "links": []}', "not JSON that can be read"),
        ("a.json", '{"nodes": {}}', "is of no known format"),
        ("a.json", a_map('"north"'), "line 2: nodes.1.location.latitude: must be a number from"),
        ("a.json", a_map("91"), "must be a number from -90 to 90 degrees (got 91)"),
        ("a.json", a_map("1e999"), "nodes.1.location.latitude: must be a number"),
        ("a.json", a_map("[[]]"), "nodes.1.location.latitude: must be a number"),
        ("a.json", a_map("60"), "is more than 1000 km from the middle"),
        ("a.csv", "lat,lon\n51,12\n51,x\n", "line 3: longitude must be -180 to 180 degrees"),
        ("a.csv", "a,b\n1,2\n", "line 1: must name the columns of nodes"),
        ("a.csv", "id,lat,lon\n1,51,12\n1,51,12\n", "line 3: the id of a line above"),
        ("a.csv", "from,to,tq\na,b,300\n", "line 2: delivery must be 0 to 255"),
        ("a.csv", "x_m,y_m\n1,2\n", "a.csv: needs two nodes with a place or a link (has "),
        ("a.movements", "0 1 2\n0 1 2 5 1\n", "is of no known format"),
        ("a.movements", "0 1 2\n0 1 2 -5 1 1\n", "line 2: times must not go back"),
        ("a.eel", "0.0 nem:1 pathloss nem:2,loud\n", "line 1: must be nem:N,LOSS"),
        ("a.eel", "0.0 nem:1 location gps 51,12,3\nx\n", "line 2: must be TIME nem:N KEYWORD"),
        ("a.txt", "add neighbour 1 address fe80::1 rxcost x txcost 1\n", "line 1: a neigh"),
        ("a.txt", "Table: Links\nLocal IP\tRemote IP\tLQ\tNLQ\n1\t2\t7\t1\n", "line 3: LQ and NLQ"),
        ("a.tcl", "$node_(0) set X_ 1\n$node_(1) set X_ loud\n", "line 2: "),
        ("a.xml", '<fcd-export><timestep time="x"/></fcd-export>', "line 1: time must be a number"),
        ("a.xml", "<fcd-export/>", "has no vehicle"),
        ("a.xml.gz", "<fcd-export/>", "is no gzip file"),
        ("empty", "", "is empty"),
        ("a.bin", "\0\1\2", "is of no known format"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_one_line_with_the_place(
    name: str, text: str, says: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    said = called("import", name, "--out", "town")
    assert (said.returncode, said.stdout) == (2, "")
    (line,) = said.stderr.splitlines()
    assert says in line
    assert len(line) < 400
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_is_no_file_is_not_waited_for(tmp_path: Path, called: Called) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file, says in (
        ("pipe", "no regular file"), ("/dev/zero", "no regular file"), (tmp_path, "directory"),
        ("absent.json", "No such file"),
    ):  # fmt: skip
        said = called("import", file, "--out", "town")
        assert said.returncode == 2
        (line,) = said.stderr.splitlines()
        assert says in line
    assert threading.active_count() == 1


def test_a_bomb_of_gzip_stops_at_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MOST_TEXT_BYTES", 1 << 20)
    monkeypatch.setattr(content, "MOST_STREAM_BYTES", 1 << 20)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"x_m,y_m\n" + b"1,2\n" * 1_000_000))
    (tmp_path / "a.xml.gz").write_bytes(gzip.compress(b"<fcd-export>" + b" " * 4_000_000))
    for name in ("a.csv.gz", "a.xml.gz"):
        with pytest.raises(sites.SiteError, match="unpacks to more than"):
            sites.read(tmp_path / name)


def a_kmz(file: Path, **members: str) -> Path:
    """An archive of these texts; names have a dot for two underscores."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return file


def test_a_kmz_is_the_kml_inside_whatever_its_name(tmp_path: Path) -> None:
    told = SITES_KML.read_text("utf-8")
    packed = tmp_path / "sites.kmz"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("images/roof.png", b"\x89PNG")
        archive.writestr("../../outside.kml", told)
    plain, found = sites.read(SITES_KML), sites.read(packed)
    assert (found.nodes, found.links) == (plain.nodes, plain.links)
    assert [one.name for one in tmp_path.iterdir()] == ["sites.kmz"]


def test_a_kmz_is_bounded_and_a_wrong_one_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = a_kmz(tmp_path / "bomb.kmz", doc__kml=f"<kml>{' ' * 300_000}</kml>")
    whole = bomb.read_bytes()
    assert len(whole) < 1000
    many = a_kmz(tmp_path / "many.kmz", **{f"{k}__kml": "" for k in range(60)})
    at = whole.rfind(b"PK\x05\x06")
    wrong = {
        "unpacks to more than 0 MiB": whole,
        "without a .kml file inside": a_kmz(tmp_path / "x.zip", doc__txt="x").read_bytes(),
        "is no ZIP archive that can be read, or is cut short": whole[:-30],
        "has a directory of more than 0 MiB": many.read_bytes(),
        # The first local header and its entry of the directory say that it is encrypted.
        "is encrypted": whole[:6] + b"\1" + whole[7:].replace(
            b"PK\1\2\x14\3\x14\0\0", b"PK\1\2\x14\3\x14\0\1"
        ),
        "or is a ZIP64": whole[:at] + b"PK\6\7" + b"\0" * 16 + whole[at:],
    }  # fmt: skip
    monkeypatch.setattr(zipped, "MOST_UNPACKED_BYTES", 200_000)
    monkeypatch.setattr(zipped, "_MOST_DIRECTORY_BYTES", 3000)
    for says, content_of in wrong.items():
        file = tmp_path / "a.kmz"
        file.write_bytes(content_of)
        with pytest.raises(sites.SiteError, match=re.escape(says)):
            sites.read(file)


def test_text_of_strangers_is_text(tmp_path: Path, called: Called) -> None:
    names = [
        "\x1b[31mred\x1b[0m", "<script>alert(1)</script>", "line\nbreak\n[mac]", '"""', "=cmd()",
        "random", "x" * 500, "x" * 500, "[/bold]", "\u202egnp.exe", "", "a,b;c\td",
    ]  # fmt: skip
    nodes = [
        {"node_id": f"n{k}", "hostname": name,
         "location": {"latitude": 51 + k / 1e4, "longitude": 12}}
        for k, name in enumerate(names)
    ]  # fmt: skip
    links = [
        {"type": "wifi", "source": "n0", "target": f"n{k}", "source_tq": 1, "target_tq": 1}
        for k in range(1, len(names))
    ]
    (tmp_path / "map.json").write_text(json.dumps({"nodes": nodes, "links": links}))
    said = called("import", "map.json", "--out", "town")
    assert said.returncode == 0, said.stderr
    for text in (said.stdout, (tmp_path / "town" / "scenario.toml").read_text("utf-8")):
        assert not {"\x1b", "\u202e"} & {*text}
    assert "\n=" not in (tmp_path / "town" / "nodes.csv").read_text("utf-8")
    assert "8 names had to be made fit" in said.stdout
    ran = called("run", "town/scenario.toml", "--set", "duration_s=16")
    assert ran.returncode == 0, ran.stderr


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, called: Called) -> None:
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "mine").write_text("mine")
    (tmp_path / "a.csv").write_text("x_m,y_m\n0,0\n9,9\n")
    said = called("import", "a.csv", "--out", "town")
    assert said.returncode == 2
    assert "is there already" in said.stderr
    assert [path.name for path in (tmp_path / "town").iterdir()] == ["mine"]
    assert (
        "no format is called 'kmll'; did you mean kml?"
        in called("import", "a.csv", "--format", "kmll").stderr
    )
    assert (
        "no node that is taken is called gate"
        in called("import", "a.csv", "--gateway", "gate").stderr
    )
