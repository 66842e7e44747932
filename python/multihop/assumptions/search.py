"""The search: screen all choices, combine the largest in full, confirm the least that flips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from multihop.assumptions import designs, flips
from multihop.assumptions.effects import Effect, Pair, Row, main_effects, pair_effects, ratio
from multihop.assumptions.findings import Findings, Flip, TakenBack
from multihop.statistics import Estimate
from multihop.study.choices import Assumptions

Respond = Callable[[Sequence[Row], range], Sequence[Pair]]
"""Runs settings on networks and gives what each one gave."""


def search(asked: Assumptions, respond: Respond, networks: int | None = None) -> Findings:
    """Find what decides a headline.

    Args:
        asked: the headline and the choices.
        respond: runs settings.
        networks: how many networks to use for choosing and as many for confirming, in place of
            those asked for.
    """
    levels = asked.levels
    choosing, confirming = asked.seeds(networks)
    screened = designs.screening(levels)
    first = respond(screened, choosing)
    main = main_effects(screened, levels, first)
    kept = _kept(main, asked)
    combined = designs.factorial(levels, kept)
    second = respond(combined, choosing)
    main_in_full, pairs = pair_effects(combined, levels, second)
    ratios = {
        row: ratio(pair)
        for row, pair in zip([*screened, *combined], [*first, *second], strict=True)
    }
    pruned = _pruned(ratios, respond, choosing, asked.line)
    ratios |= pruned
    rows = [screened[0], *flips.candidates(ratios, asked.line)]
    base, *others = map(ratio, respond(rows, confirming))
    if others and flips.lies(base, asked.line) is None:
        # As given it is at the line: what takes it to its own side decides as well.
        ours = flips.side(ratios[screened[0]].value, asked.line)
        more = flips.candidates(ratios, asked.line, across=ours)
        others += map(ratio, respond(more, confirming))
        rows += more
    candidates = [
        Flip(row, found, flips.flips(base, found, asked.line))
        for row, found in zip(rows[1:], others, strict=True)
    ]
    findings = Findings(
        asked=asked, screening=choosing, confirming=confirming, screened=screened,
        combined=combined, pruned=[*pruned], kept=kept, main=main, main_in_full=main_in_full,
        pairs=pairs, ratios=ratios, base=base, candidates=candidates, taken_back=[],
    )  # fmt: skip
    return replace(findings, taken_back=_taken_back(findings, respond))


def _pruned(
    ratios: Mapping[Row, Estimate], respond: Respond, choosing: range, line: float
) -> dict[Row, Estimate]:
    """Settings with ever fewer changes, from the one clearly across the line with the fewest.

    Backward elimination: each change is taken back alone, and the one that costs least stays back,
    as long as the ratio stays across.
    """
    found: dict[Row, Estimate] = {}
    row = flips.clearest(ratios, line)
    if row is None:
        return found
    across = flips.side(ratios[row].value, line)
    while len(flips.changes(row)) > 1:
        fewer = [flips.without(row, choice) for choice in flips.changes(row)]
        new = [one for one in fewer if one not in ratios and one not in found]
        found |= dict(zip(new, map(ratio, respond(new, choosing)), strict=True)) if new else {}
        known = {one: (found | dict(ratios))[one] for one in fewer}
        row = max(fewer, key=lambda one: flips.beyond(known[one], line, across))
        if not flips.beyond(known[row], line, across) > 0:
            break
    return found


def _kept(main: Sequence[Effect], asked: Assumptions) -> list[int]:
    """The choices with the largest main effects, in the study's order."""
    by_size = dict.fromkeys(effect.of[0][0] for effect in main)
    return sorted([*by_size][: asked.keep])


def _taken_back(findings: Findings, respond: Respond) -> list[TakenBack]:
    """Each change of the flip taken back alone; one change taken back alone is the base."""
    flip = findings.flip
    if flip is None or len(flips.changes(flip.row)) < 2:
        return []
    changed = flips.changes(flip.row)
    rows = [flips.without(flip.row, choice) for choice in changed]
    found = map(ratio, respond(rows, findings.confirming))
    line = findings.asked.line
    return [
        TakenBack(row, choice, back, flips.needed(flip.ratio, back, line))
        for row, choice, back in zip(rows, changed, found, strict=True)
    ]
