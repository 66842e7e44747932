"""The extras of the package: what `pip install multihop` leaves out, and who needs it."""

from __future__ import annotations

from importlib.util import find_spec

PACKAGES = {
    "report": ("altair", "jinja2", "matplotlib", "pydoe", "vl_convert"),
    "cluster": ("distributed",),
    "sites": ("PIL", "itmlogic", "pyproj"),
    "gym": ("gymnasium", "pettingzoo"),
    "mcp": ("mcp",),
}
"""What is imported from each extra."""


class MissingExtraError(ImportError):
    """An extra that is not installed; the one-line message says which and how to install it."""


def has(extra: str) -> bool:
    """Whether all of an extra is installed."""
    return not _absent(extra)


def need(extra: str, what: str) -> None:
    """Refuse `what` before any work is done for it.

    Raises:
        MissingExtraError: the extra is not installed.
    """
    if not has(extra):
        raise MissingExtraError(f"{what} needs an extra: {missing(extra)}", name=_absent(extra)[0])


def missing(extra: str) -> str:
    """How to install an extra, and what it lacks."""
    return f"pip install 'multihop[{extra}]' (not installed: {', '.join(_absent(extra))})"


def _absent(extra: str) -> list[str]:
    return [name for name in PACKAGES[extra] if find_spec(name) is None]
