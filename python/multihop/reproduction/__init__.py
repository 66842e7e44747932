"""Reproduction: what papers claim, who checks each claim, and what came out."""

from multihop.reproduction.ledger import Claim, claims
from multihop.reproduction.ownership import owners
from multihop.reproduction.verdicts import Verdict, judge

__all__ = ["Claim", "Verdict", "claims", "judge", "owners"]
