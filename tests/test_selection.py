"""Selection of the best: the procedure's promise, who gets further networks, and what is said."""

import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from multihop.report.markdown import put_study
from multihop.report.pages import write_report
from multihop.scenario import to_toml
from multihop.study import Study, StudyError
from multihop.study import study as running
from multihop.study.execution import LocalExecutor, Task
from multihop.study.kn import Floats, Procedure, Selection, h_square
from multihop.study.race import runs_of
from multihop.study.store import Outcome, Store
from tests.conftest import Called
from tests.test_precision import RESULT, networks
from tests.test_study import SCENARIO, contents, tables

TRIALS = 300
LEAST_RIGHT = 0.95 - 3 * math.sqrt(0.95 * 0.05 / TRIALS)
"""Three standard errors of the simulation below what is promised."""


def selection(candidates: int, procedure: Procedure = "kn++", **changes: Any) -> Selection:
    asked = {"probability": 0.95, "indifference": 0.05, "start": 10, **changes}
    return Selection(candidates, procedure=procedure, **asked)


def decide(race: Selection, values: Callable[[], Floats]) -> int:
    """Race to the end; gives the runs that it takes."""
    runs = 0
    while not race.decided and race.networks < 3000:
        runs += len(race.remaining)
        race.add(values())
    return runs


@pytest.mark.slow("hundreds of selections, for how often they are right")
@pytest.mark.parametrize("procedure", ["kn", "kn++"])
@pytest.mark.parametrize("skewed", [False, True], ids=["normal", "skewed"])
def test_the_best_is_selected_as_often_as_promised(procedure: Procedure, skewed: bool) -> None:
    rng = np.random.default_rng(11)
    right = 0
    for trial in range(TRIALS):
        # The hardest case: all but the best are just as far behind as matters.
        means = np.full(5, 0.95)
        means[trial % 5] = 1.0

        def values(means: Floats = means) -> Floats:
            if skewed:
                return means * rng.lognormal(0, 0.47) * rng.lognormal(0, 0.08, 5)
            return means * (1 + 0.3 * rng.normal()) + 0.08 * rng.normal(size=5)

        race = selection(5, procedure)
        decide(race, values)
        right += race.remaining == [trial % 5]
    assert right / TRIALS >= LEAST_RIGHT


def test_many_candidates_take_a_fraction_of_the_runs_of_equal_allocation() -> None:
    rng = np.random.default_rng(3)
    # 49 candidates of which a few are close, as in the tournament; networks differ more than they.
    means = np.concatenate([[1.0, 0.97, 0.95, 0.95], np.linspace(0.92, 0.35, 45)])
    shares, right = [], 0
    for _ in range(15):
        race = selection(49)
        runs = decide(race, lambda: means * rng.lognormal(0, 0.5) * rng.lognormal(0, 0.12, 49))
        shares.append(runs / (49 * race.networks))
        right += race.remaining[0] in (0, 1)
    assert right >= 14
    assert np.mean(shares) < 0.4


def textbook(values: Floats, start: int) -> tuple[dict[int, int], list[int]]:
    """KN as Kim and Nelson write it down, pair by pair, with a share of the first best mean."""
    candidates = values.shape[1]
    eta = 0.5 * ((2 * 0.05 / (candidates - 1)) ** (-2 / (start - 1)) - 1)
    square, first = 2 * eta * (start - 1), values[:start]
    delta = 0.05 * max(first.mean(axis=0))
    variance = {
        pair: np.var(first[:, pair[0]] - first[:, pair[1]], ddof=1)
        for pair in itertools.permutations(range(candidates), 2)
    }
    left, out = list(range(candidates)), {}
    for count in range(start, len(values) + 1):
        means = values[:count].mean(axis=0)
        behind = [
            i
            for i in left
            for j in left
            if i != j
            and means[i]
            < means[j] - max(0, delta / 2 / count * (square * variance[i, j] / delta**2 - count))
        ]
        out |= dict.fromkeys(sorted(set(behind), key=lambda i: means[i]), count)
        left = [i for i in left if i not in behind]
        if len(left) == 1:
            break
    return out, left


def test_eliminations_are_those_of_the_textbook() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        values = rng.normal([1.0, 0.98, 0.9, 0.9, 0.6], [0.1, 0.1, 0.2, 0.05, 0.1], (600, 5))
        race = selection(5, "kn", start=8)
        drawn = iter(values)
        decide(race, lambda drawn=drawn: next(drawn))
        out, left = textbook(values, 8)
        assert (list(race.out.items()), race.remaining) == (list(out.items()), left)
        assert list(race.out.values()) == sorted(race.out.values())
    # Kim and Nelson's constant for ten systems and ten first observations.
    assert h_square(10, 0.95, 10) == pytest.approx(15.46, abs=0.01)


