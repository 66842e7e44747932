"""What decides a headline: designs, effects, flips, and the command."""

import itertools
import json
import math
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from multihop import reading
from multihop.assumptions import Trial, designs, flips, search
from multihop.assumptions.effects import Effect, Pair, Row, main_effects, pair_effects
from multihop.scenario import to_toml
from multihop.statistics import Estimate
from multihop.study import Study, StudyError
from multihop.study.choices import Assumptions
from multihop.study.estimates import Sample
from tests.conftest import Called
from tests.papers_here import FOLDER

SEARCHED = [file.parents[1].name for file in sorted(FOLDER.glob("*/studies/assumptions.toml"))]
"""Papers whose open choices are searched for what decides."""

Log = Callable[[Row], float]
"""The logarithm of a setting's true ratio."""


def asked(*levels: int, **changes: object) -> Assumptions:
    """Choices a, b, c, ... with so many alternatives each."""
    choices = [
        {
            "name": "abcdefghijklmnop"[number],
            "about": "a choice",
            "alternatives": [
                {"label": label, "set": {"transport.window_segments": label + 1}}
                for label in range(count)
            ],
        }
        for number, count in enumerate(levels)
    ]
    tables: dict[str, object] = {
        "headline": "ours over theirs",
        "metric": "goodput_bps",
        "scheme": "aodv",
        "over": "static",
        "screening": {"networks": 20, "first_seed": 1},
        "confirming": {"networks": 100, "first_seed": 1001},
        "choices": choices,
    }
    return Assumptions.model_validate(tables | changes)


def responding(log: Log, noise: float = 0.1) -> Callable[[Sequence[Row], range], list[Pair]]:
    """Settings whose true ratio is known; networks differ, and each setting scatters on each."""

    def respond(rows: Sequence[Row], seeds: range) -> list[Pair]:
        return [_pair(row, seeds, log(row), noise) for row in rows]

    return respond


def _pair(row: Row, seeds: range, log: float, noise: float) -> Pair:
    ours, theirs = [], []
    for seed in seeds:
        shared = math.exp(np.random.default_rng(seed).normal(0, 0.5))
        own = np.random.default_rng([1, seed, *row]).normal(0, noise)
        theirs.append(1000 * shared)
        ours.append(1000 * shared * math.exp(log + own))
    ones = np.ones(len(seeds))
    return (
        Sample(tuple(seeds), np.array(ours), ones),
        Sample(tuple(seeds), np.array(theirs), ones),
    )


def by_level(effects: Sequence[Effect]) -> dict[tuple[tuple[int, int], ...], Estimate]:
    return {effect.of: effect.factor for effect in effects}


@pytest.mark.parametrize("count", [4, 7, 9, 12, 15, 18])
def test_a_screening_of_two_alternatives_each_is_orthogonal_and_clear_of_pairs(count: int) -> None:
    rows = 2 * np.array(designs.screening([2] * count)) - 1
    assert len(rows) <= 2 * (count + 4)
    assert np.array_equal(rows.T @ rows, len(rows) * np.eye(count))
    for one, other in itertools.combinations(range(count), 2):
        assert not (rows.T @ (rows[:, one] * rows[:, other])).any()


@pytest.mark.parametrize(
    "levels", [[2, 3], [3, 3, 4], [2] * 9 + [3, 3, 4], [4] * 6, [2] * 12 + [3]]
)
def test_every_effect_of_a_screening_can_be_told(levels: list[int]) -> None:
    rows = designs.screening(levels)
    assert len({*rows}) == len(rows)
    assert rows[0] == (0,) * len(levels)
    for choice, count in enumerate(levels):
        assert {row[choice] for row in rows} == {*range(count)}
    exact = responding(lambda row: sum(0.1 * (c + 1) * level for c, level in enumerate(row)), 0)
    for effect in main_effects(rows, levels, exact(rows, range(1, 4))):
        ((choice, level),) = effect.of
        assert effect.factor.value == pytest.approx(math.exp(0.1 * (choice + 1) * level))


def test_too_many_choices_are_refused() -> None:
    with pytest.raises(StudyError, match="take 24 columns of 23"):
        designs.screening([2] * 22 + [3])


def test_a_factorial_has_every_combination_of_the_kept_choices() -> None:
    rows = designs.factorial([2, 3, 2], [1, 2])
    assert rows[0] == (0, 0, 0)
    assert {*rows} == {(0, b, c) for b in range(3) for c in range(2)}


