"""What is wrong with a scenario or a study, as exceptions with the place of the fault."""

from __future__ import annotations

from typing import Self


class ScenarioError(ValueError):
    """A scenario that can't be run; the one-line message names the key, the fault, what is allowed.

    The engine raises it by position with all its parts.
    """

    def __init__(
        self, message: str, line: int | None = None, key: str = "", fault: str | None = None
    ) -> None:
        super().__init__(message)
        self.line = line
        """Line of the file, from 1, if the fault stands in one."""
        self.key = key
        """Path of the key, as `mac.short_retry_limit` or `flows.0.source`; empty for the whole."""
        self.fault = message if fault is None else fault
        """What is wrong and what is allowed."""

    @classmethod
    def at(cls, key: str, fault: str) -> Self:
        """A fault of `key`, in a message that begins with the key."""
        return cls(f"{key}: {fault}" if key else fault, None, key, fault)


class StudyError(ScenarioError):
    """A study that can't be run; the message is one line and begins with the key at fault."""


class ReadingError(ScenarioError):
    """A reading that is not there or is wrong; the message is one line."""


class PaperError(ScenarioError):
    """A paper that is not there, or a file of it that is wrong; the message is one line."""


class OverrideWarning(UserWarning):
    """A scheme changes what the scenario sets."""


class SchemeError(RuntimeError):
    """A scheme of another crate has panicked; one line with the crate, its file and the line."""


class TraceError(ValueError):
    """A file that is no record of events; the message is one line without the file's name."""
