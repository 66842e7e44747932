"""The families of reference cases that the engine is held to, and running them."""

import fnmatch
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop import engine
from multihop.results import Result
from multihop.scenario import ScenarioSource
from multihop.simulate import run_tasks
from multihop.validation import links, proactive, radios, reference, rules, theory
from multihop.validation.rules import Check, Rule, Sample


@dataclass(frozen=True, slots=True)
class Family:
    """Cases judged by one rule."""

    pattern: str
    rule: Rule
    seeds: int
    quick_seeds: int
    quick_cases: int | None = None
    """How many of the cases a quick validation runs; all where None."""


FAMILIES = (
    Family("mac-saturated-*", rules.saturated, 5, 2),
    # In one run of five no sender of ten starves, and the sums scatter by 8 %: many seeds.
    Family("mac-cell-*", rules.cell, 400, 16),
    Family("mac-*hidden*", rules.hidden, 20, 10),
    Family("mac-chain6-cbr-*", rules.chain_cbr, 10, 3),
    Family("chain-aodv-*", rules.chain, 20, 5),
    Family("grid-two-strings-aodv", rules.shares, 20, 10),
    Family("parallel-*", rules.shares, 20, 10, 1),
    Family("cross-*", rules.shares, 20, 10, 1),
    Family("random200-5flows-*", rules.networks, 3, 3, 2),
    Family("random200-10flows-*", rules.networks, 3, 3, 2),
    Family("mobile50-*-aodv-*", rules.movements(0.08, 0.9), 10, 3, 2),
    Family("mobile50-*-dsr-*", rules.movements(0.15, 0.8), 10, 3, 2),
    Family("chain-dsr-*", rules.chain, 60, 5),
    Family("grid-two-strings-dsr", rules.shares, 20, 10),
    # Some runs have no way back for most of the time, so that totals scatter: many seeds.
    Family("chain-dsdv-*", rules.proactive_chain, 40, 10),
    Family("random50-5flows-dsdv-*", rules.networks, 5, 3, 2),
    Family("random50-1flows-*", rules.networks, 5, 3, 2),
    Family("random50-5flows-dsr-*", rules.networks, 5, 3, 2),
    Family("random50-10flows-*", rules.networks, 5, 3, 2),
    Family("random100-1flows-*", rules.networks, 5, 3, 2),
    Family("random100-5flows-*", rules.networks, 5, 3, 2),
    Family("random100-10flows-*", rules.networks, 5, 3, 2),
)

RADIO_FAMILIES = (
    Family("link-*", rules.chain_cbr, 5, 1),
    Family("minstrel-*", rules.chain_cbr, 5, 1),
    Family("cell-*", rules.cell, 5, 1, 6),
    Family("edca-*", rules.classes, 5, 3),
    Family("chain-*-udp-*", rules.chain_cbr, 5, 2),
    Family("two-channels-*", rules.chain_cbr, 5, 1),
    Family("chain-*-tcp-*", rules.chain, 10, 3),
    Family("shadowed-*", rules.links, 5, 2),
    Family("pairs-*", rules.chain_cbr, 10, 2),
    Family("hidden-*", rules.chain_cbr, 10, 2),
)
"""Those that ns-3.44 has run, in `radios.py`."""

QUICK_WIDENING = 1.0
"""Standard errors that widen the bars of a quick validation, which has few seeds."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A family with the cases chosen from it."""

    family: Family
    cases: list[reference.Case]
    seeds: int

    @property
    def runs(self) -> int:
        """Number of runs of ours."""
        return len(self.cases) * self.seeds


def choose(folder: Path, pattern: str = "*", *, quick: bool = False) -> list[Batch]:
    """Cases of `folder` that match `pattern`, by family."""
    names = sorted(path.stem for path in folder.glob("*.json"))
    return _batches(
        FAMILIES, names, lambda name: reference.load(folder / f"{name}.json"), pattern, quick
    )


def choose_radios(pattern: str = "*", *, quick: bool = False) -> list[Batch]:
    """Cases of today's radios that match `pattern`, by family."""
    cases = {case.name: case for case in radios.cases()}
    return _batches(RADIO_FAMILIES, list(cases), cases.__getitem__, pattern, quick)


def _batches(
    families: Sequence[Family],
    names: Sequence[str],
    load: Callable[[str], reference.Case],
    pattern: str,
    quick: bool,
) -> list[Batch]:
    batches = []
    for family in families:
        chosen = [n for n in fnmatch.filter(names, family.pattern) if fnmatch.fnmatch(n, pattern)]
        if quick:
            chosen = chosen[: family.quick_cases]
        if chosen:
            seeds = family.quick_seeds if quick else family.seeds
            batches.append(Batch(family, [load(name) for name in chosen], seeds))
    return batches


