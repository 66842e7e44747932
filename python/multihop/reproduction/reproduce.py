"""Reproducing papers: the studies that own their claims are run, and every claim is judged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from multihop import reading
from multihop.errors import PaperError, ReadingError
from multihop.files import write_within
from multihop.papers import Paper
from multihop.reproduction.ledger import claims
from multihop.reproduction.ownership import Owner, StudyOwner, TestOwner, check, owners
from multihop.reproduction.verdicts import ClaimRow, Verdict, judge
from multihop.study.results import StudyResults


class Asked:
    """A paper whose claims are judged, under some readings.

    Raises:
        PaperError: one of its files is wrong; with the file, the key and what is allowed.
        ReadingError: it has not one default reading.
    """

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.claims = claims(paper)
        self.owners: Mapping[str, Owner] = owners(paper, self.claims)
        self.readings = [reading.default(paper.name).name]
        """Names of the readings that it is judged under, by default the default one."""
        check(paper, self.claims, self.owners)

    @property
    def studies(self) -> list[str]:
        """The studies that own any of the claims, each once, in the order of the claims."""
        chosen = [self.owners.get(claim.id) for claim in self.claims]
        names = [
            name for owner in chosen if isinstance(owner, StudyOwner) for name in owner.studies
        ]
        return list(dict.fromkeys(names))

    def judged(self, results: Mapping[str, StudyResults], reading: str | None) -> list[Verdict]:
        """The verdict on each claim, in their order; `reading` is that of the results."""
        return [
            replace(
                judge(claim, self.owners.get(claim.id), results),
                reading=reading if isinstance(self.owners.get(claim.id), StudyOwner) else None,
            )
            for claim in self.claims
        ]


def asked(chosen: Sequence[Paper], names: Iterable[str] = ()) -> list[Asked]:
    """What is to be judged: each paper under the readings that are named, or its default one.

    Raises:
        PaperError: a paper is wrong, or two have a claim of the same name.
        ReadingError: there is no such reading, or it is another paper's.
    """
    found = {paper.name: Asked(paper) for paper in chosen}
    named: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        read = reading.find(name)
        if read.paper not in found:
            raise ReadingError(f"reading {name} is of {read.paper}, not of {', '.join(found)}")
        named.setdefault(read.paper, []).append(read.name)
    for paper, readings in named.items():
        found[paper].readings = readings
    whose: dict[str, str] = {}
    for paper, one in found.items():
        for claim in one.claims:
            if (other := whose.setdefault(claim.id, paper)) != paper:
                raise PaperError(f"claim {claim.id} is in {other} and in {paper}; name one of them")
    return [*found.values()]


def write_verdicts(rows: Sequence[ClaimRow], file: Path) -> None:
    """Write claims.json: a list with one table a claim."""
    write_within(file, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def page_rows(one: Asked, verdicts: Iterable[Verdict]) -> list[ClaimRow]:
    """The verdicts as the report's page takes them: `study` is what owns the claim."""
    found = rows(one, verdicts)
    for row in found:
        row["study"] = row["study"] or _kind(one.owners.get(row["id"]))
    return found


def _kind(owner: Owner | None) -> str:
    if owner is None:
        return "unowned"
    return "test" if isinstance(owner, TestOwner) else "reason"


def rows(one: Asked, verdicts: Iterable[Verdict]) -> list[ClaimRow]:
    """The tables of claims.json."""
    claims = {claim.id: claim for claim in one.claims}
    return [
        {
            **verdict.row(),
            "where": claims[verdict.id].where,
            "statement": claims[verdict.id].statement,
        }
        for verdict in verdicts
    ]
