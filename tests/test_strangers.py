"""What strangers wrote goes through every command, table, page, picture and view: it is text."""

import csv
import html.parser
import importlib.util
import json
import os
import pickle
import py_compile
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import pytest

import multihop
from multihop import Study, foreign
from multihop.cli import cli
from multihop.recording import Recording
from multihop.study.execution import Task, perform
from tests.conftest import Called, Command

ESCAPES = "\x1b[31m\x1b]0;owned\x07\x9b1m \u202ebackwards\u2066"
HOSTILE = (
    "=cmd()|'/C calc'!A0 [/dense] [red]x[/red] [link=file:x]y[/link] :smile: {{7*7}} @flows@ "
    f"<img src=x onerror=owned()></script><script>owned()</script><!-- {ESCAPES}\n"
    "# second [line](javascript:owned()) | `code` $\\frac{ &lt; ]]> \\"
)
NAME = f"=cmd() [/b]<img src=x onerror=owned()>{ESCAPES}\n[red]|"[:60]
SCENARIO: dict[str, Any] = {
    "title": HOSTILE + "very long " * 400,
    "duration_s": 4,
    "topology": {"kind": "positions", "file": "=roofs [b]<img src=x>\x1b[31m.csv"},
    "flows": [
        {"kind": "ftp", "name": NAME, "source": 0, "destination": 2},
        {"kind": "voice", "name": "[/b]", "source": 2, "destination": 0},
    ],
}
TITLED = {
    **SCENARIO,
    "topology": {"kind": "chain", "hops": 2},
    "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
}
ROOFS = f'name,x_m,y_m\n"{NAME}",0,0\n[/b]; $\\frac{{$ (x),200,0\n=2+2,400,0\n'
FILE = "=mesh [b]<img src=x onerror=owned()> \x1b[31m\u202e.json"
STUDY: dict[str, Any] = {
    "title": HOSTILE,
    "question": HOSTILE,
    "scenario": FILE,
    "schemes": [{"name": f"{NAME} 1", "scheme": "aodv"}, {"name": "=2+2", "scheme": "static"}],
    "baseline": "=2+2",
    "axes": {
        "window": {
            "points": [
                {"label": f"{NAME} 2", "set": {"transport.window_segments": 2}},
                {"label": "=1+1", "set": {"transport.window_segments": 8}},
            ]
        }
    },
    "metrics": ["goodput_bps"],
    "scale": {"quick": {"networks": 2}},
    "figures": [{"name": "goodput", "title": HOSTILE, "x": "window", "y": "goodput_bps",
                 "kind": "bar", "paper": HOSTILE}],
    "rankings": [{"name": "best", "title": HOSTILE, "y": "goodput_bps", "over": ["window"]}],
}  # fmt: skip

NO_STRANGER = {
    "assumptions": "runs the package's studies for many minutes; its texts are theirs",
    "completion": "prints a script of the package",
    "demo": "runs the package's studies",
    "headlines": "runs the package's studies",
    "lab": "serves until it is stopped; tests/test_lab.py and test_lab_browser.py have it",
    "list": "lists what the package has",
    "mcp": "serves until its input ends; tests/test_mcp.py has it",
    "reproduce": "runs the package's studies",
    "schema": "prints what the package has",
    "validate": "runs the package's cases",
    "emulate": "needs root; tests/test_emulation.py has it",
}
"""Commands that take no text of a stranger's, each with the reason."""
TRIED: dict[str, list[list[str]]] = {
    "bound": [[FILE], [FILE, "--json", "-"]],
    "check": [
        [FILE, "study.toml", "bad \x1b[31m[b].toml"],
        [FILE, "bad \x1b[31m[b].toml", "--json", "-"],
    ],
    "compare": [["titled.json", "--with", "ns2", "--script"]],
    "draw": [[FILE, "--out", "run.svg"], [FILE, "--out", "run.png"]],
    "explain": [[FILE], [FILE, "--json", "-"]],
    "export": [
        [FILE, "--to", "netjson", "--out", "mesh.json"],
        [FILE, "--to", "geojson", "--origin", "51.3,12.4", "--out", "mesh.geojson"],
    ],
    "import": [[str(SCENARIO["topology"]["file"]), "--out", "town"]],
    "movement": [[FILE, "--out", "movement.tcl"]],
    "new": [["=[b] \x1b[31m\u202e<script>\udcff"]],
    "new-paper": [["=[b] \x1b[31m"], ["mine"]],
    "new-scheme": [["=[b] \x1b[31m"], ["mine"]],
    "plan": [
        [FILE, "--gateway", "0", "--set", "duration_s=12", "--at", "50,10", "--at", FILE],
        [FILE, "--gateway", "0", "--set", "duration_s=12", "--at", "50,10", "--start", "2",
         "--limit", "2", "--map", "plan.png", "--json", "plan.json"],
    ],
    "replay": [[FILE, "--out", "replay.html"]],
    "run": [
        [FILE, "--verbose", "--bound"],
        [FILE, "--seeds", "2", "--series", "series.csv", "--json", "run.json"],
        [FILE, "--trace", "events.parquet", "--pcap", "run.pcapng", "--perfetto", "run.pftrace"],
        [FILE, "--set", f"routing.scheme={NAME}"],
        [FILE, "--scheme", NAME],
        ["bad \x1b[31m[/b]\udcff.toml"],
        [FILE, "--schemes", "aodv,dsr", "--seeds", "2"],
    ],
    "service": [[FILE, "--seeds", "2", "--gateway", "0", "--set", "duration_s=12"]],
    "study report": [["out", "--page", "page.md"]],
    "study run": [["study.toml", "--out", "again", "--scale", "quick", "--workers", "1"]],
    "study salvage": [["out"]],
}  # fmt: skip
REFUSED = ("check-0", "check-1", "new-paper-0", "new-scheme-0", "plan-0", "run-3", "run-4", "run-5")
"""Of these calls, those whose input is wrong."""