def test_pairs_are_told_from_main_effects() -> None:
    def log(row: Row) -> float:
        a, b, c = row
        return 0.3 * a - 0.2 * (b == 1) + 0.1 * (b == 2) + 0.5 * a * (b == 2) + 0 * c

    levels = [2, 3, 2]
    rows = designs.factorial(levels, range(3))
    main, pairs = map(by_level, pair_effects(rows, levels, responding(log, 0)(rows, range(1, 4))))
    assert math.log(pairs[(0, 1), (1, 2)].value) == pytest.approx(0.5)
    assert math.log(pairs[(0, 1), (1, 1)].value) == pytest.approx(0, abs=1e-9)
    # Over all alternatives of the others: of a over b's three, of b over a's two.
    assert math.log(main[(0, 1),].value) == pytest.approx(0.3 + 0.5 / 3)
    assert math.log(main[(1, 2),].value) == pytest.approx(0.1 + 0.5 / 2)
    assert main[(2, 1),].value == pytest.approx(1)


def test_intervals_cover_the_true_effects() -> None:
    levels = [2] * 5
    rows = designs.screening(levels)
    true = [0.2, -0.1, 0.0, 0.05, 0.0]
    respond = responding(
        lambda row: sum(t * level for t, level in zip(true, row, strict=True)), 0.3
    )
    within = total = 0
    for first in range(1, 2000, 20):
        for ((choice, _),), found in by_level(
            main_effects(rows, levels, respond(rows, range(first, first + 20)))
        ).items():
            total += 1
            within += found.low <= math.exp(true[choice]) <= found.high
    assert 0.92 < within / total < 0.98  # of 500


def test_what_all_settings_share_on_a_network_does_not_widen_intervals() -> None:
    levels = [2, 2, 2]
    rows = designs.screening(levels)
    for effect in main_effects(
        rows, levels, responding(lambda row: 0.2 * row[0], 0)(rows, range(9))
    ):
        assert effect.factor.half_width < 1e-9


def test_a_setting_without_a_ratio_is_left_out_and_unknown_effects_are_said_to_be() -> None:
    levels = [2, 2]
    rows = designs.factorial(levels, [0, 1])
    found = responding(lambda row: 0.2 * row[0], 0)(rows, range(4))
    nothing = Sample((0, 1, 2, 3), np.zeros(4), np.ones(4))
    found[rows.index((1, 1))] = (nothing, found[0][1])
    main = by_level(main_effects(rows, levels, found))
    assert math.log(main[(0, 1),].value) == pytest.approx(0.2)
    _, pairs = pair_effects(rows, levels, found)
    assert math.isnan(pairs[0].factor.value)


def test_where_a_ratio_hangs_on_one_network_there_is_no_interval() -> None:
    levels = [2]
    rows = designs.factorial(levels, [0])
    found = responding(lambda row: 0.2 * row[0], 0)(rows, range(3))
    alone = Sample((0, 1, 2), np.array([5.0, 0.0, 0.0]), np.ones(3))
    (effect,) = main_effects(rows, levels, [found[0], (alone, alone)])
    assert math.isfinite(effect.factor.value)
    assert math.isnan(effect.factor.low)


def ratio(value: float, half: float = 0.01) -> Estimate:
    return Estimate(value, value - half, value + half, 20, 20)


def test_the_fewest_changes_across_are_confirmed() -> None:
    found = {
        (0, 0, 0): ratio(0.9),
        (1, 0, 0): ratio(1.005),  # across, but not clearly
        (1, 1, 0): ratio(1.1),
        (1, 0, 1): ratio(1.2),
        (1, 1, 1): ratio(1.5),
    }
    assert flips.candidates(found, 1.0) == [(1, 0, 0), (1, 0, 1), (1, 1, 0)]
    del found[1, 0, 0]
    assert flips.candidates(found, 1.0) == [(1, 0, 1), (1, 1, 0)]
    found[0, 1, 0] = ratio(1.005)
    unclear = {row: ratio(each.value, 0.6) for row, each in found.items()}
    assert flips.candidates(unclear, 1.0) == [(0, 1, 0)]
    assert flips.candidates(found, 2.0) == []


