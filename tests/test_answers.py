"""The answer of a study: at the end of its run, and at the top of its report."""

from pathlib import Path

import pytest

from multihop import Study
from multihop.report.answer import answers
from tests.conftest import Called

SCENARIO = {
    "duration_s": 6,
    "topology": {"kind": "chain", "hops": 3},
    "transport": {"window_segments": 4},
    "flows": [{"kind": "ftp", "source": 0, "destination": 3}],
}
WINDOWS = [
    {"name": "one", "scheme": "static", "set": {"transport.window_segments": 1}},
    {"name": "again", "scheme": "static", "set": {"transport.window_segments": 1}},
    {"name": "none", "scheme": "static", "set": {"transport.window_segments": 1,
                                                  "flows.0.stop_s": 1}},
]  # fmt: skip


def run(folder: Path, **tables: object) -> list[str]:
    scale = {"full": {"networks": 3}}
    asked = {"title": "t", "question": "Which?", "scenario": SCENARIO, "scale": scale, **tables}
    return answers(Study(**asked).run(folder))


def test_every_scheme_is_told_with_its_ratio_and_whether_it_is_distinguishable(
    tmp_path: Path,
) -> None:
    metric = ["delivered_segments"]
    said = run(tmp_path, schemes=WINDOWS, baseline="one", metrics=metric)
    assert said[0].startswith("Delivered segments: one ")
    assert "; again 1.00 times that (1.00 to 1.00), not distinguishable; none 0." in said[0]
    assert said[0].endswith(", less.")
    assert said[-1] == "On 3 networks."


def test_without_a_baseline_the_others_are_held_against_the_highest(tmp_path: Path) -> None:
    said = run(tmp_path, schemes=WINDOWS[1:], metrics=["delivered_segments"])
    assert said[0].startswith("Delivered segments: again ")
    assert "; none 0." in said[0]


def test_a_ranking_answers_first(tmp_path: Path) -> None:
    ranking = {"name": "r", "title": "Packets", "y": "delivered_segments"}
    said = run(tmp_path, schemes=WINDOWS[1:], rankings=[ranking])
    assert said[0].startswith("Packets: best again, delivered segments")
    assert said[0].endswith("not distinguishable none of 1.")


@pytest.mark.slow("runs a study from the command line, with its report")
def test_the_answer_ends_the_run_and_heads_the_report(tmp_path: Path, called: Called) -> None:
    (tmp_path / "mesh.toml").write_text(
        """
        title = "mesh"
        question = "Which?"
        schemes = ["static", "dcar"]
        baseline = "static"
        [scenario]
        duration_s = 4
        topology = { kind = "chain", hops = 2 }
        flows = [{ kind = "ftp", source = 0, destination = 2 }]
        [scale.quick]
        networks = 2
        """
    )
    said = called("study", "run", "mesh.toml")
    assert said.returncode == 0, said.stderr
    assert "Goodput: static " in said.stdout
    assert "On 2 networks, under ccar/ns2-stock." in said.stdout
    page = (tmp_path / "out" / "mesh" / "report.html").read_text()
    head = page[page.index("<h1>") : page.index("</header>")]
    assert "On 2 networks, under ccar/ns2-stock." in head
    assert "ccar/ns2-stock" in page[page.index('id="schemes"') :]
