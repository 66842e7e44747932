"""Completion in Bash, which takes `key=value` for three words."""

from __future__ import annotations

import os
from typing import Any

from click.shell_completion import BashComplete, CompletionItem
from click.shell_completion import split_arg_string as split

_END = "    return 0\n"
_NO_SPACE = "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"


class Bash(BashComplete):
    """Joins the words around an equals sign, and offers what stands behind it."""

    source_template = BashComplete.source_template.replace(_END, f"{_NO_SPACE}{_END}")

    def get_completion_args(self) -> tuple[list[str], str]:
        """The whole words before the cursor, and the one that it is in."""
        words, place = split(os.environ["COMP_WORDS"]), int(os.environ["COMP_CWORD"])
        words = [*words, ""] if place >= len(words) else words[: place + 1]
        joined: list[str] = []
        for number, word in enumerate(words):
            follows = number > 0 and words[number - 1] == "=" and word != ""
            if joined and (word == "=" or follows):
                joined[-1] += word
            else:
                joined.append(word)
        return joined[1:-1], joined[-1]

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """What Bash puts in the place of its word: of `key=value`, the value."""
        _, incomplete = self.get_completion_args()
        key = incomplete.partition("=")[0]
        value = item.value.removeprefix(f"{key}=") if "=" in incomplete else item.value
        return f"{item.type},{value}"
