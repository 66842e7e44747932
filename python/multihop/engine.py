"""The engine: the one module that imports the compiled bindings."""

from multihop._engine import (
    ScenarioError,
    build,
    load,
    movement,
    resolve,
    run,
    schema,
    scheme_overrides,
    schemes,
    version,
)

__all__ = [
    "ScenarioError",
    "build",
    "build_name",
    "load",
    "movement",
    "resolve",
    "run",
    "schema",
    "scheme_overrides",
    "schemes",
    "version",
]


def build_name() -> str:
    """Version of the engine with a digest of its sources: results of another are not reused."""
    return f"{version}+{build}"