def test_the_lowest_can_be_the_best() -> None:
    rng = np.random.default_rng(5)
    race = selection(3, lowest=True)
    decide(race, lambda: rng.normal([3.0, 1.0, 2.0], 0.1))
    assert race.remaining == [1]
    assert race.indifference == pytest.approx(0.05, rel=0.1)


def test_equal_candidates_end_and_a_best_of_zero_never_does() -> None:
    rng = np.random.default_rng(5)
    twins = selection(3)
    decide(twins, lambda: rng.normal() + np.array([1.0, 2.0, 2.0]))
    assert (twins.remaining, twins.networks) == ([1], 10)
    zero = selection(2, lowest=True)
    decide(zero, lambda: np.array([0.0, rng.exponential()]))
    assert not zero.decided
    with pytest.raises(ValueError, match="a candidate in the race has no value"):
        zero.add([0.0, math.nan])
    with pytest.raises(ValueError, match="selected already"):
        twins.add([1.0, 2.0, 2.0])


LEVEL = {("aodv", 1): 1.0, ("static", 1): 0.94, ("aodv", 4): 0.3, ("static", 4): 0.98}
BEST = ("aodv", 1)


class MadeUp(LocalExecutor):
    """Gives results whose goodputs are made up, by scheme, window and seed."""

    failing = frozenset[tuple[str, int, int]]()
    """Scheme, window and seed of runs that fail."""
    most: int | None = None
    """So many runs are done before the user interrupts."""
    done = 0

    def outcomes(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """One for each task, made up."""
        for task in tasks:
            if MadeUp.most is not None and MadeUp.done >= MadeUp.most:
                raise KeyboardInterrupt
            MadeUp.done += 1
            scenario = json.loads(task.text)
            candidate = (scenario["routing"]["scheme"], scenario["transport"]["window_segments"])
            if (*candidate, task.seed) in self.failing:
                yield Outcome(task.key, task.seed, 1.0, error="broken")
            else:
                made = json.loads(json.dumps(RESULT))
                made["flows"] = self.flows(candidate, task.seed, made["flows"][0])
                yield Outcome(task.key, task.seed, 1.0, result=made)

    def flows(self, candidate: tuple[str, int], seed: int, flow: Any) -> list[Any]:
        """One flow; a network is good or bad for all alike but for some noise."""
        common = np.random.default_rng([seed, 0]).normal()
        own = np.random.default_rng([seed, 8 + list(LEVEL).index(candidate)]).normal()
        level = LEVEL[candidate] * (1 + 0.2 * common) + 0.08 * own
        return [{**flow, "goodput_bps": 1e6 * level}]


@pytest.fixture(autouse=True)
def _made_up(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MadeUp, "done", 0)
    if "called" not in request.fixturenames:
        monkeypatch.setattr(running, "LocalExecutor", MadeUp)


def ranking(**changes: Any) -> dict[str, Any]:
    select = {"limit": 200, "indifference": 0.03, **changes.pop("select", {})}
    best = {"name": "best", "title": "The best", "y": "goodput_bps", "over": ["window"]}
    return {**best, "select": select, **changes}


def study(*rankings: dict[str, Any], **changes: Any) -> Study:
    changes = {"scale": {"full": {"networks": 3}}, **changes}
    return Study(**tables(rankings=list(rankings or [ranking()]), **changes))


def test_only_those_in_the_race_get_further_networks(tmp_path: Path) -> None:
    results = study().run(tmp_path)
    (data,) = results.selected()
    (race,) = data.races
    assert race.remaining == [BEST]
    assert next(iter(race.out)) == ("aodv", 4)
    assert list(race.out)[-1] == ("static", 4)
    assert race.out["aodv", 4] == 10
    assert race.counted == race.tried == race.out["static", 4] > 12
    assert race.indifference == pytest.approx(3e4, rel=0.15)
    ran = networks(results)
    assert ran["aodv window=4"] == 10
    assert race.tried <= ran["aodv window=1"] == ran["static window=4"] <= 1.1 * race.tried
    frame = results.ranking("best")
    assert frame["scheme"].to_list() == ["aodv", "static", "static", "aodv"]
    assert frame["eliminated"].to_list() == [None, *reversed(race.out.values())]
    taken, equal = runs_of(data.races)
    assert (taken, equal) == (race.tried + sum(race.out.values()), 4 * race.tried)
    # The difference is by the networks that both ran on, its value by all that it ran on.
    assert frame["networks"].to_list()[0] > frame["networks"].to_list()[-1] == 10
    assert frame["difference"].to_list()[-1] == pytest.approx(-7e5, rel=0.1)


@pytest.mark.slow("runs a study with a selection")
def test_a_study_that_is_resumed_or_opened_selects_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = study().run(tmp_path / "whole")
    monkeypatch.setattr(MadeUp, "most", 80)
    monkeypatch.setattr(MadeUp, "done", 0)
    with pytest.raises(KeyboardInterrupt):
        study().run(tmp_path / "part")
    part = study().open(tmp_path / "part").selected()[0].races[0]
    assert not part.decided
    assert part.out.items() <= whole.selected()[0].races[0].out.items()
    monkeypatch.setattr(MadeUp, "most", None)
    resumed = study().run(tmp_path / "part")
    opened = study().open(tmp_path / "part")
    for results in (resumed, opened):
        assert results.selected()[0].races == whole.selected()[0].races
        assert contents(results) == contents(whole)
    # Networks that another ranking, or an earlier run, made do not change it.
    study().run(tmp_path / "more", networks=60, store=tmp_path / "store")
    more = study().run(tmp_path / "more", store=tmp_path / "store")
    assert more.selected()[0].races == whole.selected()[0].races


def test_races_over_many_networks_read_the_failed_runs_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study().run(tmp_path)
    opened = study().open(tmp_path)
    asked: list[int] = []
    errors = Store.errors

    def counted(store: Store, keys: Iterable[str]) -> dict[str, str]:
        asked.append(1)
        return errors(store, keys)

    monkeypatch.setattr(Store, "errors", counted)
    (data,) = opened.selected()
    assert data.races[0].tried > 12
    assert len(asked) == 1


def test_each_value_of_per_has_a_race_of_its_own(tmp_path: Path) -> None:
    results = study(ranking(over=[], per=["window"])).run(tmp_path)
    races = results.selected()[0].races
    assert [race.place for race in races] == [(1,), (4,)]
    assert [race.remaining for race in races] == [[("aodv",)], [("static",)]]
    ran = networks(results)
    assert ran["aodv window=4"] == ran["static window=4"] == 10
    assert ran["aodv window=1"] == ran["static window=1"] >= 10


@pytest.mark.slow("runs a study with a selection")
def test_what_the_limit_leaves_open_is_said(tmp_path: Path) -> None:
    results = study(ranking(select={"limit": 12, "indifference": 0.001})).run(tmp_path)
    (data,) = results.selected()
    left = data.races[0].remaining
    assert {BEST, ("static", 4)} <= set(left)
    assert networks(results)["aodv window=1"] == 12
    assert results.ranking("best")["eliminated"].to_list()[: len(left)] == [None] * len(left)
    write_report(results, tmp_path)
    html = (tmp_path / "report.html").read_text()
    assert re.search(r"Not decided after \d+ of 48 runs \([\d.]+ %\): aodv \+ 1, ", html)
    assert ">undecided: " in html


def test_the_best_is_that_by_the_mean_over_flows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flows(_self: MadeUp, candidate: tuple[str, int], seed: int, flow: Any) -> list[Any]:
        # aodv: 1 for each of three flows, and 0.7 for one alone, which is less by network.
        many, alone = {"aodv": (1.0, 0.7), "static": (0.9, 0.9)}[candidate[0]]
        goodputs = [many] * 3 if seed % 2 else [alone]
        return [{**flow, "goodput_bps": goodput * 1e6} for goodput in goodputs]

    monkeypatch.setattr(MadeUp, "flows", flows)
    results = study(ranking(over=[]), axes=None).run(tmp_path)
    (race,) = results.selected()[0].races
    assert race.remaining == [("aodv",)]
    assert race.indifference == pytest.approx(0.03 * 0.925e6, rel=0.02)


def test_networks_without_a_value_are_left_out_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MadeUp, "failing", frozenset({("aodv", 1, 2), ("aodv", 4, 3)}))
    results = study().run(tmp_path)
    (race,) = results.selected()[0].races
    assert race.remaining == [BEST]
    assert race.counted == race.tried - 2
    # Ten networks with values are needed before the first is eliminated.
    assert min(race.out.values()) == 12


