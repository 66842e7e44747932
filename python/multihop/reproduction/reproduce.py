"""Reproducing papers: the studies that own their claims are run, and every claim is judged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from multihop import catalogue, reading
from multihop.errors import ReadingError
from multihop.files import write_within
from multihop.reproduction.ledger import Claim, load
from multihop.reproduction.ownership import Owner, StudyOwner, TestOwner, owners
from multihop.reproduction.verdicts import ClaimRow, Verdict, judge
from multihop.study.results import StudyResults


def studies_of(claims: Iterable[Claim], owned: Mapping[str, Owner] | None = None) -> list[str]:
    """The studies that own any of the claims, each once, in the order of the claims."""
    owned = owners() if owned is None else owned
    chosen = [owned.get(claim.id) for claim in claims]
    names = [name for owner in chosen if isinstance(owner, StudyOwner) for name in owner.studies]
    return list(dict.fromkeys(names))


def study_file(name: str) -> Path:
    """File of a study by its name below `studies`."""
    return catalogue.study_folder() / f"{name}.toml"


def readings_of(paper: str, names: Iterable[str] = ()) -> dict[str, list[str]]:
    """The readings that each of the papers is judged under: those named, or else its default.

    Args:
        paper: a name in `catalogue.PAPERS`, or `all`.
        names: names of readings.

    Raises:
        ReadingError: there is no such reading, or it is another paper's.
    """
    papers = [*catalogue.PAPERS] if paper == "all" else [paper]
    chosen: dict[str, list[str]] = {name: [] for name in papers}
    for name in dict.fromkeys(names):
        found = reading.find(name)
        if found.paper not in chosen:
            raise ReadingError(f"reading {name} is of {found.paper}, not of {paper}")
        chosen[found.paper].append(found.name)
    return {name: found or [reading.default(name).name] for name, found in chosen.items()}


def judge_all(
    claims: Iterable[Claim],
    results: Mapping[str, StudyResults],
    owned: Mapping[str, Owner] | None = None,
    reading: str | None = None,
) -> list[Verdict]:
    """The verdict on each claim, in the order of the claims; `reading` is that of the results."""
    owned = owners() if owned is None else owned
    return [
        replace(
            judge(claim, owned.get(claim.id), results),
            reading=reading if isinstance(owned.get(claim.id), StudyOwner) else None,
        )
        for claim in claims
    ]


def write_verdicts(verdicts: Iterable[Verdict], file: Path) -> None:
    """Write claims.json: a list with one table a claim."""
    write_within(file, json.dumps(rows(verdicts), indent=1, ensure_ascii=False) + "\n")


def page_rows(
    verdicts: Iterable[Verdict], owned: Mapping[str, Owner] | None = None
) -> list[ClaimRow]:
    """The verdicts as the report's page takes them: `study` is what owns the claim."""
    owned = owners() if owned is None else owned
    found = rows(verdicts)
    for row in found:
        row["study"] = row["study"] or _kind(owned.get(row["id"]))
    return found


def _kind(owner: Owner | None) -> str:
    if owner is None:
        return "unowned"
    return "test" if isinstance(owner, TestOwner) else "reason"


def rows(verdicts: Iterable[Verdict]) -> list[ClaimRow]:
    """The tables of claims.json."""
    claims = {claim.id: claim for claim in load().claim}
    return [
        {
            **verdict.row(),
            "where": claims[verdict.id].where,
            "statement": claims[verdict.id].statement,
        }
        for verdict in verdicts
    ]
