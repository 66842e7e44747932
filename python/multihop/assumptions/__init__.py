"""Which of the choices that a paper leaves open decide its headline, and the least that flips it.

A *setting* takes every choice in one of its alternatives. Many choices are screened with few
settings, those with the largest effects are combined in full, and the smallest change that takes
the headline's ratio across its line is confirmed on networks that nothing was chosen on.
"""

from multihop.assumptions.findings import Findings
from multihop.assumptions.search import search
from multihop.assumptions.settings import Trial, table_of

__all__ = ["Findings", "Trial", "search", "table_of"]
