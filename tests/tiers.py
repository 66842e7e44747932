"""Which cases of a test are in the quick tier: CONTRIBUTING.md has the rule."""

from collections.abc import Iterable
from typing import Any

import pytest


def but_first(cases: Iterable[Any], why: str, *, quick: int = 1) -> list[Any]:
    """The cases of a test, all but the first few of which are slow."""
    slow = pytest.mark.slow(why)
    return [
        case if place < quick else pytest.param(case, marks=slow)
        for place, case in enumerate(cases)
    ]
