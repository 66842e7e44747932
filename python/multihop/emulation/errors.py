"""What keeps an emulation from running."""


class EmulationError(Exception):
    """A one-line message for people: what is missing, or what was asked for that is not there."""
