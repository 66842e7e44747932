"""The lab page's server: what it reads, changes, runs and refuses."""

import http.client
import json
import threading
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from multihop import ScenarioError, catalogue
from multihop.lab import Lab, Limits, nodes
from multihop.lab.figures import change, missing, more_networks
from multihop.lab.limits import check, read
from multihop.lab.runs import Runs, State
from multihop.lab.server import Asked
from multihop.lab.toml_text import Change, applied, changed
from multihop.study import Study
from tests.conftest import CHAIN

EXAMPLES = [catalogue.scenario_file(name) for name, _ in catalogue.scenarios()]
COMMENTED = """\
# what this is
title = "two hops"   # a title
duration_s = 4.5

[topology]           # where
kind = "positions"
positions_m = [
  [0, 0],      # the church
  [200.0, 0],  # the mill
  [400, 0],
]

[mac]
scheme = "dcf"
# short queues
queue_packets = 5

# the upload
[[flows]]
kind = "ftp"
source = 0
destination = 2

# the call
[[flows]]
kind = "cbr"
source = 2
destination = 0
packet_bytes = 100
rate_bps = 1e4
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    asked = Asked(CHAIN, "chain.toml", tmp_path, limits=Limits(nodes=50, run_s=20))
    with Lab(asked) as server:
        yield server


def asked(lab: Lab, what: str, body: Any = None, method: str = "POST", **headers: str) -> Any:
    """The status and the body of what a page of this address asks for."""
    host = lab.hosts[0]
    known = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
    told = {key.replace("_", "-"): value for key, value in {**known, **headers}.items() if value}
    connection = http.client.HTTPConnection(host, timeout=30)
    path = what if what.startswith("/") else f"/{lab.url.split('/')[3]}/{what}"
    data = None if body is None else json.dumps(body)
    connection.request(method, path, data, told)
    answer = connection.getresponse()
    found = answer.status, answer.read().decode()
    connection.close()
    return found


def said(lab: Lab, what: str, body: Any) -> Any:
    status, text = asked(lab, what, body)
    assert status == 200
    return json.loads(text)


def test_a_change_leaves_all_else_as_it_stands() -> None:
    made = changed(COMMENTED, [Change(("mac", "queue_packets"), 9)])
    assert made.kept
    assert made.text == COMMENTED.replace("queue_packets = 5", "queue_packets = 9")
    made = changed(COMMENTED, [Change(("topology", "positions_m", 1), [210.5, 3])])
    assert made.text == COMMENTED.replace("[200.0, 0],  #", "[210.5, 3],  #")
    made = changed(COMMENTED, [Change(("flows", 0))])
    assert "# the upload" not in made.text
    assert "# the call" in made.text
    assert tomllib.loads(made.text)["flows"][0]["kind"] == "cbr"
    made = changed(COMMENTED, [Change(("mac", "rate"), "arf"), Change(("link", "queue"), "codel")])
    assert 'queue_packets = 5\nrate = "arf"\n' in made.text
    assert made.text.index("[link]") < made.text.index("# the upload")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_changes_say_what_was_meant(path: Path) -> None:
    """Whatever the form of a file, its tables after a change are those that Python would have."""
    text = path.read_text("utf-8")
    tables = tomllib.loads(text)
    count = len(tables["flows"])
    flow = {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 9, "rate_bps": 1e4}
    places = {"kind": "positions", "positions_m": [[k * 1.5, 2] for k in range(40)]}
    for each in (
        Change(("seed",), 7),
        Change(("title",), 'a "b" \\ #'),
        Change(("duration_s",)),
        Change(("mac", "queue_packets"), 9),
        Change(("transport", "window_segments"), 4),
        Change(("routing", "scheme"), "dsr"),
        Change(("topology",), places),
        Change(("radio",)),
        Change(("flows", 0, "transport", "window_segments"), 4),
        Change(("flows", count), flow),
    ):  # fmt: skip
        made = changed(text, [each])
        assert tomllib.loads(made.text) == applied(tables, each)
        assert made.kept, each.path


def test_what_can_not_be_changed_in_place_is_written_anew() -> None:
    text = "flows = [ {kind='ftp'} ] # all\n"
    made = changed(text, [Change(("flows", 1), {"kind": "cbr"})])
    assert tomllib.loads(made.text) == {"flows": [{"kind": "ftp"}, {"kind": "cbr"}]}
    with pytest.raises(KeyError):
        changed(COMMENTED, [Change(("flows", 7, "kind"), "ftp")])


def test_nodes_taken_away_take_their_flows_along_and_number_the_rest_anew() -> None:
    tables = tomllib.loads(COMMENTED)
    places = [[0, 0], [200, 0], [400, 0], [600, 0]]
    tables["topology"]["positions_m"] = places
    tables["events"] = [{"kind": "node-down", "node": 3, "at_s": 1}]
    for each in nodes.removed(tables, places, {1}):
        tables = applied(tables, each)
    assert tables["topology"]["positions_m"] == [[0, 0], [400, 0], [600, 0]]
    assert [(flow["source"], flow["destination"]) for flow in tables["flows"]] == [(0, 1), (1, 0)]
    assert tables["events"][0]["node"] == 2
    for each in nodes.removed(tables, tables["topology"]["positions_m"], {0}):
        tables = applied(tables, each)
    assert "flows" not in tables


def test_a_chain_whose_node_is_moved_becomes_positions(lab: Lab) -> None:
    found = said(lab, "look", {"text": CHAIN, "move": [[1, [200, 50]]]})
    assert (found["fault"], found["kept"]) == (None, True)
    assert found["positions_m"] == [[0, 0], [200, 50], [400, 0]]
    assert found["pairs"] == [[0, 1], [1, 2]]
    assert "start_s = 1\nstop_s = 11" in found["text"]


def test_a_fault_has_its_key_and_the_network_is_drawn_without_flows(lab: Lab) -> None:
    found = said(lab, "look", {"text": CHAIN + "\n[mac]\nqueue_packets = -1\n"})
    assert found["fault"]["key"] == "mac.queue_packets"
    found = said(lab, "look", {"text": CHAIN, "changes": [{"path": ["flows", 0], "value": None}]})
    assert found["fault"]["key"] == "flows"
    assert len(found["positions_m"]) == 3


def test_what_json_has_no_word_for_is_text_and_text_stays_as_it_is(lab: Lab) -> None:
    text = CHAIN.replace('"two hops"', '"Infinity pool"') + "\n[mac]\nqueue_packets = -inf\n"
    tables = said(lab, "look", {"text": text})["tables"]
    assert (tables["title"], tables["mac"]["queue_packets"]) == ("Infinity pool", "-inf")


def test_figures_narrow_and_stand_beside_those_before(lab: Lab) -> None:
    short = CHAIN.replace("11.5", "5.5").replace("stop_s = 11", "stop_s = 5")
    status, text = asked(lab, "run", {"text": short, "networks": 6})
    assert status == 200
    last = json.loads(text.splitlines()[-1])
    (state,) = last["states"]
    assert (last["done"], state["runs"]) == (True, 6)
    alone = state["total_bps"]
    counts = {each["name"]: each["now"] for each in state["counts"]}
    assert counts["mean hops"] == {"mean": 2.0, "half": 0.0}
    assert counts["collisions"]["mean"] > 0 == counts["false link failures"]["mean"]
    assert alone["now"]["half"] < alone["now"]["mean"]
    wider = short.replace("[[flows]]", "[mac]\ndata_rate_bps = 1e6\n\n[[flows]]")
    _, text = asked(lab, "run", {"text": wider, "before": short, "networks": 6})
    (row,) = json.loads(text.splitlines()[-1])["states"][0]["rows"]
    share = row["goodput_bps"]["mean"] / alone["now"]["mean"] - 1
    assert row["change"]["share"] == pytest.approx(share)
    assert row["change"]["share"] + row["change"]["half"] < 0
    assert row["change"]["more"] == 0


def test_a_comparison_has_the_same_seeds_for_all_and_becomes_a_study(
    lab: Lab, tmp_path: Path
) -> None:
    moved = said(lab, "look", {"text": CHAIN, "move": [[1, [200, 9]]]})["text"]
    states = [{"text": CHAIN}, {"text": CHAIN, "scheme": "dsr"}, {"text": moved}]
    asked(lab, "run", {"text": CHAIN, "networks": 5})
    _, text = asked(lab, "compare", {"states": states[:2], "networks": 3})
    assert {state["runs"] for state in json.loads(text.splitlines()[-1])["states"]} == {3}
    made = said(lab, "study", {"states": states, "names": ["a", "b", "a"]})["text"]
    (tmp_path / "s.toml").write_text(made)
    study = Study.read(tmp_path / "s.toml")
    assert [cell.scheme for cell in study.cells("quick")] == ["a", "b", "a 2"]


def test_more_runs_than_precision_needs_are_made_where_they_are_asked_for(lab: Lab) -> None:
    lab.desk.runs.workers = 1
    runs = []
    for least in (0, 15):
        _, text = asked(lab, "run", {"text": CHAIN, "networks": 15, "least": least})
        runs.append(json.loads(text.splitlines()[-1])["states"][0]["runs"])
    assert runs[0] < 12
    assert runs[1] == 15


def test_how_many_networks_would_tell() -> None:
    # From 12/11 of the old the pairs are 1/11, 0 and -1/11 away; t(2) = 4.303.
    half = 4.303 / 11 / 3**0.5 / 11
    assert change([11.0, 12.0, 13.0], [10.0, 11.0, 12.0]) == {
        "share": pytest.approx(1 / 11), "half": pytest.approx(half, rel=1e-3), "more": 0,
    }  # fmt: skip
    assert change([0.0, 0.0, 0.0], [1.0, 2.0, 6.0])["half"] == 0  # type: ignore[index]
    assert change([2.0, 1.0], [1.0, 2.0])["more"] is None  # type: ignore[index]
    # Half of what is seen is the interval's: four times as many, and one for luck.
    assert more_networks(10, 1.0, 2.0) == 31
    assert more_networks(10, 3.0, 2.0) == 0


def test_how_many_runs_would_bring_a_flow_within_ten_percent() -> None:
    assert missing([1.0, 2.0]) is None
    assert missing([100.0, 100.0, 100.5]) == 0
    # t(3) = 3.182, s = 23.09, so half is 36.75 of 100: 4 * 3.675 ** 2 = 54.02 runs are needed.
    assert missing([80.0, 120.0, 120.0, 80.0]) == 51
    assert missing([0.0, 0.0, 0.0]) == 0
    assert missing([0.0, 0.0, 0.0, 1.0, -1.0]) is None


def test_a_run_ends_when_the_next_begins_or_takes_too_long(tmp_path: Path) -> None:
    text = (
        "duration_s = 3e6\n[topology]\nkind = 'chain'\nhops = 2\n[[flows]]\nkind = 'ftp'\n"
        "source = 0\ndestination = 2\n"
    )
    source = read(text, (tmp_path,), allow_code=False)
    runs = Runs(Limits(run_s=0.3), workers=1)
    with pytest.raises(ScenarioError, match=r"more than the 0.3 s .* \(0% done\): shorten"):
        [*runs.figures([State(source)], None, 2, runs.begin())]
    runs = Runs(Limits(run_s=60), workers=1)
    end = runs.begin()
    threading.Timer(0.2, runs.begin).start()
    begun = time.monotonic()
    assert [*runs.figures([State(source)], None, 2, end)] == []
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("tables", "key"),
    [
        ("kind='random'\nnodes=51\narea_m=[9,9]", "topology"),
        ("kind='grid'\ncolumns=30\nrows=30", "topology"),
        ("kind='parallel'\nhops=20\nstrings=20", "topology"),
    ],
)
def test_networks_that_are_too_large_are_refused_before_they_are_built(
    tables: str, key: str, lab: Lab
) -> None:
    text = f"duration_s=1\n[topology]\n{tables}\n[[flows]]\nkind='ftp'\nsource=0\ndestination=1"
    fault = said(lab, "look", {"text": text})["fault"]
    assert fault["key"] == key
    assert "more than the 50 that this page takes" in fault["message"]
    with pytest.raises(ScenarioError, match="flows are more"):
        check({"topology": {}, "duration_s": 1, "flows": [{"count": 9_000}]}, Limits())
    arriving = {"arrivals_per_s": 2.0, "start_s": 0.0}
    check({"topology": {}, "duration_s": 10, "flows": [arriving]}, Limits(flows=20))
    with pytest.raises(ScenarioError, match="about 22 flows"):
        check({"topology": {}, "duration_s": 11, "flows": [arriving]}, Limits(flows=20))
    with pytest.raises(ScenarioError, match="at most 3600 s"):
        check({"topology": {}, "duration_s": 1e5, "flows": []}, Limits())


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.csv", "link.csv", "a\0b"])
def test_no_file_outside_the_folder_is_read(name: str, lab: Lab, tmp_path: Path) -> None:
    (tmp_path.parent / "secret.csv").write_text("from,to,gain_db\n0,1,-80\n")
    (tmp_path / "link.csv").symlink_to(tmp_path.parent / "secret.csv")
    text = CHAIN + f"\n[radio]\npropagation = 'measured'\nfile = {json.dumps(name)}\n"
    fault = said(lab, "look", {"text": text})["fault"]
    assert fault["key"] == "radio.file"
    for what in ("open", "save"):
        body = {"name": name, "text": "x = 1"}
        assert "fault" in said(lab, what, body)


def test_files_are_saved_in_the_folder_and_replaced_only_on_purpose(
    lab: Lab, tmp_path: Path
) -> None:
    body = {"name": "mine.toml", "text": CHAIN}
    assert said(lab, "save", body) == {"saved": str(tmp_path / "mine.toml")}
    assert said(lab, "save", {**body, "text": "other"}) == {"exists": True}
    assert said(lab, "open", {"name": "mine.toml"})["text"] == CHAIN
    said(lab, "save", {**body, "text": "other", "replace": True})
    assert (tmp_path / "mine.toml").read_text() == "other"
    assert "duration_s" in said(lab, "open", {"name": "six-hops"})["text"]


def test_code_that_a_scenario_names_does_not_run(lab: Lab, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w')\n")
    text = CHAIN + "\n[transport]\nscheme = 'evil.py:Mine'\n"
    for what in ("look", "run", "watch", "share", "links"):
        assert "--allow-code" in said(lab, what, {"text": text})["fault"]["message"]
    scheme = {"text": CHAIN, "scheme": f"{tmp_path}/evil.py:Mine"}
    assert "fault" in said(lab, "compare", {"states": [scheme]})
    scheme = {"text": CHAIN, "scheme": f"{tmp_path}/policy.json"}
    assert "is one that" in said(lab, "compare", {"states": [scheme]})["fault"]["message"]
    assert not mark.exists()


def test_only_the_page_itself_is_answered(lab: Lab) -> None:
    body = {"text": CHAIN}
    assert asked(lab, "", None, "GET")[0] == 200
    assert asked(lab, "", None, "GET", Host="evil.example")[0] == 403
    assert asked(lab, "/", None, "GET")[0] == asked(lab, "/wrong/", None, "GET")[0] == 404
    assert asked(lab, "../../etc/passwd", None, "GET")[0] == 404
    assert asked(lab, "look", body, Origin="http://evil.example")[0] == 403
    assert asked(lab, "look", body, Origin="")[0] == 403
    assert asked(lab, "look", body, Host="evil.example:80")[0] == 403
    assert asked(lab, "look", body, Content_Type="text/plain")[0] == 415
    assert asked(lab, "/wrong/look", body)[0] == asked(lab, "nothing", body)[0] == 404
    assert asked(lab, "look", {"text": 3})[0] == asked(lab, "look", {})[0] == 400
    assert asked(lab, "look", body)[0] == 200


def test_who_listens_elsewhere_is_called_by_the_address_that_is_reached(tmp_path: Path) -> None:
    with Lab(Asked(CHAIN, "chain.toml", tmp_path, host="0.0.0.0")) as server:
        port = server.hosts[0].rpartition(":")[2]
        host = f"127.0.0.2:{port}"
        connection = http.client.HTTPConnection(host, timeout=30)
        connection.request("GET", f"/{server.url.split('/')[3]}/")
        assert connection.getresponse().status == 200
        connection.request("GET", f"/{server.url.split('/')[3]}/", headers={"Host": "evil.example"})
        assert connection.getresponse().status == 403


def test_titles_and_names_are_text_on_every_page(lab: Lab) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    text = CHAIN.replace('"two hops"', json.dumps(evil)).replace("11.5", "3.5").replace("11", "3")
    text = text.replace('kind = "ftp"', f'kind = "ftp"\nname = {json.dumps(evil)}')
    html = said(lab, "share", {"text": text})["html"]
    assert "<img src=x" not in html.replace("&lt;img", "")
    assert html.count("</script>") == 0  # the run's own scripts stand escaped in its frame
    _, page = asked(lab, "", None, "GET")
    assert page.count("<script") == page.count("</script>") == 2
