"""Headlines judged until decided: their error rate, and where networks are added."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from benches.wrong_words import TRUTHS, families

from multihop.errors import StudyError
from multihop.reproduction import until_decided
from multihop.reproduction.headline_tests import (
    Chances,
    Looked,
    chances,
    looks,
    networks_needed,
    shares,
)
from multihop.reproduction.headlines import Headline
from multihop.reproduction.network_sums import NetworkSums
from multihop.reproduction.until_decided import FIRST_NETWORK, Campaign
from multihop.study.execution import Task
from multihop.study.plan import Cell
from multihop.study.store import Outcome
from tests.conftest import Called
from tests.papers_here import all_headlines

MOST = 152
CHAIN = "network_kind == 'chain of 4 hops'"


def test_looks_grow_to_the_most_and_share_the_level() -> None:
    assert looks(3000)[:3] == [30, 45, 68]
    assert looks(3000)[-1] == 3000
    assert looks(10) == [10]
    assert sum(shares(13)) == pytest.approx(0.8)


@pytest.mark.parametrize("truth", TRUTHS)
def test_few_families_have_a_wrong_word(truth: str) -> None:
    """Five in a hundred at most, so of twenty more than four in one of four hundred suites."""
    found = families(TRUTHS[truth], 20, judgements=18, most=MOST)
    assert sum(family.wrong > 0 for family in found) <= 4


def test_a_word_is_what_the_interval_is_on() -> None:
    def one(slack: float, error: float = 0.005) -> Chances:
        return chances([Looked(slack, error, 0.03, 100, degrees=99)])

    assert one(0.1).word(0.001) == "holds"
    assert one(-0.1).word(0.001) == "does not hold"
    assert one(0.0).word(0.001) == "no difference that matters"
    assert one(0.03).word(0.001) == "holds"  # it may be more than the margin
    assert one(0.01, 0.02).word(0.001) is None


def test_all_parts_hold_or_the_least_matters() -> None:
    def word(*slacks: float) -> str | None:
        return chances([Looked(s, 0.004, 0.03, 100, degrees=99) for s in slacks]).word(0.001)

    assert word(0.2, 0.1) == "holds"
    assert word(0.2, -0.1) == "does not hold"
    assert word(0.2, 0.0) == "no difference that matters"
    assert word(-0.2, 0.0) == "does not hold"


def test_a_long_tail_on_the_other_side_makes_a_test_careful() -> None:
    plain = Looked(0.1, 0.02, 0.03, 30, degrees=29)
    tailed = Looked(0.1, 0.02, 0.03, 30, skewness=-0.3, degrees=29)
    assert tailed.beyond > 10 * plain.beyond
    assert Looked(0.1, 0.02, 0.03, 30, degrees=5).beyond > 10 * plain.beyond


def test_networks_needed_grow_with_the_square_of_the_nearness() -> None:
    def needed(slack: float) -> float:
        return networks_needed([Looked(slack, 0.05, 0.03, 100)], 0.002)

    assert needed(0.1) == pytest.approx(100 * (0.05 / 0.1 * 3.0902) ** 2, rel=1e-3)
    assert needed(0.1) * 4 == pytest.approx(needed(0.05))
    assert needed(0.001) < needed(0.015)  # it is soon seen that it does not matter


class Made:
    """An executor whose runs give what is made up for each cell and network."""

    def __init__(self, patch: pytest.MonkeyPatch, ratios: dict[str, float], every: int = 1) -> None:
        self.ratios, self.every, self.done = ratios, every, 0
        patch.setattr(until_decided, "sums_of", self.sums_of)

    def outcomes(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """Each run, at once."""
        for task in tasks:
            self.done += 1
            yield Outcome(task.key, task.seed, 9.0, result=cast("Any", {}), cpu_s=2.0)

    def sums_of(
        self, cell: Cell, network: int, _result: object, wanted: list[tuple[str, str]]
    ) -> dict[tuple[str, str], tuple[float, int]]:
        """One flow a run, of a goodput that schemes have in common but for the ratio.

        Only one of `every` so many networks has the flow.
        """
        if network % self.every:
            return dict.fromkeys(wanted, (0.0, 0))
        luck = np.random.default_rng([network, len(cell.scheme)])
        common = np.random.default_rng(network).normal(1, 0.2)
        ratio = self.ratios[str(dict(cell.point)["reading"])] if cell.scheme == "tcp-elfn" else 1
        return dict.fromkeys(wanted, (100 * ratio * common * luck.normal(1, 0.1), 1))


@pytest.fixture
def chosen() -> list[Headline]:
    """One headline on a chain, under three readings."""
    one = next(each for each in all_headlines() if each.id == "elfn-costs-chain")
    return [one.model_copy(update={"parts": one.parts[:1]})]


RATIOS = {"elfn/ours": 1.3, "elfn/ns2-stock": 0.95, "elfn/window-4": 0.7}


def test_networks_are_added_where_it_is_open(
    chosen: list[Headline], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sums.parquet"
    made = Made(monkeypatch, RATIOS)
    campaign = Campaign(chosen, NetworkSums(file), MOST)
    campaign.run(made, math.inf)
    found = {verdict.reading: verdict for verdict in campaign.verdicts()}
    assert [v.word for v in found.values()] == ["does not hold", "holds", "holds"]
    assert found["elfn/ours"].parts[0].networks == 30
    assert found["elfn/window-4"].parts[0].networks == 30
    assert 30 < found["elfn/ns2-stock"].parts[0].networks <= MOST
    runs = 2 * sum(verdict.parts[0].networks for verdict in found.values())
    assert made.done == runs
    spent_s, equal_s, whole_s = campaign.spent_s()
    assert spent_s == 2.0 * runs
    assert equal_s == 2.0 * 6 * found["elfn/ns2-stock"].parts[0].networks
    assert whole_s == 2.0 * 6 * MOST
    again = Campaign(chosen, NetworkSums(file), MOST)
    again.run(made, math.inf)
    assert made.done == runs  # all was kept
    assert again.verdicts() == campaign.verdicts()


def test_what_time_leaves_open_says_how_much_it_would_take(
    chosen: list[Headline], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign(chosen, NetworkSums(tmp_path / "sums.parquet"), MOST)
    campaign.run(Made(monkeypatch, RATIOS), time.monotonic())
    assert {verdict.word for verdict in campaign.verdicts()} == {"not run"}
    campaign = Campaign(chosen, NetworkSums(tmp_path / "near.parquet"), 45)
    campaign.run(Made(monkeypatch, {**RATIOS, "elfn/ns2-stock": 0.98}), math.inf)
    near = campaign.verdicts()[1]
    assert near.word == "not decided"
    assert near.expected is not None
    assert near.expected >= 45
    assert "from the line on 45 networks; it would take about" in near.why


def test_networks_without_such_flows_count_in_what_it_would_take(
    chosen: list[Headline], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign(chosen, NetworkSums(tmp_path / "sums.parquet"), 68)
    campaign.run(Made(monkeypatch, {**RATIOS, "elfn/ns2-stock": 0.985}, every=2), math.inf)
    near = campaign.judgements[1]
    assert campaign.verdicts()[1].word == "not decided"
    (part,) = near.parts
    assert (near.networks, part.networks) == (68, 34)
    with_flows = networks_needed(near.parts, campaign.needed * campaign.shares[-1])
    assert campaign.expected(near) == pytest.approx(2 * with_flows, abs=1)


def test_runs_of_another_engine_are_checked_by_one_of_them(
    chosen: list[Headline], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sums.parquet"
    made = Made(monkeypatch, {**RATIOS, "elfn/ns2-stock": 0.98})
    Campaign(chosen, NetworkSums(file), 45).run(made, math.inf)
    sums, before = NetworkSums(file), made.done
    for kept in sums.cells.values():
        kept.digest = "another"
    campaign = Campaign(chosen, sums, MOST)
    assert len(campaign.other_engine) == 6
    campaign.run(made, math.inf)
    assert not campaign.replaced
    further = 2 * (campaign.judgements[1].networks - 45)
    assert made.done == before + 2 + further  # of each cell that gets networks one is repeated
    kept = sums.cells["elfn/headlines-static", _cell(campaign, "tcp-elfn")]
    kept.digest, made.ratios["elfn/ns2-stock"] = "another", 0.9
    changed = Campaign(chosen, sums, 3000)
    changed._trust(changed.judgements[1], made)
    assert changed.replaced == [f"elfn/headlines-static: {_cell(campaign, 'tcp-elfn')}"]
    assert [*sums.cells["elfn/headlines-static", _cell(campaign, "tcp-elfn")].runs] == [
        FIRST_NETWORK
    ]


def _interrupted(_tasks: Iterator[Task]) -> Iterator[Outcome]:
    raise KeyboardInterrupt


def _failed(tasks: Iterator[Task]) -> Iterator[Outcome]:
    for task in tasks:
        yield Outcome(task.key, task.seed, 0.0, error="out of memory")


@pytest.mark.parametrize(
    ("outcomes", "raised"), [(_interrupted, KeyboardInterrupt), (_failed, StudyError)]
)
def test_a_repetition_that_was_not_done_takes_no_runs_away(
    outcomes: Callable[[Iterator[Task]], Iterator[Outcome]],
    raised: type[BaseException],
    chosen: list[Headline],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sums, made = NetworkSums(tmp_path / "sums.parquet"), Made(monkeypatch, RATIOS)
    Campaign(chosen, sums, 30).run(made, math.inf)
    runs = {key: {**kept.runs} for key, kept in sums.cells.items()}
    for kept in sums.cells.values():
        kept.digest = "another"

    monkeypatch.setattr(made, "outcomes", outcomes)
    campaign = Campaign(chosen, sums, MOST)
    with pytest.raises(raised):
        campaign._trust(campaign.judgements[1], made)
    assert {key: kept.runs for key, kept in sums.cells.items()} == runs


def _cell(campaign: Campaign, scheme: str) -> str:
    return next(
        name for name, (cell, _) in campaign.judgements[1].cells.items() if cell.scheme == scheme
    )


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "sums.parquet"
    file.write_text("no table")
    with pytest.raises(StudyError, match="is no Parquet file"):
        NetworkSums(file)


def test_the_command_goes_on_with_its_sums_and_fills_a_page(
    called: Called, chosen: list[Headline], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Campaign(chosen, NetworkSums(tmp_path / "sums.parquet"), 30).run(
        Made(monkeypatch, RATIOS), math.inf
    )
    page = tmp_path / "page.md"
    page.write_text("x\n<!-- headlines decided: begin -->\n<!-- headlines decided: end -->\n")
    brief = tmp_path / "brief.md"
    brief.write_text("<!-- headlines in short: begin -->\n<!-- headlines in short: end -->\n")
    going_on = ("headlines", "elfn", "--until", "decided", "--sums", "sums.parquet")
    pages = ("--page", "page.md", "--page", "brief.md")
    done = called(*going_on, "--hours", "0", *pages, "--out", "out")
    assert done.returncode == 0, done.stderr
    text = page.read_text("utf-8")
    assert "7 headlines, 18 judgements" in text
    assert "| `elfn/window-4` | 0 | 0 | 0 | 0 | 4 |" in text  # two chains are asked for
    assert "The runs took 0.10 processor hours" in text
    assert brief.read_text("utf-8").count("| elfn |") == 7
    wrong = called("headlines", "elfn", "--hours", "1")
    assert wrong.returncode == 2
    assert "--hours needs --until decided" in wrong.stderr
    wrong = called(*going_on, "--scale", "quick")
    assert wrong.returncode == 2
    assert "--scale goes without --until" in wrong.stderr
