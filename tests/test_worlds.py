"""The map of worlds: what its cells compare, and the words they get on hand-made results."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from evidence.worlds import kept as worlds_kept
from evidence.worlds import worlds
from evidence.worlds.confirm import FIRST, LATER, Round, confirmed, confirming, folder_of
from evidence.worlds.confirm import main as confirm
from evidence.worlds.confirm import words as confirmations
from evidence.worlds.page import drawn, written
from evidence.worlds.worlds import RATIOS, WORLDS, World

from multihop import catalogue
from multihop.study import Study
from multihop.study.store import Store
from tests.test_verdicts import Frames

ELFN = next(ratio for ratio in RATIOS if ratio.scheme == "tcp-elfn")
COPAS = next(ratio for ratio in RATIOS if ratio.scheme == "copas")
SEMI = next(ratio for ratio in RATIOS if ratio.scheme == "semi-tcp")
HOME = World("1999", "static", "NewReno", "few")


class Made(Frames):
    """Results of a study of one ratio, in the radio of 1999 and in 802.11g, where nodes stand."""

    def __init__(self, ratio: worlds.Ratio, gains: dict[str, float], networks: int = 20) -> None:
        rows = []
        for radio, gain in gains.items():
            for network in range(networks):
                luck = np.random.default_rng(network)
                common = luck.normal(1.0, 0.2)
                for scheme, mean in ((ratio.over, 1.0), (ratio.scheme, gain)):
                    rows.append(
                        {"scheme": scheme, "network": network, "world": f"{radio}, static"}
                        | {"transport": "NewReno", "n_flows": 1, "hops": 7}
                        | {"goodput_bps": 100 * mean * common * luck.normal(1.0, 0.03)}
                    )
        super().__init__(rows)
        axes = {
            "world": [f"{radio}, {movement}" for radio in gains for movement in worlds.MOVEMENTS],
            "transport": list(worlds.TRANSPORTS),
            "n_flows": [1, 10],
        }
        made = {name: SimpleNamespace(labels=labels) for name, labels in axes.items()}
        self.study = SimpleNamespace(table=SimpleNamespace(axes=made))  # type: ignore[assignment]

    def gaps(self, metric: str, axes: Iterable[str] | None = None) -> pl.DataFrame:  # noqa: ARG002
        """None."""
        return self.runs.clear()


def words(ratio: worlds.Ratio, gains: dict[str, float], **more: Any) -> list[worlds.Cell]:
    study = Made(ratio, gains, **more)
    return worlds.worded(
        [worlds.cell_of(ratio, World(radio, "static", "NewReno", "few"), study) for radio in gains]
    )


@pytest.mark.parametrize(("gain", "word"), [(1.5, "reverses"), (0.7, "holds"), (1.0, "fades")])
def test_a_cost_that_becomes_a_gain_reverses(gain: float, word: str) -> None:
    """The paper says that ELFN costs goodput where nodes stand."""
    assert [cell.word for cell in words(ELFN, {"1999": gain})] == [word]


def test_a_gain_that_is_clear_and_small_holds_rather_than_fades() -> None:
    cell = words(SEMI, {"1999": 1.05}, networks=60)[0]
    assert cell.clear
    assert cell.near < worlds.LEVEL
    assert cell.word == "holds"


def test_two_networks_decide_nothing() -> None:
    cell = words(ELFN, {"1999": 0.5}, networks=2)[0]
    assert cell.word == "undecided"


def test_a_cell_without_runs_is_not_run_and_one_of_another_transport_has_no_meaning() -> None:
    bbr = World("1999", "static", "BBR", "few")  # no network has it: no division by zero
    assert worlds.cell_of(ELFN, bbr, Made(ELFN, {"1999": 2.0})).word == "not run"
    assert worlds.cell_of(SEMI, bbr, Made(SEMI, {"1999": 2.0})).word == "not meaningful"


def test_what_turns_beside_the_radio_of_1999_is_listed_though_the_paper_says_so() -> None:
    known = {"1999": 1.4, "802.11g": 0.7}
    made = words(ELFN, known)
    rest = [
        worlds.Cell(ELFN, world, "not run")
        for world in WORLDS
        if world not in {cell.world for cell in made}
    ]
    found = worlds.flips([*made, *rest])
    assert [(cell.world.radio, beside) for cell, beside in found] == [
        ("1999", "the paper"),
        ("802.11g", "1999, NewReno"),
    ]


def test_more_cells_make_each_word_harder() -> None:
    one = worlds.cell_of(ELFN, HOME, Made(ELFN, {"1999": 0.85}, networks=5))
    assert worlds.worded([one])[0].word == "holds"
    noise = worlds.cell_of(ELFN, HOME, Made(ELFN, {"1999": 1.0}, networks=3))
    assert one.result is not None
    crowd = int(worlds.LEVEL / (2 * one.result.p_beyond)) + 2
    assert worlds.worded([one, *[noise] * crowd])[0].word == "undecided"


def test_every_ratio_finds_its_schemes_and_worlds_in_its_study() -> None:
    for ratio in RATIOS:
        table = Study.read(catalogue.study_file(f"worlds/{ratio.study}")).table
        schemes = [scheme.name for scheme in table.scheme_tables]
        assert {ratio.scheme, ratio.over} <= {*schemes}
        assert ratio.metric in table.metrics
        labels = [str(label) for label in table.axes["world"].labels]
        for world in WORLDS:
            fits = [
                label for label in labels
                if label.startswith(world.radio) and label.endswith(world.movement)
            ]  # fmt: skip
            assert len(fits) == 1


def test_the_map_has_a_box_for_each_cell_and_the_page_names_what_failed() -> None:
    found = [worlds.Cell(ratio, world, "not run") for ratio in RATIOS for world in WORLDS]
    spec = drawn(found)
    (rows,) = spec["datasets"].values() if "datasets" in spec else [spec["data"]["values"]]
    assert len(rows) == len(RATIOS) * len(WORLDS)
    assert "- tcp, network 3: no room" in written(found, ["tcp, network 3: no room"], {})


def test_what_turned_runs_again_in_its_own_worlds_alone_on_other_networks() -> None:
    world = World("802.11n", "mobile", "CUBIC", "many")
    study = confirming(ELFN, [world])
    cells = study.cells("full")
    assert [cell.scheme for cell in cells] == ["tcp", "tcp-elfn"]
    screened = Study.read(catalogue.study_file("worlds/elfn"))
    label = {"world": "802.11n, A-MPDUs, mobile", "transport": "CUBIC", "n_flows": 10}
    same = {
        cell.scheme: cell
        for cell in screened.cells("full")
        if label.items() <= dict(cell.point).items()
    }
    for cell in cells:
        assert cell.key(20_001) == same[cell.scheme].key(20_001)


@pytest.mark.parametrize(("again", "word"), [(1.3, True), (1.0, False), (0.7, False)])
def test_a_flip_is_confirmed_only_on_its_own_side(again: float, word: bool) -> None:
    (cell,) = words(ELFN, {"1999": 1.4})
    (other,) = words(ELFN, {"1999": again})
    assert other.result is not None
    assert confirmations([cell], {(ELFN, cell.world): other.result}) == {(ELFN, cell.world): word}


def test_what_there_is_nothing_to_compare_in_is_said_before_anything_has_run() -> None:
    words_of = Counter((cell.ratio.name, cell.word) for cell in worlds.cells({}))
    assert words_of["semi-TCP over TCP-AP, in order", "not meaningful"] == 24
    assert words_of["hop-by-hop rates over ELFN, Jain's index", "not meaningful"] == 18
    assert words_of["ELFN over TCP on DSR", "not run"] == 36


def test_a_flip_names_how_many_fresh_networks_said_so() -> None:
    (cell,) = words(ELFN, {"1999": 1.4}, networks=20)
    (other,) = words(ELFN, {"1999": 1.3}, networks=7)
    assert other.result is not None
    text = written([cell], [], {(ELFN, cell.world): other.result})
    assert "on 7: confirmed" in text


def test_what_an_earlier_screening_found_stands_until_as_many_networks_run(tmp_path: Path) -> None:
    table = tmp_path / "worlds.csv"
    (before,) = words(ELFN, {"1999": 0.7}, networks=20)
    (unlike,) = words(ELFN, {"1999": 1.4}, networks=20)
    assert before.result is not None
    assert worlds_kept.read(table) == ([], {})
    worlds_kept.write(table, [before], {(ELFN, HOME): before.result})
    kept, again = worlds_kept.read(table)
    assert kept == [before]
    assert again == {(ELFN, HOME): before.result}
    (fewer,) = words(ELFN, {"1999": 1.4}, networks=19)
    none = worlds.Cell(ELFN, HOME, "not run")
    assert fewer.result is not None
    assert unlike.result is not None
    for found in (fewer, none):
        assert worlds.worded(list(worlds_kept.merged([found], kept))) == [before]
    assert worlds_kept.joined({(ELFN, HOME): fewer.result}, again) == again
    assert worlds.worded(list(worlds_kept.merged([unlike], kept))) == [unlike]
    assert worlds_kept.joined({(ELFN, HOME): unlike.result}, again)[ELFN, HOME] == unlike.result


def test_runs_of_another_engine_are_as_if_there_were_none(tmp_path: Path) -> None:
    (cell,) = words(ELFN, {"1999": 1.4})
    store = tmp_path / "store"
    for folder in (store, tmp_path / ELFN.study, folder_of(ELFN, tmp_path)):
        folder.mkdir(parents=True)
    Store(store)
    assert worlds.read(tmp_path, store) == {}
    assert confirmed([cell], tmp_path, store) == {}


def test_a_table_of_worlds_without_its_columns_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "worlds.csv"
    table.write_text("result,radio\nELFN over TCP on DSR,1999\n")
    with pytest.raises(ValueError, match="has no column movement, "):
        worlds_kept.read(table)


@pytest.mark.parametrize(("option", "held_out"), [("--open", FIRST), ("--later", LATER)])
def test_only_what_is_not_confirmed_yet_can_be_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, held_out: Round
) -> None:
    first, second = words(ELFN, {"1999": 1.4, "802.11g": 1.4})
    again = dict(zip((first, second), words(ELFN, {"1999": 1.3, "802.11g": 1.0}), strict=True))
    said = {(ELFN, cell.world): other.result for cell, other in again.items() if other.result}
    monkeypatch.setattr(worlds_kept, "TABLE", tmp_path / "worlds.csv")
    worlds_kept.write(worlds_kept.TABLE, [first, second], said)
    ran = []
    monkeypatch.setattr(Study, "run", lambda study, *_folder, **more: ran.append((study, more)))
    done = CliRunner().invoke(confirm, ["--out", str(tmp_path), option])
    assert done.exit_code == 0
    ((study, more),) = ran
    assert [dict(cell.point)["turned"] for cell in study.cells("full")] == [second.world.name] * 2
    assert (study.table.first_seed, more["networks"]) == (held_out.first_seed, held_out.networks)


def test_a_later_round_is_judged_by_its_own_networks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cell,) = words(ELFN, {"1999": 1.4})
    rounds = {FIRST.first_seed: 1.0, LATER.first_seed: 1.3}

    def opened(study: Study, _folder: Path, **_more: object) -> Made:
        made = Made(ELFN, {"1999": rounds[study.table.first_seed]})
        made.runs = made.runs.with_columns(turned=pl.lit(cell.world.name))
        made.flows = made.flows.with_columns(turned=pl.lit(cell.world.name))
        return made

    monkeypatch.setattr(Study, "open", opened)
    for held_out in (FIRST, LATER):
        folder_of(ELFN, tmp_path, held_out).mkdir(parents=True)
        (result,) = confirmed([cell], tmp_path, tmp_path).values()
        assert result.value == pytest.approx(rounds[held_out.first_seed], rel=0.02)
        assert result.networks == 20


def test_a_result_that_is_not_on_the_map_is_refused_before_anything_runs(tmp_path: Path) -> None:
    said = CliRunner().invoke(confirm, ["--out", str(tmp_path), "--result", "COPPAS"])
    assert said.exit_code == 2
    assert "COPAS over DSR" in said.output
    assert not any(tmp_path.iterdir())