def test_a_headline_that_is_above_flips_downwards() -> None:
    found = {(0, 0): ratio(1.4), (0, 1): ratio(1.2), (1, 0): ratio(0.8)}
    assert flips.candidates(found, 1.0) == [(1, 0)]


@pytest.mark.parametrize(
    ("base", "changed", "word"),
    [
        (ratio(0.9), ratio(1.1), "yes"),
        (ratio(1.1), ratio(0.9), "yes"),
        (ratio(0.9), ratio(0.95), "no"),
        (ratio(0.9), ratio(1.005), "not decided"),
        (ratio(0.995), ratio(1.1), "decides"),
        (ratio(0.995), ratio(1.005), "not decided"),
        (ratio(0.9), ratio(math.nan), "not decided"),
    ],
)
def test_both_intervals_decide_a_flip(base: Estimate, changed: Estimate, word: str) -> None:
    assert flips.flips(base, changed, 1.0) == word


def test_the_search_finds_the_pair_that_flips_and_that_both_are_needed() -> None:
    seen: dict[Row, set[int]] = {}

    def log(row: Row) -> float:
        return -0.1 + 0.22 * row[1] * (row[4] == 2) + 0.02 * row[0] + 0.02 * row[6]

    def respond(rows: Sequence[Row], seeds: range) -> list[Pair]:
        for row in rows:
            seen.setdefault(row, set()).update(seeds)
        return responding(log, 0.05)(rows, seeds)

    told = asked(2, 2, 2, 2, 3, 2, 2, 2, keep=3)
    findings = search(told, respond)
    assert {1, 4} <= {*findings.kept}
    assert findings.flip is not None
    assert findings.flip.row == (0, 1, 0, 0, 2, 0, 0, 0)
    assert findings.flip.flips == "yes"
    assert [(back.choice, back.needed) for back in findings.taken_back] == [(1, "yes"), (4, "yes")]
    pair = findings.pairs[0]
    assert pair.of == ((1, 1), (4, 2))
    assert pair.factor.low < math.exp(0.22) < pair.factor.high
    assert "above 1 with b = 1 and e = 2: 1.1" in findings.sentence()
    assert f"; {len(seen)} settings tried" in findings.sentence()
    assert len(findings.tried) == len(seen)
    # What is confirmed is confirmed on networks that nothing was chosen on.
    fresh = {row for row, networks in seen.items() if networks & {*range(1001, 1101)}}
    assert fresh == {
        (0,) * 8, findings.flip.row, *(back.row for back in findings.taken_back),
        *(found.row for found in findings.candidates),
    }  # fmt: skip


def test_a_small_flip_outside_the_full_factorial_is_found_by_taking_changes_back() -> None:
    """Two choices flip it together; two others have the larger main effects, and none flips it."""

    def log(row: Row) -> float:
        return -0.3 + 0.6 * row[6] * row[7] - 0.4 * row[0] - 0.4 * row[1]

    told = asked(2, 2, 2, 2, 2, 2, 2, 2, keep=2)
    findings = search(told, responding(log, 0.05))
    assert findings.kept == [0, 1]
    assert findings.flip is not None
    assert flips.changes(findings.flip.row) == [6, 7]
    assert findings.pruned
    assert any(told["pruned"] for told in findings.document()["settings"])


def test_a_change_that_is_not_needed_is_said_not_to_be() -> None:
    found = search(asked(2, 2), responding(lambda row: -0.1 + 0.3 * row[0], 0.02))
    assert found.flip is not None
    assert found.flip.row == (1, 0)
    assert found.taken_back == []


def test_at_the_line_as_given_what_takes_it_to_either_side_is_found() -> None:
    def log(row: Row) -> float:
        return 0.005 - 0.4 * row[0] + 0.3 * row[1] + 0.01 * row[2]

    found = search(asked(2, 2, 2), responding(log, 0.2))
    assert {(each.row, each.flips) for each in found.candidates} >= {
        ((1, 0, 0), "decides"), ((0, 1, 0), "decides"),
    }  # fmt: skip
    assert "as given, at the line; below 1 with a = 1: 0.6" in found.sentence()
    assert "; above 1 with b = 1: 1.4" in found.sentence()
    assert found.document()["flips"] == "decides"


def test_where_nothing_crosses_the_line_that_is_the_finding() -> None:
    found = search(asked(2, 3), responding(lambda row: -0.5 + 0.1 * row[0], 0.02))
    assert found.flip is None
    assert "no setting crosses 1 on 20 networks; 6 settings tried" in found.sentence()
    assert found.document()["flips"] == "no"


