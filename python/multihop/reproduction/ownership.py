"""Who checks each claim: owners.toml, one table a claim, named by the claim's identifier.

A claim has at most one owner: a `study` whose results decide it, a `test` that proves it, or a
`reason` why nothing does. A study's table may translate what the ledger says in words into
columns of the study's results: `conditions` for named conditions, `schemes` for other names of
schemes, and any of `at`, `per`, `x`, ... in place of the ledger's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from multihop import papers
from multihop.errors import PaperError
from multihop.metrics import METRICS
from multihop.papers import Paper, Table
from multihop.reproduction.ledger import Claim, Expectation
from multihop.study import Study
from multihop.study import columns as study_columns
from multihop.study.document import StudyTable
from multihop.study.selector import SelectorError, parse

OWNERS = "owners.toml"


class StudyOwner(Table):
    """The claim is decided by the results of a study, or of several together."""

    study: str | list[str]
    """File in the paper's folder `studies`, without `.toml`. With several, `study` is a column."""
    metric: str
    """Name in `multihop list metrics`."""
    beside: str | dict[str, Any] | None = None
    """A second judgement, reported, but it decides nothing: another metric, or a variant."""
    also: list[dict[str, Any]] = Field(default_factory=list)
    """Variants that must hold too."""
    by: str | None = None
    """What a variant is called."""
    expect: Expectation | None = None
    """In place of the ledger's expectation; of variants, and where that is a rule in words."""
    higher_metric: str | None = None
    """With `lower_metric`: of a direction whose two conditions are two metrics."""
    lower_metric: str | None = None
    divide_by: str | None = None
    """Another metric: the quantity is the ratio of the two means."""
    factor: float = 1.0
    """Multiplies the quantity, for the ledger's unit."""
    relative_to: str | None = None
    """Scheme, by the ledger's name: the quantity is the ratio to it."""
    relative_at: str | None = None
    """Condition: the quantity is the ratio to that under this condition, the same otherwise."""
    derived: (
        Literal[
            "change", "crossing", "falls", "gain_share", "loss_per_step", "settles", "share_of_best"
        ]
        | None
    ) = None
    """The quantity is this function (derived.py) of means: by `x`, or with that of `against`."""
    against: str | None = None
    """For `change` the condition before, for `gain_share` the other scheme, for `share_of_best` the
    setting of `x` that is compared with the best."""
    schemes: dict[str, str] = Field(default_factory=dict)
    """The study's name of a scheme, where it is not the ledger's."""
    conditions: dict[str, str] = Field(default_factory=dict)
    """Selector for a condition, by the ledger's words for it."""
    at: str | None = None
    """In place of the ledger's; empty for no condition."""
    higher_at: str | None = None
    lower_at: str | None = None
    between: list[str] | None = None
    per: str | list[str] | None = None
    reduce: str | None = None
    x: str | list[str] | None = None
    """Column, or columns, for the variable of a trend or table, or the parameter of an argbest."""
    y: str | None = None
    over: tuple[float, float] | None = None
    least_flows: int = Field(default=1, ge=1)
    """Values of `x`, `per` and `reduce` with fewer flows (or runs) than this are left out."""
    must: str | None = None
    """Selector that every flow (or run) fulfils: an invariant, or a value that none may leave."""
    within: dict[str, str] = Field(default_factory=dict)
    """Selector for the rows of one of several studies, by the study; the others are left whole."""
    times: float | None = Field(default=None, gt=1)
    """Of a direction or order: the higher over the lower, at least; for "much" and "many"."""
    exceeds: float | None = None
    """Of a direction or order: the higher one lies above this as well, such as a gain above 1."""
    about: float | None = Field(default=None, gt=0)
    """Of a ratio or value: the paper's number, give or take this share, in place of the range."""
    note: str | None = None
    """What a reader of the verdict should know about the translation."""

    @property
    def studies(self) -> list[str]:
        """The studies, as a list."""
        return [self.study] if isinstance(self.study, str) else self.study

    def selector_of(self, words: str | None) -> str | None:
        """The selector that stands for the ledger's words; None for no condition."""
        if not words:
            return None
        return self.conditions.get(words, words)

    @property
    def other(self) -> StudyOwner | None:
        """How the second judgement is made, if there is one."""
        if isinstance(self.beside, str):
            return self._variant({"metric": self.beside})
        return None if self.beside is None else self._variant(self.beside)

    @property
    def further(self) -> list[StudyOwner]:
        """How the judgements are made that must hold too."""
        return [self._variant(changes) for changes in self.also]

    def _variant(self, changes: dict[str, Any]) -> StudyOwner:
        """The same owner with some keys changed."""
        own = self.model_dump(exclude_unset=True, exclude={"beside", "also", "note"})
        return StudyOwner.model_validate(own | changes)

    @model_validator(mode="after")
    def _variants_are_valid(self) -> Self:
        _ = self.other, self.further
        return self


