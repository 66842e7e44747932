"""The bars of the validation: they pass ns-2.35 itself and catch a simulator that is off."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop import Result, catalogue
from multihop.validation import radios, reference, rules, suite
from tests.conftest import Called

FOLDER = catalogue.reference_folder()


def case(name: str) -> reference.Case:
    return reference.load(FOLDER / f"{name}.json")


def echo(known: reference.Case, factor: float = 1.0) -> rules.Sample:
    """Results of ours that repeat the reference's runs, what got through scaled by `factor`."""
    return rules.Sample(known, [_result(known, run, factor) for run in range(len(known.delivered))])


def _result(known: reference.Case, run: int, factor: float) -> Result:
    flows = [
        {"kind": flow["kind"], "acked_segments": n * factor, "received_packets": n * factor}
        for flow, n in zip(known.scenario["flows"], known.delivered[run], strict=True)
    ]
    tables: dict[str, Any] = {"flows": flows}
    if known.figures:
        told = known.figures[run]
        tables["mac"] = {
            "rts_sent": told["RTS sent"],
            "cts_sent": told["CTS sent"],
            "data_sent": told["DATA sent"],
            "broadcast_sent": 0,
            "ack_sent": told["ACK sent"],
            "collisions": told["collisions"],
            "retry_drops": told["retry drops"],
        }
        tables["routing"] = {"packets_sent": told["routing packets"]}
    return Result(tables)


JUDGED = [
    ("mac-saturated-1hop-1000B", rules.saturated, 1.02),
    ("mac-cell-3-senders-1000B", rules.cell, 1.04),
    ("mac-chain6-cbr-400k", rules.chain_cbr, 0.94),
    ("chain-aodv-newreno-w8-1460B-200m-4hop", rules.chain, 1.2),
    ("mac-hidden-pair", rules.hidden, 1.02),
    ("grid-two-strings-aodv", rules.shares, 1.5),
    ("parallel-4hop-aodv-w32-512B", rules.shares, 1.5),
]


@pytest.mark.parametrize(("name", "rule", "factor"), JUDGED)
def test_bars_pass_the_reference_itself_and_catch_a_deviation(
    name: str, rule: rules.Rule, factor: float
) -> None:
    known = case(name)
    assert all(check.passed for check in rule([echo(known)], 0.0))
    assert not all(check.passed for check in rule([echo(known, factor)], 0.0))


def test_random_networks_are_judged_together() -> None:
    cases = [case(f"random200-10flows-aodv-{number:02}") for number in range(1, 11)]
    assert all(check.passed for check in rules.networks([echo(c) for c in cases], 0.0))
    total, *_ = rules.networks([echo(c, 1.06) for c in cases], 0.0)
    assert not total.passed
    swapped = [rules.Sample(a, echo(b).ours) for a, b in zip(cases, cases[::-1], strict=True)]
    _, correlation, _ = rules.networks(swapped, 0.0)
    assert not correlation.passed


def test_cells_leave_out_runs_with_a_starved_sender() -> None:
    (check,) = rules.cell([echo(case("mac-cell-2-senders-1000B"))], 0.0)
    assert check.figure.startswith("sum, 4 and 4 runs")


def test_widening_is_in_standard_errors() -> None:
    off = echo(case("mac-chain6-cbr-400k"), 1.07)
    (strict,) = rules.chain_cbr([off], 0.0)
    (wide,) = rules.chain_cbr([off], 2.0)
    assert not strict.passed
    assert wide.passed


def test_a_reference_case_becomes_a_scenario() -> None:
    scenario = case("mac-cell-2-senders-1000B").scenario
    assert scenario["topology"]["kind"] == "positions"
    assert scenario["flows"][1] == {
        "kind": "cbr",
        "source": 1,
        "destination": 2,
        "start_s": 1.01,
        "stop_s": 51,
        "packet_bytes": 1000,
        "rate_bps": 3e6,
    }


def test_every_case_belongs_to_exactly_one_family() -> None:
    batches = [*suite.choose(FOLDER), *suite.choose_radios()]
    chosen = [case.name for batch in batches for case in batch.cases]
    stems = [path.stem for path in Path(FOLDER).glob("*.json")]
    assert sorted(chosen) == sorted([*stems, *radios.scenarios()])


def test_markdown_has_a_row_for_each_check() -> None:
    checks = rules.saturated([echo(case("mac-saturated-1hop-64B"))], 0.0)
    page = suite.markdown(checks)
    assert "1 of 1 figures within their bars" in page
    assert "| mac-saturated-1hop-64B | received |" in page


def test_theory_has_a_table_of_its_own() -> None:
    checks = rules.saturated([echo(case("mac-saturated-1hop-64B"))], 0.0)
    closed = [rules.Check("theory", "one hop", "99", "100", "-1.0%", "0.5%", False)]
    page = suite.markdown(checks, closed)
    reference_part, closed_part = page.split("## Closed forms")
    assert "| ns-2.35 |" in reference_part
    assert "theory |" not in reference_part
    assert "| theory | difference |" in closed_part
    assert "| theory | one hop | 99 | 100 |" in closed_part
    assert "1 of 2 figures" in page


def test_validate_finds_its_cases_anywhere(called: Called) -> None:
    done = called("validate", "--quick", "--cases", "mac-saturated-1hop-64B")
    assert done.returncode == 0, done.stderr
    assert "multihop against stock ns-2.35" in done.stdout
    assert "theory" not in done.stdout
    assert "1 of 1 within their bars of ns-2.35." in done.stdout


def test_validate_does_not_pass_for_lack_of_cases(tmp_path: Path, called: Called) -> None:
    done = called("validate", "--quick", "--reference", tmp_path)
    assert done.returncode == 2
    assert "no reference case matches" in done.stderr


def test_the_cases_are_files_of_the_package() -> None:
    assert FOLDER.is_relative_to(Path(multihop.__file__).parent)
    assert len(list(FOLDER.glob("*.json"))) > 100


@pytest.mark.parametrize(
    ("case", "figure", "verdict"),
    [
        ("chain-802.11a-24-udp-3hop", "received", "explained"),
        ("cell-802.11n-mcs7-ampdu-20-senders", "sum", "open"),
        ("chain-802.11a-24-udp-3hop", "acked segments", "**fail**"),
    ],
)
def test_a_miss_is_explained_or_open_or_a_failure(case: str, figure: str, verdict: str) -> None:
    missed = rules.Check(case, figure, "1", "2", "-50 %", "5 %", passed=False)
    assert suite.verdict(missed) == verdict
    assert suite.verdict(dataclasses.replace(missed, passed=True)) == "pass"