def commands(group: click.Group, above: str = "") -> Iterator[str]:
    """The paths of all commands below a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{above}{name} ")
        else:
            yield above + name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a hostile scenario, its positions, and a study of it that has run."""
    (tmp_path / FILE).write_text(json.dumps(SCENARIO))
    (tmp_path / str(SCENARIO["topology"]["file"])).write_text(ROOFS)
    (tmp_path / "titled.json").write_text(json.dumps(TITLED))
    (tmp_path / "study.toml").write_text(multihop.scenario.to_toml(STUDY))
    (tmp_path / "bad \x1b[31m[b].toml").write_text("=")
    (tmp_path / "page.md").write_text("<!-- results: begin -->\n<!-- results: end -->\n")
    return tmp_path


def test_every_command_is_tried_or_says_why_not() -> None:
    assert sorted(commands(cli)) == sorted([*TRIED, *NO_STRANGER])


@pytest.mark.parametrize(
    ("command", "arguments"),
    [pytest.param(command, arguments, id=f"{command}-{number}")
     for command, each in TRIED.items() for number, arguments in enumerate(each)],
)  # fmt: skip
def test_a_hostile_scenario_does_nothing(
    command: str, arguments: list[str], folder: Path, called: Called
) -> None:
    if command in ("study report", "study salvage"):
        Study.read(folder / "study.toml").run(folder / "out", workers=1)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = called(*command.split(), *arguments)
    is_wrong = f"{command}-{TRIED[command].index(arguments)}" in REFUSED
    assert done.returncode == (2 if is_wrong else 0), done.stderr
    for said in (done.stdout, done.stderr):
        assert_harmless(said)
    assert "bug in multihop" not in done.stderr
    for path in folder.rglob("*"):
        if path.is_file() and before.get(path) != path.read_bytes():
            assert_written_well(path)


def assert_harmless(text: str) -> None:
    """Nothing that a terminal obeys, and nothing left out that Rich takes for a mark."""
    hidden = {letter for letter in text if unicodedata.category(letter) == "Cc"} - {"\n", "\t"}
    assert not hidden
    assert not set("\u202e\u2066\U0001f604") & {*text}


class _Elements(html.parser.HTMLParser):
    """What a browser makes of a page: attributes of elements, and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [*attrs, (tag, None)]


def assert_shown(page: str) -> None:
    """A page has no element of a stranger's making."""
    found = _Elements()
    found.feed(page)
    assert not [name for name, _ in found.attributes if name in ("onerror", "img")]
    assert not [value for _, value in found.attributes if "javascript:" in (value or "")[:20]]
    scripts = re.findall(r"<script[^>]*>(.*?)</script", page, re.DOTALL)
    assert "owned()" not in [script.strip() for script in scripts]
    assert "\x1b" not in page
    assert "\u202e" not in page