CHOICE = {
    "name": "window",
    "about": "TCP's window",
    "alternatives": [
        {"label": 8, "set": {"transport.window_segments": 8}},
        {"label": 1, "set": {"transport.window_segments": 1}, "schemes": ["tcp-newreno"]},
    ],
}
ARP = {
    "name": "arp",
    "about": "address resolution",
    "alternatives": [
        {"label": True},
        {"label": False, "parts": [{"set": {"link.arp": False}, "schemes": ["tcp-newreno"]},
                                   {"set": {"link.arp": False}, "schemes": ["static"]}]},
    ],
}  # fmt: skip


def tables(choices: Sequence[object] = (CHOICE, ARP), **changes: object) -> dict[str, object]:
    assumptions: dict[str, object] = {
        "headline": "AODV over static routes",
        "metric": "goodput_bps",
        "scheme": "tcp-newreno",
        "over": "static",
        "screening": {"networks": 3, "first_seed": 1},
        "confirming": {"networks": 3, "first_seed": 101},
        "choices": [*choices],
    }
    return {
        "title": "two hops",
        "question": "What decides?",
        "scenario": {
            "duration_s": 2,
            "topology": {"kind": "chain", "hops": 2, "spacing_m": 200},
            "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
        },
        "schemes": ["tcp-newreno", "static"],
        "scale": {"quick": {"networks": 1}},
        "assumptions": {k: v for k, v in (assumptions | changes).items() if v is not None},
    }


def one_alternative() -> dict[str, object]:
    return CHOICE | {"alternatives": CHOICE["alternatives"][:1]}  # type: ignore[index]


def second(**changes: object) -> dict[str, object]:
    first, other = CHOICE["alternatives"]
    return CHOICE | {"alternatives": [first, {**other, **changes}]}  # type: ignore[dict-item]


WRONG = {
    "one alternative": (
        tables([one_alternative()]),
        "choices.0.alternatives: list should have at least 2",
    ),
    "five alternatives": (
        tables([CHOICE | {"alternatives": [{"label": n, "set": {"seed": n}} for n in range(5)]}]),
        "choices.0.alternatives: list should have at most 4",
    ),
    "nothing set": (tables([second(set={}, schemes=None)]), "alternatives.1: must set something"),
    "labels alike": (tables([second(label=8)]), "labels must differ"),
    "unknown scheme": (tables([second(schemes=["tcp-newrno"])]), "did you mean tcp-newreno?"),
    "neither scheme": (tables([second(schemes=["dcar"])]), "concerns dcar, but neither"),
    "unknown key": (tables([second(sets={})]), "sets: unknown key; did you mean set?"),
    "key of the scenario": (
        tables([second(set={"transport.widow_segments": 1})]),
        "transport.widow_segments: unknown key; did you mean",
    ),
    "two of a name": (tables([CHOICE, CHOICE]), "'window' appears twice"),
    "the same key": (tables([CHOICE, CHOICE | {"name": "again"}]), "window and again both set"),
    "overlap": (
        tables(confirming={"networks": 3, "first_seed": 3}),
        "networks 3 to 5 overlap those of screening, 1 to 3",
    ),
    "not of the study": (
        tables(over="dsr"),
        "assumptions.over: must be one of tcp-newreno, static",
    ),
    "unknown metric": (tables(metric="speed"), "assumptions.metric: unknown metric 'speed'"),
    "condition": (tables(where="hop > 3"), "assumptions.where: unknown column 'hop'"),
    "no headline": (tables(headline=None), "assumptions.headline: missing"),
    "axes": (
        tables() | {"axes": {"speed": {"key": "link.arp", "values": [True]}}},
        "assumptions: no axes beside them",
    ),
}