def judge(
    batches: Sequence[Batch],
    *,
    widening: float = 0.0,
    workers: int | None = None,
    finished: Callable[[Result], object] | None = None,
) -> list[Check]:
    """Run all batches on several threads and judge each by its family's rule."""
    tasks: list[tuple[ScenarioSource, dict[str, Any]]] = [
        (case.scenario, {"seed": seed})
        for batch in batches
        for case in batch.cases
        for seed in range(1, batch.seeds + 1)
    ]
    results = iter(run_tasks(tasks, workers=workers, finished=finished))
    checks = []
    for batch in batches:
        samples = [
            Sample(case, [next(results) for _ in range(batch.seeds)]) for case in batch.cases
        ]
        checks += batch.family.rule(samples, widening)
    return checks


def judge_routing(
    cases: Sequence[proactive.Case],
    *,
    widening: float = 0.0,
    workers: int | None = None,
    finished: Callable[[Result], object] | None = None,
) -> list[Check]:
    """Run the routing that ns-3.44 has run, too, and judge it."""
    checks = []
    for _, of_one in itertools.groupby(cases, lambda case: case.name):
        chosen = [*of_one]  # no more at a time: the records of events are large
        tasks = [(case.scenario, {"seed": case.seed, "events": True}) for case in chosen]
        results = run_tasks(tasks, workers=workers, finished=finished)
        checks += proactive.judge(chosen, results, widening=widening)
    return checks


def judge_theory() -> list[Check]:
    """Hold the engine to closed forms, as checks like those against the reference."""
    return [
        Check(
            "theory",
            check.name,
            f"{check.measured:.0f}",
            f"{check.theory:.0f}",
            f"{check.error:+.2%}",
            f"{check.tolerance:.1%}",
            check.passed,
        )
        for check in [
            *theory.one_hop_checks(),
            *theory.bianchi_checks(),
            *theory.todays_bianchi_checks(),
            *links.checks(),
        ]
    ]


def markdown(
    checks: Sequence[Check],
    closed: Sequence[Check] = (),
    today: Sequence[Check] = (),
    routing: Sequence[Check] = (),
) -> str:
    """Write the checks against ns-2.35, closed forms and ns-3.44 as a page of Markdown."""
    both = [*checks, *closed, *today, *routing]
    passed = sum(check.passed for check in both)
    reasons = {"explained": "", "open": ""}
    for check in both:
        if check.miss:
            figure = check.figure.split(",")[0]
            reasons[check.miss.verdict] += f"- {check.case}, {figure}: {check.miss.note}.\n"
    return (
        "# The engine against ns-2.35, theory and ns-3.44\n\n"
        "Written by `multihop validate --markdown evidence/validation.md`, "
        f"version {engine.version}: {passed} of {len(both)} figures within their bars.\n\n"
        "Each side is a mean over seeds with half of its 95 % interval; s.e. stands for standard "
        "errors of the difference of the two means. Reference runs: "
        "`python/multihop/validation/ns2`. DATA counts unicast and broadcast frames; a sender is "
        "starved in a run when it got less than a tenth of the fair share through.\n\n"
        + _markdown_table(checks, "ns-2.35")
        + (f"\n## Closed forms\n\n{_CLOSED_FORMS}\n\n" if closed else "")
        + (_markdown_table(closed, "theory") if closed else "")
        + (f"\n## Radios of today\n\n{_RADIOS}\n\n" if today else "")
        + (_markdown_table(today, "ns-3.44") if today else "")
        + (f"\n## OLSR, DSDV and HWMP\n\n{_ROUTING}\n\n" if routing else "")
        + (_markdown_table(routing, "ns-3.44") if routing else "")
        + "".join(
            f"\n## Misses that are {verdict}\n\n{told}" for verdict, told in reasons.items() if told
        )
    )


_CLOSED_FORMS = (
    "Throughput in bit/s: the mean exchange of one saturated hop of 200 m, and Bianchi's model "
    "(standard profile, 1000-byte payload, all stations 1 m from the receiver, no capture, no "
    "retry limit, a collision costing the frame and EIFS). Radios of today: 1472 bytes, seven "
    "attempts a frame. What one hop carries: every rate, packets of 100 and of 1472 bytes, with "
    "RTS and without, and A-MPDUs of at most 64; of each PHY the link furthest from the form."
)


_RADIOS = (
    "Packets in 10 s, in 2 s with 802.11ac and ax, segments acknowledged, or shares of all that "
    "arrives: reception by signal and noise, static routes, no RTS; "
    "`evidence/radios/ns3_radios.py` ran ns-3.44 on the same places with the same powers and "
    "models."
)


_ROUTING = (
    "Probes between four pairs, then a relay is killed: hops of settled routes, control of all "
    "nodes, seconds until routes have settled and healed. `evidence/proactive/beside_ns3.py` ran "
    "ns-3.44 on the same places with the same pairs and timers."
)


def _markdown_table(checks: Sequence[Check], against: str) -> str:
    rows = [
        f"| {c.case} | {c.figure} | {c.ours} | {c.theirs} | {c.difference} | {c.bar} "
        f"| {verdict(c)} |\n"
        for c in checks
    ]
    return (
        f"| case | figure | multihop | {against} | difference | bar | verdict |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | --- |\n" + "".join(rows)
    )


def verdict(check: Check) -> str:
    """One word for what came out."""
    if check.passed:
        return "pass"
    return check.miss.verdict if check.miss else "**fail**"