def test_without_values_nothing_is_added(tmp_path: Path) -> None:
    results = study(ranking(where="hops > 9")).run(tmp_path)
    assert set(networks(results).values()) == {3}
    assert results.selected()[0].races == []


def test_it_holds_at_full_scale_and_where_networks_are_not_given(tmp_path: Path) -> None:
    both = study(scale={"quick": {"networks": 2}, "full": {"networks": 3}})
    for results, count in (
        (both.run(tmp_path / "quick", scale="quick"), 2),
        (both.run(tmp_path / "given", networks=5), 5),
        (both.open(tmp_path / "given"), 5),
        (both.run(tmp_path / "part", shard=(1, 2)), 3),
    ):
        assert (set(networks(results).values()), results.selected()) == ({count}, [])
        assert "eliminated" not in results.ranking("best").columns


@pytest.mark.slow("runs a study with a selection")
def test_the_reports_state_the_guarantee(tmp_path: Path) -> None:
    results = study(ranking(baseline={"scheme": "static", "window": 1})).run(tmp_path)
    write_report(results, tmp_path)
    html = (tmp_path / "report.html").read_text()
    said = r"Selected by KN\+\+: a candidate that is better than all others by 3 % "
    said += r"\(\d\d\.\d kbit/s\) or more is the one selected with a probability of 95 % in the "
    said += r"limit of many networks\. Selected after \d+ of \d+ runs \([\d.]+ %\)\."
    assert re.search(said, html)
    assert "--networks" not in html
    page = tmp_path / "page.md"
    page.write_text("<!-- results: begin -->\n<!-- results: end -->\n")
    put_study(page, results, [])
    text = page.read_text()
    assert re.search(said, text)
    row = next(line for line in text.splitlines() if line.startswith("| aodv + 1 |"))
    assert re.search(r"\| \d+: static \+ 4 / \d+: static \+ 1 / 10: aodv \+ 4 \|$", row)
    several = study(ranking(over=[], per=["window"], select={"procedure": "kn"}))
    put_study(page, several.run(tmp_path / "several"), [])
    text = page.read_text()
    assert "probability of at least 95 % if the values of networks are normal. " in text
    assert "That holds for each row by itself, that all are right at least 90 %. All 2" in text