@pytest.mark.parametrize(("wrong", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_table_is_one_line(tmp_path: Path, wrong: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError) as caught:
        Trial(Study(**wrong), tmp_path).check([(1,)])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["one alternative", "key of the scenario"])
def test_the_command_refuses_it_with_exit_2(called: Called, tmp_path: Path, name: str) -> None:
    wrong, message = WRONG[name]
    file = tmp_path / "wrong.toml"
    file.write_text(to_toml(wrong), "utf-8")
    ran = called("assumptions", file, "--out", "out")
    assert ran.returncode == 2
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_other_commands_take_no_notice_of_the_table(tmp_path: Path) -> None:
    with_it, without = tables(), {k: v for k, v in tables().items() if k != "assumptions"}
    ours, theirs = (
        Study(**each).run(tmp_path / str(n)) for n, each in enumerate((with_it, without))
    )
    assert ours.runs.equals(theirs.runs)


def test_the_command_end_to_end(called: Called, tmp_path: Path) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(to_toml(tables()), "utf-8")
    ran = called("assumptions", file, "--out", "out", "--workers", 1)
    assert ran.returncode == 0, ran.stderr
    assert max(map(len, ran.stdout.splitlines())) <= 80
    assert "AODV over static routes: " in ran.stdout
    out = tmp_path / "out"
    with sqlite3.connect(out / "store" / "ledger.sqlite") as ledger:
        kept = ledger.execute("SELECT count(*) FROM runs").fetchone()[0]
    assert f"{kept} runs; " in ran.stdout
    found = json.loads((out / "assumptions.json").read_text("utf-8"))
    assert found["settings_tried"] == len(found["settings"]) == 4
    assert found["settings"][0]["changes"] == {}
    assert {tuple(effect["of"].items()) for effect in found["main_effects"]} == {
        (("window", "1"),), (("arp", "off"),),
    }  # fmt: skip
    page = (out / "assumptions.md").read_text("utf-8")
    assert "(tornado.svg)" in page
    assert "window = 1" in (out / "tornado.svg").read_text("utf-8")
    again = called("assumptions", file, "--out", "out")
    assert again.returncode == 2
    assert "--resume continues them" in again.stderr
    resumed = called("assumptions", file, "--out", "out", "--resume")
    assert resumed.stdout == ran.stdout
    overlapping = called("assumptions", file, "--out", "more", "--networks", 101)
    assert overlapping.returncode == 2
    assert "overlap" in overlapping.stderr


def test_a_setting_can_be_run_again_by_its_reading(called: Called, tmp_path: Path) -> None:
    study = Study(**tables())
    trial = Trial(study, tmp_path / "out")
    ((ours, _),) = trial([(1, 1)], range(5, 6))
    assert reading.find(str(tmp_path / "out/settings/s001.toml")).name == "settings/s001"
    scenario = tmp_path / "chain.toml"
    scenario.write_text(to_toml(tables()["scenario"]), "utf-8")  # type: ignore[arg-type]
    ran = called("run", scenario, "--scheme", "tcp-newreno", "--seed", 5, "--json", "-",
                           "--reading", "out/settings/s001.toml")  # fmt: skip
    result = json.loads(ran.stdout)
    assert result["scenario"]["transport"]["window_segments"] == 1
    assert result["scenario"]["link"]["arp"] is False
    assert sum(flow["goodput_bps"] for flow in result["flows"]) == pytest.approx(ours.sums.sum())


@pytest.mark.parametrize("paper", SEARCHED)
def test_every_setting_of_the_studies_can_be_run(paper: str, tmp_path: Path) -> None:
    study = Study.read(FOLDER / paper / "studies" / "assumptions.toml")
    told = study.table.assumptions
    assert told is not None
    base = (0,) * len(told.choices)
    each = [
        tuple(level if place == choice else 0 for place in range(len(base)))
        for choice, count in enumerate(told.levels)
        for level in range(1, count)
    ]
    for scale in study.table.scale.named:
        Trial(study, tmp_path / scale, scale=scale).check([*designs.screening(told.levels), *each])


@pytest.mark.parametrize("paper", SEARCHED)
def test_the_first_alternatives_are_the_study_as_it_stands(paper: str, tmp_path: Path) -> None:
    study = Study.read(FOLDER / paper / "studies" / "assumptions.toml")
    told = study.table.assumptions
    assert told is not None
    trial = Trial(study, tmp_path / "trial", scale="quick")
    (given,) = trial([(0,) * len(told.choices)], range(1, 2))
    own = study.run(tmp_path / "own", scale="quick", networks=1)
    for scheme, found in zip((told.scheme, told.over), given, strict=True):
        as_it_is = own.sample(told.metric, scheme, told.where)
        assert found.sums.tolist() == as_it_is.sums.tolist()
        assert found.counts.tolist() == as_it_is.counts.tolist()
