"""The engine against runs of ns-2.35 and ns-3.44: few seeds, bars widened by their error.

`multihop validate` is the whole of it.
"""

import pytest

from multihop import catalogue
from multihop.validation import suite
from tests.tiers import but_first

WHY = "hundreds of runs against ns-2.35 and ns-3.44"
BATCHES = [
    *suite.choose(catalogue.reference_folder(), quick=True),
    *suite.choose_radios(quick=True),
]


@pytest.mark.parametrize(
    "batch", but_first(BATCHES, WHY, quick=2), ids=lambda batch: batch.family.pattern.strip("*-")
)
def test_family_is_within_its_bars(batch: suite.Batch) -> None:
    checks = suite.judge([batch], widening=suite.QUICK_WIDENING)
    missed = [
        f"{c.case}, {c.figure}: {c.ours} against {c.theirs}, {c.difference}, bar {c.bar}"
        for c in checks
        if not c.passed and c.miss is None
    ]
    assert not missed, "\n".join(missed)
