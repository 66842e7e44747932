"""Reproduction: what five papers claim, who checks each claim, and what came out."""

from multihop.reproduction.ledger import Claim, Ledger, load
from multihop.reproduction.verdicts import Verdict, judge

__all__ = ["Claim", "Ledger", "Verdict", "judge", "load"]
