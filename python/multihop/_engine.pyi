from collections.abc import Callable, Sequence

version: str
build: str

class ScenarioError(ValueError): ...

def run(
    toml_text: str,
    overrides: Sequence[tuple[str, str]],
    *,
    seed: int | None = None,
    series_interval_s: float | None = None,
    queues: Sequence[int] | None = None,
    queue_classes: bool = False,
    links: bool = False,
    routes_interval_s: float | None = None,
    paths: bool = False,
    frames: bool = False,
    progress: Callable[[float], object] | None = None,
) -> str: ...
def resolve(toml_text: str, overrides: Sequence[tuple[str, str]]) -> str: ...
def movement(
    toml_text: str, overrides: Sequence[tuple[str, str]], *, seed: int | None = None
) -> str: ...
def load(
    toml_text: str, overrides: Sequence[tuple[str, str]], *, seed: int | None = None
) -> tuple[int, int, int, float] | None: ...
def schema() -> str: ...
def schemes() -> list[tuple[str, str]]: ...
def scheme_overrides(name: str) -> list[tuple[str, str]] | None: ...