def assert_written_well(path: Path) -> None:
    """A file that a command wrote is safe in what opens it."""
    match path.suffix:
        case ".html":
            assert_shown(path.read_text("utf-8"))
        case ".svg":
            for element in ElementTree.parse(path).iter():
                assert not [name for name in element.attrib if name.startswith("on")]
                assert element.tag.rpartition("}")[2] not in ("script", "img")
            assert "\x1b" not in path.read_text("utf-8")
        case ".csv":
            with path.open(newline="") as rows:
                cells = [cell for row in csv.reader(rows) for cell in row]
            assert not [cell for cell in cells if cell.startswith("=")]
        case ".md":
            text = path.read_text("utf-8")
            assert "<img" not in text
            assert not re.search(r"(?<!\\)\]\(javascript", text)
            assert "\n# second" not in text
        case ".json":
            json.loads(path.read_text("utf-8"))
        case ".pcapng" | ".pftrace":
            assert b"\x1b[31m" not in path.read_bytes()


def test_a_notebook_shows_names_and_runs_nothing(folder: Path) -> None:
    result = multihop.run(folder / FILE, record=multihop.Recording(series_interval_s=0.5))
    study = Study.read(folder / "study.toml")
    results = study.run(folder / "out", workers=1)
    bar = multihop.notebook.Bar(study.title)
    scenario = multihop.Scenario(folder / FILE)
    for view in (result, study, results, bar, scenario):
        shown = view._repr_html_()
        assert_shown(shown)
        assert "=cmd()" in shown
        assert_harmless(repr(view).replace("\\n", ""))
    assert_shown(results.figure("goodput")._repr_svg_())
    assert "owned" not in {*result.plot().to_dict()}
    node = foreign.in_html("=2+2 (2)")
    assert all(node in view._repr_html_() for view in (result, scenario))


def test_texts_are_shown_for_what_they_are() -> None:
    assert foreign.line("a\n b\x1b[1m\u202e") == "a b\\x1b[1m\\u202e"
    assert foreign.in_html("<b>&\x00") == "&lt;b&gt;&amp;\\x00"
    assert foreign.in_html(foreign.Html("<b>")) == "<b>"
    assert foreign.in_markdown("# a [b](c) `d` <i> *e* f_g\nh") == (
        "\\# a [b\\](c) \\`d\\` &lt;i> \\*e\\* f_g h"
    )
    assert foreign.in_script({"a": "</script><!--"}) == '{"a":"\\u003c/script>\\u003c!--"}'
    assert len(foreign.line("long " * 1000)) <= foreign.MOST_CHARACTERS + 1


