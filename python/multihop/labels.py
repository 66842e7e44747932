"""Values of scenarios and axes as people read them."""

from collections.abc import Mapping


def plain(value: object) -> str:
    """A value of a scenario or an axis."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = f"{value:.12g}"
        return text.replace("e-0", "e-").replace("e+", "e").replace("e0", "e")
    if isinstance(value, list):
        return ", ".join(plain(item) for item in value) if value else "none"
    if isinstance(value, Mapping):
        pairs = (f"{key} = {plain(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    return str(value)
