"""Papers as folders: anybody's are judged, wrong ones are told, and the product names none."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from multihop import catalogue, engine, papers
from multihop.errors import PaperError
from tests.conftest import Called
from tests.papers_here import FOLDER, NAMES

REPOSITORY = FOLDER.parent
PRODUCT = REPOSITORY / "python" / "multihop"
CHAIN = REPOSITORY / "examples" / "papers" / "chain-capacity"


WORDS = {*engine.scheme_names(), *re.findall(r"'([a-z0-9-]+)'", str(engine.schema()))}
"""The engine's own, names of schemes and values of keys."""


def named_in(text: str) -> list[str]:
    """The papers of this repository that a file of the product names.

    A paper is named by its name or another name of it, unless the engine has the word itself, as a
    scheme or a value of a key; by either with a slash behind it, as its studies and readings are;
    by its title; and by an author.
    """
    found = []
    for paper in papers.installed().values():
        for name in (paper.name, *paper.about.names):
            if name not in WORDS and re.search(rf"(?<![\w-]){name}(?![\w-])", text):
                found.append(name)
            if re.search(rf"(?<![\w/-]){name}/[a-z]", text):
                found.append(f"{name}/")
        surnames = {author.split()[-1] for author in paper.about.authors}
        found += [name for name in surnames if re.search(rf"\b{name}\b", text)]
        found += [paper.about.title] if paper.about.title in text else []
    return found


def test_no_file_of_the_product_names_a_paper() -> None:
    kinds = {".py", ".toml", ".html", ".md", ".txt", ".css", ".lua"}
    files = [path for path in PRODUCT.rglob("*") if path.suffix in kinds]
    assert len(files) > 250
    found = {str(path): named_in(path.read_text("utf-8")) for path in files}
    assert {path: names for path, names in found.items() if names} == {}
    # The rule finds what it is about, and leaves the engine's schemes alone.
    assert named_in('Study.read("elfn/chain")') == ["elfn/"]
    assert named_in("as in multipath routing") == ["multipath"]
    assert named_in("--reading ccar/ours, by Monks") == ["ccar/", "Monks"]
    assert named_in('schemes = ["copas", "semi-tcp", "tcp-elfn"]') == []


def test_the_installed_papers_are_those_of_the_repository() -> None:
    assert [*papers.installed()] == NAMES
    assert papers.faults() == []
    for name, paper in papers.installed().items():
        assert paper.folder == FOLDER / name
        assert (paper.folder / "page.md").is_file()


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("congestion-aware/two-strings", "ccar/studies/two-strings"),
        ("headlines/elfn-moving", "elfn/studies/headlines-moving"),
        ("headlines/congestion-aware", "ccar/studies/headlines"),
        ("demo/semi-tcp", "semi-tcp/studies/demo"),
        ("worlds/multipath", "multipath/studies/worlds"),
        ("studies/copas/ring.toml", "copas/studies/ring"),
    ],
)
def test_former_names_of_studies_are_taken(former: str, now: str) -> None:
    assert catalogue.study_file(former) == FOLDER / f"{now}.toml"


def test_paths_of_examples_are_names_in_any_folder(called: Called) -> None:
    short = ("--set", "duration_s=2", "--set", "flows.0.stop_s=2", "--json", "-")
    said = called("run", "scenarios/six-hops.toml", *short)
    assert said.returncode == 0
    assert json.loads(said.stdout)["scenario"]["title"] == "six hops"


@pytest.mark.slow("judges a paper")
def test_a_new_paper_can_be_judged_as_it_is(called: Called, tmp_path: Path) -> None:
    made = called("new-paper", "mine")
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("mine/paper.toml: multihop reproduce mine --scale quick\n")
    counts = "a paper: 2 claims, 1 headline, 2 readings, 2 studies"
    assert called("check", "mine").stdout == f"mine: ok, {counts}\n"
    assert called("check", "mine/claims.toml").stdout == f"mine/claims.toml: ok, {counts}\n"
    ran = called("reproduce", "mine", "--scale", "quick", "--networks", 2, "--workers", 1,
                 "--out", "out")  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    rows = {row["id"]: row for row in json.loads((tmp_path / "out/claims.json").read_text())}
    assert {*rows} == {"falls-with-hops", "quarter-over-four-hops"}
    assert rows["falls-with-hops"]["verdict"] == "reproduced"
    assert rows["falls-with-hops"]["study"] == "mine/chain"
    assert rows["falls-with-hops"]["reading"] == "mine/small-window"
    assert rows["falls-with-hops"]["depends_on"] == ["the window of TCP"]
    judged = called("headlines", "mine", "--scale", "quick", "--workers", 1, "--out", "heads")
    assert judged.returncode == 0, judged.stderr
    words = json.loads((tmp_path / "heads/headlines.json").read_text())
    assert [(row["reading"], row["word"]) for row in words] == [
        ("mine/small-window", "holds"), ("mine/large-window", "holds")
    ]  # fmt: skip
    decided = called("assumptions", "mine", "--networks", 2, "--workers", 1, "--out", "why")
    assert decided.returncode == 0, decided.stderr
    assert "AODV over shortest paths" in decided.stdout
    assert "mine/large-window" in called("list", "readings", "--paper", "mine").stdout
    assert "study mine/chain" in called("list", "claims", "--paper", "mine").stdout
    again = called("new-paper", "mine")
    assert (again.returncode, again.stderr) == (2, "multihop: mine/paper.toml: is there already\n")
    assert called("new-paper", "Mine!").returncode == 2