def test_standard_output_of_few_letters_gets_what_it_can_write(
    folder: Path, multihop_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = multihop_command("run", FILE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2192" in done.stdout
    assert_harmless(done.stdout)
    assert [*folder.glob("*.json")]


PROGRAM = """
from pathlib import Path

import multihop

Path(r"{mark}").touch()

class Mine(multihop.CongestionControl):
    def on_ack(self, window, ack):
        window.cwnd = {segments}
"""
NAMING = {**TITLED, "title": "named", "transport": {"scheme": "mine.py:Mine"}}
NAMED_STUDY = {
    "title": "named",
    "question": "Which?",
    "scenario": {key: value for key, value in TITLED.items() if key != "title"},
    "schemes": [{"name": "mine", "set": {"transport.scheme": "mine.py:Mine"}}],
    "metrics": ["goodput_bps"],
    "scale": {"quick": {"networks": 1}},
}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with a program of a stranger's, a scenario and a study that name it; its mark."""
    mark = tmp_path / "it ran"
    (tmp_path / "mine.py").write_text(PROGRAM.format(mark=mark, segments=3))
    (tmp_path / "named.json").write_text(json.dumps(NAMING))
    (tmp_path / "named.toml").write_text(multihop.scenario.to_toml(NAMED_STUDY))
    return mark


@pytest.mark.parametrize(
    "call",
    ["check named.json named.toml", "movement named.json --out m.tcl", "bound named.json"],
)  # fmt: skip
def test_a_program_that_a_file_names_does_not_run_where_nothing_needs_it(
    call: str, program: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    for allowed in ("0", "1"):
        monkeypatch.setenv("MULTIHOP_ALLOW_CODE", allowed)
        done = called(*call.split())
        assert done.returncode == 0, done
        assert not program.exists()


@pytest.mark.parametrize(
    "call",
    ["run named.json", "draw named.json", "explain named.json", "replay named.json",
     "study run named.toml --scale quick"],
)  # fmt: skip
def test_a_program_that_a_file_names_runs_with_consent_alone(
    call: str, program: Path, called: Called
) -> None:
    done = called(*call.split())
    assert (done.returncode, program.exists()) == (2, False)
    (line,) = done.stderr.splitlines()
    assert "mine.py:Mine is a program, which does not run because a file names it" in line
    assert "--allow-code" in line
    assert not (program.parent / "out").exists()
    done = called(*call.split(), "--allow-code")
    assert (done.returncode, program.exists()) == (0, True), done
    program.unlink()
    assert called(*call.split(), "--resume" if "study" in call else "--seed=2").returncode == 2


def test_the_report_of_a_study_runs_nothing(program: Path, called: Called) -> None:
    assert (
        called(*["study", "run", "named.toml", "--scale", "quick", "--allow-code"]).returncode == 0
    )
    program.unlink()
    text = (program.parent / "mine.py").read_text()
    (program.parent / "mine.py").write_text(f"{text}\n# changed\n")
    assert called(*["study", "report", "out/named"]).returncode == 0
    assert not program.exists()


def test_who_names_a_program_himself_has_consented(program: Path, called: Called) -> None:
    (program.parent / "plain.json").write_text(json.dumps(TITLED))
    assert called("run", "plain.json", "--scheme", "mine.py:Mine").returncode == 0
    assert program.exists()
    with pytest.raises(multihop.ScenarioError, match=r"transport\.scheme: .*allow_code=True"):
        multihop.run(program.parent / "named.json")
    with pytest.raises(multihop.ScenarioError, match="allow_code=True"):
        multihop.run(multihop.Scenario(program.parent / "named.json"))
    assert multihop.run(program.parent / "named.json", allow_code=True).flows.height == 1


def test_what_runs_is_what_was_read_and_not_what_was_cached(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"

    def window(segments: int) -> float:
        file.write_text(PROGRAM.format(mark=tmp_path / "ran", segments=segments))
        os.utime(file, (1_000_000_000, 1_000_000_000))  # an edit of equal size in the same second
        result = multihop.run(
            TITLED,
            set={"transport.scheme": f"{file}:Mine"},
            record=multihop.Recording(series_interval_s=0.1),
        )
        found = result.series["cwnd"].max()
        assert isinstance(found, float)
        return found

    planted = tmp_path / "planted.py"
    planted.write_text(PROGRAM.format(mark=tmp_path / "planted ran", segments=9))
    os.utime(planted, (1_000_000_000, 1_000_000_000))
    assert window(3) == 3
    cached = importlib.util.cache_from_source(str(file))
    py_compile.compile(
        str(planted), cached, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    assert [window(4), window(5)] == [4, 5]
    assert not (tmp_path / "planted ran").exists()


def test_a_study_runs_what_it_hashed_though_the_file_changes(program: Path, tmp_path: Path) -> None:
    study = Study.read(tmp_path / "named.toml")
    cells = study.cells("quick")
    (tmp_path / "mine.py").write_text(PROGRAM.format(mark=program, segments=9))
    (cell,) = cells
    task = Task("key", 1, cell.text, Recording(series_interval_s=0.1), cell.build, cell.sources)
    # A worker of a cluster gets it pickled, and has read no file.
    outcome = perform(pickle.loads(pickle.dumps(task)))
    assert outcome.error is None
    assert outcome.result is not None
    assert max(outcome.result["series"]["flows"]["cwnd"]) == 3


def test_devices_pipes_and_secrets_are_not_read(tmp_path: Path, called: Called) -> None:
    (tmp_path / "secret").write_text("root:$6$salt$hash:19000:0:99999\n")
    os.mkfifo(tmp_path / "pipe")
    for file, fault in [
        ("/dev/zero", "is no regular file"),
        ("pipe", "is no regular file"),
        (".", "is no regular file"),
        ("secret", "line 1"),
    ]:
        for section in (
            {"topology": {"kind": "positions", "file": file}},
            {"topology": {"kind": "chain", "hops": 2},
             "mobility": {"kind": "setdest", "file": file}},
            {"topology": {"kind": "chain", "hops": 2},
             "radio": {"reception": "sinr", "file": file}},
        ):  # fmt: skip
            (tmp_path / "reads.json").write_text(json.dumps({**TITLED, **section}))
            done = called("check", "reads.json")
            assert (done.returncode, done.stdout.count("\n")) == (2, 1)
            assert "hash" not in done.stdout
            assert fault in done.stdout or "radio" in section or "mobility" in section
    os.mkfifo(tmp_path / "pipe.parquet")
    for call in ("run pipe", "check /dev/zero", "study run pipe", "replay pipe.parquet"):
        done = called(*call.split())
        assert done.returncode == 2
        assert "is no regular file" in done.stdout + done.stderr
