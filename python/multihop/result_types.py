"""What the engine returns: the tables of a result, whose types are in `result_types.pyi`."""


def __getattr__(name: str) -> type:
    """Every table of a result is a `dict`."""
    if name.startswith("_"):
        raise AttributeError(name)
    return dict