def test_a_paper_that_is_not_ours_is_judged_without_the_product_knowing_it(
    called: Called, tmp_path: Path
) -> None:
    """A saturated chain carries a seventh of what one hop does."""
    ran = called("reproduce", CHAIN, "--scale", "quick", "--networks", 2, "--workers", 1,
                 "--out", "out")  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    rows = {row["id"]: row for row in json.loads((tmp_path / "out/claims.json").read_text())}
    assert len(rows) == 6
    assert rows["long-chain-one-seventh"]["verdict"] == "reproduced"
    assert rows["long-chain-one-seventh"]["measured"] == pytest.approx(1 / 7, rel=0.05)
    assert rows["below-a-quarter"]["verdict"] == "reproduced"
    page = (CHAIN / "page.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in rows)


ABOUT = 'title = "t"\nauthors = ["a"]\n'
FAULTS = {
    "no paper.toml": ("paper.toml", None, "has no paper.toml, so it is no paper's"),
    "unknown key": ("paper.toml", f'{ABOUT}yaer = 3\n', "line 3: yaer: unknown key"),
    "missing key": ("paper.toml", 'title = "t"\n', "authors: missing"),
    "not TOML": ("paper.toml", 'title "t"\n', "line 1"),
    "demo of nothing": (
        "paper.toml", f'{ABOUT}demo = {{ study = "chian", headline = "x" }}\n',
        "demo.study: no study 'chian'; did you mean chain?",
    ),
    "no claims": ("claims.toml", None, "claims.toml: missing; a paper's folder has this file"),
    "one name twice": (
        "claims.toml", ('id = "quarter-over-four-hops"', 'id = "falls-with-hops"'),
        "claim.1.id: two claims are called falls-with-hops",
    ),
    "unknown scheme": (
        "claims.toml", ('compare = ["aodv"]', 'compare = ["adov"]'),
        "claim.0.compare: no scheme 'adov' in this file; did you mean aodv?",
    ),
    "unknown scenario": (
        "claims.toml", ('{ use = "chain" }', '{ use = "chian" }'),
        "claim.0.scenario.use: no scenario 'chian' in this file; did you mean chain?",
    ),
    "unknown kind": ("claims.toml", ('kind = "trend"', 'kind = "tendency"'), "claim.0.expect"),
    "name that is a path": ("claims.toml", ('id = "falls', 'id = "../falls'), "claim.0.id"),
    "unknown metric": (
        "owners.toml", ('metric = "goodput_bps"', 'metric = "goodput_bsp"'),
        "falls-with-hops: unknown metric goodput_bsp; did you mean goodput_bps?",
    ),
    "unknown claim": (
        "owners.toml", ("[falls-with-hops]", "[falls-with-hop]"),
        "line 4: falls-with-hop: the paper has no such claim; did you mean falls-with-hops?",
    ),
    "study elsewhere": (
        "owners.toml", ('study = "chain"', 'study = "../../other/studies/chain"'),
        "falls-with-hops.study: '../../other/studies/chain' is not the name of a file in",
    ),
    "unknown study": (
        "owners.toml", ('study = "chain"', 'study = "chains"'),
        "falls-with-hops.study: no study 'chains'; did you mean chain?",
    ),
    "no owner": ("owners.toml", ('study = "chain"\n', ""), "needs one of study, test and reason"),
    "column that is none": (
        "owners.toml", ('"hops == 4"', '"hpos == 4"'),
        "quarter-over-four-hops: unknown column 'hpos'",
    ),
    "two defaults": (
        "readings/large-window.toml", ("argument", "default = true\nargument"),
        "paper mine: of its readings one has default = true",
    ),
    "wrong reading": (
        "readings/large-window.toml", ("taken", "takes"), "large-window.toml: ",
    ),
}  # fmt: skip
"""A file of a new paper, how it is changed, and what is said."""


@pytest.mark.parametrize(("file", "change", "said"), FAULTS.values(), ids=FAULTS)
def test_a_wrong_folder_is_told_in_one_line(
    called: Called, tmp_path: Path, file: str, change: str | tuple[str, str] | None, said: str
) -> None:
    assert called("new-paper", "mine").returncode == 0
    path = tmp_path / "mine" / file
    if change is None:
        path.unlink()
    elif isinstance(change, str):
        path.write_text(change, "utf-8")
    else:
        before = path.read_text("utf-8")
        assert change[0] in before
        path.write_text(before.replace(*change, 1), "utf-8")
    found = called("reproduce", "mine", "--scale", "quick", "--out", "out")
    assert found.returncode == 2
    assert said in found.stderr
    assert file.rpartition("/")[2] in found.stderr or "mine" in found.stderr
    assert found.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_headline_of_a_stranger_is_checked_before_anything_runs(
    called: Called, tmp_path: Path
) -> None:
    called("new-paper", "mine")
    path = tmp_path / "mine" / "headlines.toml"
    whole = path.read_text("utf-8")
    for change, said in [
        (('metric = "goodput_bps"', 'metric = "goodputs_bps"'), "unknown metric goodputs_bps"),
        (('scheme = "aodv"', 'scheme = "dsr"'), "the study has no scheme dsr"),
        (('study = "chain"', 'study = "/etc/passwd"'), "headline.0.study: '/etc/passwd' is not"),
        ((", below = 0.5", ""), "headline.0.parts.0: needs above or below"),
        (('id = "', 'name = "'), "headline.0.name: unknown key"),
    ]:
        path.write_text(whole.replace(*change), "utf-8")
        found = called("headlines", "mine", "--scale", "quick", "--out", "out")
        assert (found.returncode, found.stderr.count("\n")) == (2, 1), found.stderr
        assert f"{path}: line " in found.stderr
        assert said in found.stderr
        assert not (tmp_path / "out").exists()


def test_a_study_that_leads_out_of_the_folder_is_refused(called: Called, tmp_path: Path) -> None:
    called("new-paper", "mine")
    study = tmp_path / "mine" / "studies" / "chain.toml"
    study.rename(tmp_path / "elsewhere.toml")
    study.symlink_to(tmp_path / "elsewhere.toml")
    found = called("reproduce", "mine", "--scale", "quick", "--out", "out")
    assert found.returncode == 2
    assert "'chain' leads out of the paper's folder" in found.stderr


def test_what_a_stranger_wrote_is_shown_and_does_nothing(called: Called, tmp_path: Path) -> None:
    called("new-paper", "mine")
    hostile = "\\u001b[31mred\\u001b[0m [/bold] <img src=x onerror=alert(1)>"
    for file, text in [
        ("paper.toml", 'title = "mine"'),
        ("claims.toml", 'statement = "Goodput falls with every hop."'),
        ("headlines.toml", 'says = "Of what one hop carries, less than half is left over four."'),
    ]:
        path = tmp_path / "mine" / file
        before = path.read_text("utf-8")
        assert text in before
        key = text.partition(" ")[0]
        path.write_text(before.replace(text, f'{key} = "{hostile}"'), "utf-8")
    for what in ("papers", "claims", "headlines"):
        listed = called("list", what, "--paper", "mine")
        assert listed.returncode == 0, listed.stderr
        assert "\x1b" not in listed.stdout
        assert "[/bold]" in listed.stdout
    ran = called("reproduce", "mine", "--scale", "quick", "--networks", 1, "--workers", 1,
                 "--out", "out")  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "<img src=x" not in page
    assert "\x1b" not in page + ran.stdout


METRIC = """
from multihop.metrics import RunMetric

METRICS = [RunMetric("{name}", "", "The answer.", lambda run: 42.0)]
"""


def test_metrics_of_a_folder_run_only_if_allowed(called: Called, tmp_path: Path) -> None:
    called("new-paper", "mine")
    file = tmp_path / "mine" / "metrics.py"
    owners = tmp_path / "mine" / "owners.toml"
    owners.write_text(owners.read_text("utf-8").replace("goodput_bps", "answer"), "utf-8")
    file.write_text(METRIC.format(name="answer"), "utf-8")
    options = ("--scale", "quick", "--networks", 1, "--workers", 1, "--out", "out")
    refused = called("reproduce", "mine", *options)
    assert refused.returncode == 2
    assert f"{file} is a program, which does not run because a folder has it" in refused.stderr
    allowed = called("reproduce", "mine", *options, "--allow-code")
    assert allowed.returncode == 0, allowed.stderr
    rows = json.loads((tmp_path / "out/claims.json").read_text())
    assert {row["metric"] for row in rows} == {"answer"}
    for text, said in [
        (METRIC.format(name="jain"), "METRICS: the package has a metric jain"),
        ("METRICS = 3\n", "METRICS: has to be a list of metrics"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
    ]:
        file.write_text(text * 2, "utf-8")  # of another size, and newer
        found = called("reproduce", "mine", *options, "--allow-code")
        assert (found.returncode, found.stderr.count("\n")) == (2, 1), found.stderr
        assert str(file) in found.stderr
        assert said in found.stderr


def test_a_paper_that_is_nowhere_is_told_with_what_there_is(called: Called) -> None:
    near = called("reproduce", "capos")
    assert near.returncode == 2
    assert (
        "capos: no paper has that name, and no folder is there; did you mean copas?" in near.stderr
    )
    assert "did you mean elfn/ours?" in called("run", "six-hops", "--reading", "elfn/our").stderr


def test_without_papers_one_line_says_how_to_get_them(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "_find", lambda: ({}, []))
    monkeypatch.setattr(papers, "_opened", {})
    for command in (
        ("reproduce",), ("headlines", "copas"), ("list", "claims"), ("reproduce", "copas"),
        ("run", "six-hops", "--scheme", "copas", "--reading", "copas/ours"),
    ):  # fmt: skip
        said = called(*command)
        assert (said.returncode, said.stderr.count("\n")) == (2, 1), said.stderr
        assert papers.HOW in said.stderr
    short = ("--set", "duration_s=2", "--set", "flows.0.stop_s=2")
    ran = called("run", "six-hops", "--scheme", "dsr", *short)
    assert ran.returncode == 0
    assert "dsr as the engine takes it, as no paper is installed" in ran.stderr
    assert "tournament" in called("list", "studies").stdout
    assert "goodput_bps" in called("list", "metrics").stdout


def test_a_package_that_is_broken_keeps_no_other_away(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        dist = None

        def __init__(self, name: str, folder: object) -> None:
            self.name, self._folder = name, folder

        def load(self) -> object:
            if self._folder is None:
                raise ImportError("no such\nmodule")
            return type("Module", (), {"FOLDER": self._folder})

    from importlib import metadata

    points = [Point("a", None), Point("b", FOLDER), Point("c", FOLDER)]
    monkeypatch.setattr(metadata, "entry_points", lambda **_: points)
    found, faults = papers._find.__wrapped__()
    assert [*found] == NAMES
    assert faults[0] == "papers a can't be loaded: no such module"
    assert faults[1:] == [f"papers c: another package has a paper {name}" for name in NAMES]


def test_the_wheel_has_every_paper_and_needs_nothing_to_be_built(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-index", "--no-deps",
           "--disable-pip-version-check", "-w", tmp_path, FOLDER]  # fmt: skip
    built = subprocess.run(pip, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        names = set(held.namelist())
        held.extractall(tmp_path / "site")
    for name in NAMES:
        folder = FOLDER / name
        for path in folder.rglob("*"):
            if path.suffix in {".toml", ".py", ".md", ".csv", ".svg"}:
                assert f"multihop_papers/{path.relative_to(FOLDER).as_posix()}" in names
    code = (
        "import multihop_papers; from multihop import papers; "
        "print(len([papers.read(a.parent) for a in multihop_papers.FOLDER.glob('*/paper.toml')]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(tmp_path / "site")},
    )  # fmt: skip
    assert ran.stdout == f"{len(NAMES)}\n"


def test_papers_are_of_the_products_version_and_an_extra_of_it() -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text("utf-8"))["project"]
    cargo = tomllib.loads((REPOSITORY / "Cargo.toml").read_text("utf-8"))
    assert project["version"] == cargo["workspace"]["package"]["version"]
    ours = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert ours["optional-dependencies"]["papers"] == [project["name"]]


def test_a_folder_without_a_name_for_a_paper_is_none(tmp_path: Path) -> None:
    (tmp_path / "My Paper").mkdir()
    (tmp_path / "My Paper" / "paper.toml").write_text(ABOUT, "utf-8")
    with pytest.raises(PaperError, match="small letters and digits"):
        papers.opened(tmp_path / "My Paper")
