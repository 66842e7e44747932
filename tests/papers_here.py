"""The papers of this repository, and folders of papers that tests make."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from multihop import papers
from multihop.reproduction import Claim, claims
from multihop.reproduction.headlines import Headline, headlines
from multihop.reproduction.ownership import Owner, owners

FOLDER = Path(__file__).resolve().parents[1] / "papers"
NAMES = [
    "adaptive-csma", "ccar", "copas", "diffq", "elfn", "ez-flow", "multipath", "semi-tcp",
]  # fmt: skip


@cache
def all_claims() -> dict[str, Claim]:
    """Every claim by its identifier."""
    return {claim.id: claim for name in NAMES for claim in claims(papers.find(name))}


@cache
def all_owners() -> dict[str, Owner]:
    """The owner of every claim."""
    found: dict[str, Owner] = {}
    for name in NAMES:
        paper = papers.find(name)
        found |= owners(paper, claims(paper))
    return found


@cache
def all_headlines() -> list[Headline]:
    """Every headline."""
    return [headline for name in NAMES for headline in headlines(papers.find(name))]


def program(paper: str, name: str) -> ModuleType:
    """A file of Python in a paper's folder, as a module."""
    file = FOLDER / paper / f"{name}.py"
    spec = spec_from_file_location(f"{paper.replace('-', '_')}_{name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
