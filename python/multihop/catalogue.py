"""The example scenarios and studies of the package, and the reference data of a checkout."""

import tomllib
from pathlib import Path

_PACKAGE = Path(__file__).parent
_REPOSITORY = _PACKAGE.parents[1]


def scenario_folder() -> Path:
    """Folder of the example scenarios."""
    return _PACKAGE / "scenarios"


def study_folder() -> Path:
    """Folder of the studies."""
    return _PACKAGE / "studies"


def reference_folder() -> Path:
    """Folder of the ns-2.35 reference cases: in a checkout, or under the current folder."""
    checkout = _REPOSITORY / "tests" / "reference" / "ns2"
    return checkout if checkout.is_dir() else Path("tests/reference/ns2").absolute()


def studies() -> list[tuple[str, str]]:
    """Studies as (name below their folder, title)."""
    folder = study_folder()
    return [
        (
            str(path.relative_to(folder).with_suffix("")),
            tomllib.loads(path.read_text("utf-8"))["title"],
        )
        for path in sorted(folder.glob("**/*.toml"))
    ]


def scenarios() -> list[tuple[Path, str]]:
    """Example scenarios as (path, title)."""
    paths = sorted(scenario_folder().glob("*.toml"))
    return [(path, tomllib.loads(path.read_text(encoding="utf-8"))["title"]) for path in paths]
