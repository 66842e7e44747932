"""A claim's verdict by the ledger's rule, and what it is based on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TypedDict, cast

import polars as pl

from multihop.errors import PaperError
from multihop.reproduction import kinds, shapes
from multihop.reproduction.ledger import (
    ArgBest,
    Claim,
    Direction,
    Equal,
    Exact,
    Invariant,
    Matrix,
    Order,
    Ratio,
    Trend,
    ValueIn,
)
from multihop.reproduction.ownership import Owner, ReasonOwner, StudyOwner, TestOwner
from multihop.reproduction.parts import Grade, Part, Word, all_of, share_of
from multihop.reproduction.quantities import Evidence
from multihop.study.results import StudyResults
from multihop.study.samples import equals
from multihop.study.selector import SelectorError


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a claim came out, and what the verdict is based on."""

    id: str
    verdict: Word
    grade: Grade = ""
    measured: float | None = None
    """The number that decides: of several comparisons, the one furthest from being met."""
    interval: tuple[float, float] | None = None
    """Its 95 % interval."""
    runs: int = 0
    networks: int = 0
    study: str | None = None
    """The study, or several joined by commas."""
    metric: str | None = None
    """What of the study was judged."""
    test: str | None = None
    reason: str = ""
    """The comparison in words."""
    reading: str | None = None
    """The reading that its study was run under; none where no study decides."""
    depends_on: list[str] = field(default_factory=list)
    """Our own defaults, where the paper is silent."""
    beside: Verdict | None = None
    """The verdict by the owner's second judgement."""
    by: str = ""
    """What that judgement is called; empty for the first."""
    needed: int | None = None
    """Networks on which what is inconclusive may get a word, if it stays as it is; none unknown."""

    def row(self) -> VerdictRow:
        """The verdict as plain JSON."""
        return cast("VerdictRow", asdict(self))


class VerdictRow(TypedDict):
    """A verdict as plain JSON; the keys are the fields of `Verdict`."""

    id: str
    verdict: Word
    grade: Grade
    measured: float | None
    interval: tuple[float, float] | None
    runs: int
    networks: int
    study: str | None
    metric: str | None
    test: str | None
    reason: str
    reading: str | None
    depends_on: list[str]
    beside: VerdictRow | None
    by: str
    needed: int | None


class ClaimRow(VerdictRow):
    """A table of claims.json: the verdict, with what the paper says and where."""

    where: str
    statement: str


def judge(
    claim: Claim, owner: Owner | None, results: Mapping[str, StudyResults] | None = None
) -> Verdict:
    """The verdict on a claim.

    Args:
        claim: the claim.
        owner: its owner, None for none.
        results: results of the owner's studies by their names in the paper's folder; a study that
            is missing was not run.
    """
    depends_on = claim.depends_on
    if isinstance(owner, TestOwner):
        tests = ", ".join(owner.tests)
        reason = f"reproduced by test {tests}; run by the test suite, not by this command"
        return Verdict(
            claim.id, "reproduced", "exact", test=tests, reason=_noted(reason, owner.note),
            depends_on=depends_on,
        )  # fmt: skip
    if not isinstance(owner, StudyOwner):
        reason = owner.reason if isinstance(owner, ReasonOwner) else "nothing checks this claim yet"
        return Verdict(claim.id, "not run", reason=reason, depends_on=depends_on)
    before = f"{claim.paper}/" if claim.paper else ""
    name = ", ".join(f"{before}{study}" for study in owner.studies)
    missing = [study for study in owner.studies if study not in (results or {})]
    if missing or results is None:
        reason = f"study not run: {', '.join(missing)}"
        return Verdict(claim.id, "not run", study=name, reason=reason, depends_on=depends_on)
    evidence = Evidence(claim, owner, results)
    try:
        part = _whole(claim, owner, results)
        reason = part.text
    except (SelectorError, PaperError, pl.exceptions.PolarsError) as error:
        part = Part("", "not run")
        reason = f"its owner does not fit the study: {error}"
    runs = evidence.runs()
    known = part.low is not None and part.high is not None
    return Verdict(
        claim.id,
        part.word,
        part.grade,
        measured=part.measured,
        interval=(part.low or 0.0, part.high or 0.0) if known else None,
        runs=len(runs),
        networks=len({(study, network) for study, _, network in runs}),
        study=name,
        metric=owner.metric,
        reason=_noted(reason, owner.note),
        depends_on=depends_on,
        beside=_beside(claim, owner, results),
        needed=part.needed if part.word == "inconclusive" else None,
    )


def _beside(claim: Claim, owner: StudyOwner, results: Mapping[str, StudyResults]) -> Verdict | None:
    """The second verdict, if the owner asks for one."""
    other = owner.other
    if other is None:
        return None
    found = judge(_asked(claim, other), other, results)
    return replace(found, by=other.by or other.metric)


def _whole(claim: Claim, owner: StudyOwner, results: Mapping[str, StudyResults]) -> Part:
    """The claim and all that must hold with it, as one part."""
    claim = _asked(claim, owner)
    parts = [_part(claim, Evidence(claim, owner, results))]
    for each in owner.further:
        asked = _asked(claim, each)
        part = _part(asked, Evidence(asked, each, results))
        parts.append(_named(part, each.by or each.metric))
    return all_of(parts) if len(parts) > 1 else parts[0]


def _asked(claim: Claim, owner: StudyOwner) -> Claim:
    """The claim with the variant's own expectation, if it has one."""
    return claim if owner.expect is None else claim.model_copy(update={"expect": owner.expect})


def _part(claim: Claim, evidence: Evidence) -> Part:
    """The claim as one part: at each value of `per`, or at once."""
    if evidence.frame().is_empty():
        return Part("no run finished", "not run")
    where = evidence.where(evidence.own("at"))
    per = evidence.own("per")
    if not per:
        return _by_kind(claim, evidence, where)
    if isinstance(per, str):
        places = [{per: value} for value in evidence.values(per, where)]
    else:
        places = evidence.points(per, where)
    parts = []
    for place in places:
        part = _by_kind(claim, evidence.under(equals(place)), where)
        known = [f"{name} = {value}" for name, value in place.items() if value is not None]
        parts.append(_named(part, ", ".join(known)))
    return share_of(parts, claim.expect.quorum, per if isinstance(per, str) else " and ".join(per))


def _by_kind(claim: Claim, evidence: Evidence, where: pl.Expr) -> Part:
    match claim.expect:
        case Ratio() as expect:
            return kinds.judge_ratio(expect, evidence, where)
        case Equal() as expect:
            return kinds.judge_equal(expect, evidence, where)
        case Direction() as expect:
            return kinds.judge_direction(expect, evidence, where)
        case Order() as expect:
            return kinds.judge_order(expect, evidence, where)
        case Trend() as expect:
            return shapes.judge_trend(expect, evidence, where)
        case ArgBest() as expect:
            return shapes.judge_argbest(expect, evidence, where)
        case ValueIn() as expect:
            return kinds.judge_value(expect, evidence, where)
        case Exact() as expect:
            return kinds.judge_exact(expect, evidence, where)
        case Invariant() as expect:
            return kinds.judge_invariant(expect, evidence, where)
        case Matrix() as expect:
            return shapes.judge_table(expect, evidence, where)


def _named(part: Part, name: str) -> Part:
    return replace(part, what=f"{name}: {part.what}")


def _noted(reason: str, note: str | None) -> str:
    return f"{reason}. {note}" if note else reason