class TestOwner(Table):
    """The claim is proved by tests, which continuous integration runs."""

    __test__ = False

    test: str | list[str]
    """FILE::NAME from the root of the repository, Rust or pytest."""
    note: str | None = None

    @property
    def tests(self) -> list[str]:
        """The tests, as a list."""
        return [self.test] if isinstance(self.test, str) else self.test


class ReasonOwner(Table):
    """Nothing checks the claim, for a written reason."""

    reason: str = Field(min_length=10)


Owner = StudyOwner | TestOwner | ReasonOwner
_KINDS: dict[str, type[Owner]] = {"study": StudyOwner, "test": TestOwner, "reason": ReasonOwner}


def owners(paper: Paper, claims: Sequence[Claim]) -> dict[str, Owner]:
    """Owner of each owned claim of a paper, by its identifier.

    Raises:
        PaperError: with the file, the claim, the key, what is wrong and what is allowed.
    """
    file = paper.file(OWNERS)
    known = [claim.id for claim in claims]
    found: dict[str, Owner] = {}
    for name, table in papers.tables(file).items():
        if name not in known:
            hint = papers.nearest(name, known)
            raise papers.placed(file, name, f"the paper has no such claim; {hint}")
        kinds = [kind for kind in _KINDS if isinstance(table, dict) and kind in table]
        if len(kinds) != 1:
            raise papers.placed(file, name, "needs one of study, test and reason")
        try:
            owner = _KINDS[kinds[0]].model_validate(table)
        except ValidationError as error:
            raise papers.fault_of(file, error, name) from None
        if isinstance(owner, StudyOwner):
            for study in owner.studies:
                papers.check_study(paper, study, file, f"{name}.study")
        found[name] = owner
    return found


def check(paper: Paper, claims: Sequence[Claim], owned: Mapping[str, Owner]) -> None:
    """Check that the owners fit their claims and their studies, before any of these runs.

    Raises:
        PaperError: naming the first claim whose owner does not.
    """
    read: dict[str, StudyTable] = {}
    for claim in claims:
        owner = owned.get(claim.id)
        if not isinstance(owner, StudyOwner):
            continue
        for name in owner.studies:
            read[name] = read.get(name) or Study.read(paper.studies[name]).table
        tables = [read[name] for name in owner.studies]
        found = faults(claim, owner, {axis for table in tables for axis in table.axes})
        schemes = {scheme.name for table in tables for scheme in table.scheme_tables}
        ways = [owner, *owner.further, *filter(None, [owner.other])]
        asked = {each.schemes.get(name, name) for each in ways for name in claim.compare}
        found += [
            f"no scheme {name} in {', '.join(owner.studies)}; {papers.nearest(name, schemes)}"
            for name in sorted(asked - schemes)
        ]
        if found:
            raise papers.placed(paper.file(OWNERS), claim.id, found[0])


def describe(paper: Paper, owner: Owner | None) -> str:
    """The owner in a word or two, for lists."""
    if owner is None:
        return "unowned"
    if isinstance(owner, StudyOwner):
        return f"study {', '.join(map(paper.full, owner.studies))}"
    if isinstance(owner, TestOwner):
        return f"test {', '.join(owner.tests)}"
    return "reason"


def missing_tests(owner: TestOwner, repository: Path) -> list[str]:
    """Those of the owner's tests that the repository does not have."""
    return [test for test in owner.tests if not _has_test(repository, test)]


