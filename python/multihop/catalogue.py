"""The example scenarios and the reference data of the checkout that the package runs from."""

import tomllib
from pathlib import Path

_REPOSITORY = Path(__file__).parents[2]


def scenario_folder() -> Path:
    """Folder of the example scenarios."""
    return _REPOSITORY / "scenarios"


def reference_folder() -> Path:
    """Folder of the ns-2.35 reference cases: in a checkout, or under the current folder."""
    checkout = _REPOSITORY / "tests" / "reference" / "ns2"
    return checkout if checkout.is_dir() else Path("tests/reference/ns2").absolute()


def scenarios() -> list[tuple[Path, str]]:
    """Example scenarios as (path, title)."""
    paths = sorted(scenario_folder().glob("*.toml"))
    return [(path, tomllib.loads(path.read_text(encoding="utf-8"))["title"]) for path in paths]
