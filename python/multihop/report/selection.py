"""How the best of a ranking was selected, in words: with what guarantee, after how many runs."""

from __future__ import annotations

import math

from multihop.labels import plain
from multihop.metrics import METRICS
from multihop.report.wording import capital, counted, number, scale_of
from multihop.study.race import Point, Race, runs_of
from multihop.study.ranking import RankingData

MOST_LEFT = 5
"""Undecided candidates that are named."""

_GUARANTEES = {
    "kn": "at least {chance} if the values of networks are normal",
    "kn++": "{chance} in the limit of many networks",
}


def guarantee(data: RankingData) -> list[str]:
    """What the selection promises, and how far it came: sentences for a reader of its tables."""
    select = data.ranking.select
    assert select is not None
    share = f"{_percent(select.indifference)}{_amount(data)}"
    chance = _GUARANTEES[select.procedure].format(chance=_percent(select.probability))
    said = [
        f"Selected by {select.procedure.upper()}: a candidate that is better than all others by "
        f"{share} or more is the one selected with a probability of {chance}.",
        f"{capital(selection_in_words(data))}.",
    ]
    races = len(data.races)
    if races > 1:
        together = 1 - races * (1 - select.probability)
        least = f", that all are right at least {_percent(together)}" if together > 0 else ""
        said.insert(1, f"That holds for each row by itself{least}.")
    return said


def selection_in_words(data: RankingData) -> str:
    """`selected after 340 of 1,666 runs (20 %)`, and what could not be decided."""
    taken, equal = runs_of(data.races)
    of = f"{taken:,} of {equal:,} runs ({_percent(taken / equal)})" if equal else "no runs"
    open_ = [race for race in data.races if not race.decided]
    if not open_:
        rows = "" if len(data.races) == 1 else f"all {len(data.races)} "
        return f"{rows}selected after {of}"
    selected = len(data.races) - len(open_)
    listed = "; ".join(_undecided(data, race) for race in open_)
    if len(data.races) == 1:
        return f"not decided after {of}: {listed}"
    return f"{selected} of {len(data.races)} selected after {of}; not decided: {listed}"


def selection_line(data: RankingData) -> str:
    """The same with the name of the best, where there is one race."""
    if not data.races:
        return "fewer than two candidates have such values"
    (first, *others), said = data.races, selection_in_words(data)
    return f"{_name(first.remaining[0])} {said}" if first.decided and not others else said


def _name(candidate: Point) -> str:
    return " + ".join(plain(part) for part in candidate)


def _undecided(data: RankingData, race: Race) -> str:
    """Those left in a race."""
    at = " ".join(
        f"{column}={plain(value)}"
        for column, value in zip(data.ranking.per, race.place, strict=True)
    )
    left = [_name(point) for point in race.remaining]
    shown = ", ".join(left[:MOST_LEFT])
    if len(left) > MOST_LEFT:
        shown += f" and {len(left) - MOST_LEFT} more"
    few = f" ({race.counted} of them with such values)" if race.counted < race.tried else ""
    return f"{at + ': ' if at else ''}{shown} after {counted(race.tried, 'network')}{few}"


def _amount(data: RankingData) -> str:
    """The indifference in the metric's unit, from the least to the greatest of the races."""
    found = sorted(race.indifference for race in data.races if math.isfinite(race.indifference))
    if not found:
        return ""
    factor, unit = scale_of(METRICS[data.ranking.y].unit, found)
    ends = list(dict.fromkeys(number(value * factor) for value in (found[0], found[-1])))
    return f" ({' to '.join(ends)}{' ' + unit if unit else ''})"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