@pytest.mark.slow("runs a study with a selection")
def test_the_command_runs_a_real_selection(tmp_path: Path, called: Called) -> None:
    # A window of one segment carries less than one of four over a lone hop.
    window = {"key": "transport.window_segments", "values": [1, 4]}
    near = {**SCENARIO, "flows": [{"kind": "ftp", "source": 0, "destination": 1, "stop_s": 3}]}
    made = tables(
        scenario=near, schemes=["aodv"], axes={"window": window},
        scale={"full": {"networks": 2}}, rankings=[ranking(select={"start": 4, "limit": 20})],
    )  # fmt: skip
    (tmp_path / "select.toml").write_text(to_toml(made))
    said = r"selection of best: aodv \+ \d selected after 8 of 8 runs \(100 %\)"
    for command in (["run", "select.toml", "--out", "out", "--workers", 1], ["report", "out"]):
        done = called("study", *command)
        assert done.returncode == 0, done.stderr
        assert re.fullmatch(said, done.stdout.splitlines()[-1])
    again = called("study", "run", "select.toml", "--out", "given", "--networks", 2)
    assert "selection" not in again.stdout


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"limits": 3}, r"select\.limits: unknown key; did you mean limit\?"),
        ({"probability": 1}, r"select\.probability: .* less than 1"),
        ({"indifference": 0}, r"select\.indifference: .* greater than 0"),
        ({"limit": 5}, r"select\.limit: must be at least start, 10 \(got 5\)"),
        ({"start": 1}, r"select\.start: .* greater than or equal to 2"),
        ({"procedure": "ocba"}, r"select\.procedure: input should be 'kn' or 'kn\+\+'"),
    ],
)
def test_a_wrong_selection_names_the_key(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(StudyError, match=rf"^rankings\.0\.{message}") as caught:
        study(ranking(select=wrong))
    assert "\n" not in str(caught.value)


def test_an_indifference_can_be_a_number_whatever_the_means_are() -> None:
    leads = {True: 0.2, False: 0.2 * 0.5}
    for absolute, lead in leads.items():
        race = Selection(2, probability=0.95, indifference=0.2, start=2, absolute=absolute)
        for value in (0.4, 0.6):
            race.add([value, value - 0.01 * value])
        assert race.indifference == pytest.approx(lead)