def _has_test(repository: Path, test: str) -> bool:
    name_of_file, separator, name = test.rpartition("::")
    file = repository / name_of_file
    if not separator or not file.is_file():
        return False
    word = "def" if file.suffix == ".py" else "fn"
    return re.search(rf"\b{word} {re.escape(name)}\b", file.read_text(encoding="utf-8")) is not None


def columns(metric: str, axes: Iterable[str]) -> list[str]:
    """Columns of the frame that has `metric`, of studies with these axes."""
    ends = ["source", "destination"] if METRICS[metric].level == "flow" else []
    return ["study", *ends, *study_columns.columns(metric, axes, metrics=True)]


def faults(claim: Claim, owner: StudyOwner, axes: Iterable[str]) -> list[str]:
    """What is wrong in a study's ownership of a claim: metrics, columns and selectors."""
    axes = list(axes)
    found = []
    if owner.expect and claim.expect.kind != "invariant":
        found = ["expect is for also, beside and invariants only"]
    variants = [*owner.further, *filter(None, [owner.other])]
    return found + [
        fault
        for each in [owner, *variants]
        for fault in _own_faults(each.expect or claim.expect, each, axes)
    ]


def _own_faults(expect: Expectation, owner: StudyOwner, axes: Iterable[str]) -> list[str]:
    """The same, its variants apart."""
    found = [
        f"unknown metric {name}; {papers.nearest(name, METRICS)}"
        for name in filter(
            None, [owner.metric, owner.divide_by, owner.higher_metric, owner.lower_metric]
        )
        if name not in METRICS
    ]
    if found:
        return found
    known = columns(owner.metric, axes)
    if owner.divide_by is not None:
        known = [name for name in known if name in columns(owner.divide_by, axes)]

    of = getattr(expect, "of", None)
    places = ["at"] if owner.higher_metric else ["at", "higher_at", "lower_at"]
    selectors = [
        *(translated(expect, owner, name) for name in places),
        *(translated(expect, owner, "between") or []),
        *([of] if of in owner.conditions else []),
        *(word for word in getattr(expect, "high_to_low", []) if word in owner.conditions),
        owner.relative_at,
        owner.against if owner.derived in ("change", "share_of_best") else None,
        owner.must,
        *owner.within.values(),
    ]
    for words in selectors:
        try:
            parse(owner.selector_of(words), known)
        except SelectorError as error:
            found.append(str(error))
    found += _misplaced(owner, expect)
    wanted = {"change": owner.against, "gain_share": owner.against, None: ""}.get(
        owner.derived, owner.x
    )
    if wanted is None or (owner.derived == "share_of_best" and owner.against is None):
        found.append(f"{owner.derived} needs x or against")
    x = translated(expect, owner, "x") or getattr(expect, "param", None)
    used = [*([x] if isinstance(x, str) else x or [])]
    per = translated(expect, owner, "per")
    used += [translated(expect, owner, "y"), *([per] if isinstance(per, str) else per or [])]
    try:
        used += reduction(translated(expect, owner, "reduce"))[1]
    except PaperError as error:
        found.append(str(error))
    found += [f"unknown column {name!r}" for name in filter(None, used) if name not in known]
    return found


def _misplaced(owner: StudyOwner, expect: Expectation) -> list[str]:
    """Keys that mean nothing for this kind of expectation, or for these studies."""
    found = [
        f"{key} is for a direction or an order"
        for key in ("times", "exceeds")
        if getattr(owner, key) is not None and expect.kind not in ("direction", "order")
    ]
    if owner.about is not None and getattr(expect, "value", None) is None:
        found.append("about needs a value in the claim")
    strange = sorted(set(owner.within) - set(owner.studies))
    return found + [f"within: {study} is none of its studies" for study in strange]


def translated(expect: Expectation, owner: StudyOwner, name: str) -> Any:
    """A key of the expectation as the owner has it, or else the ledger."""
    chosen = getattr(owner, name, None)
    return getattr(expect, name, None) if chosen is None else chosen


def reduction(words: str | None) -> tuple[str, list[str]]:
    """`max over a and b` as `max` and its columns; no columns for None."""
    if words is None:
        return "mean", []
    match = re.fullmatch(r"(max|mean|geometric mean) over (\w+(?: and \w+)*)", words)
    if match is None:
        raise PaperError(f"reduce: {words!r} is not of the form max over a and b")
    return match[1], match[2].split(" and ")
