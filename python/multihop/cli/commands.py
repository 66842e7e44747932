"""The commands by what one wants of them; each is imported when it is called.

Most of them need libraries that take up to half a second to import. So `--help` and the completion
of names take the sentences that stand here, and import nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, NamedTuple, cast

import click
from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    """A command that is not imported yet."""

    place: str
    """Its module in this package and, where that is not the command's name, its function there."""
    does: str
    """What it does: the first paragraph of its own help."""


SECTIONS: dict[str, dict[str, Entry]] = {
    "Simulate": {
        "new": Entry(
            "new", "Write a scenario and a study of it, with comments, into a new folder NAME."
        ),
        "import": Entry(
            "import_sites",
            "Write a scenario from FILEs of real sites, links or movement, and say what was "
            "assumed.",
        ),
        "check": Entry(
            "check",
            "Check scenarios, studies, readings and papers, by file or name, without running "
            "anything.",
        ),
        "run": Entry(
            "run", "Simulate SCENARIO, a file or an example's name, and print each flow's results."
        ),
        "service": Entry(
            "service",
            "Say what each house of SCENARIO gets: good calls, pages in time, a video, a download.",
        ),
        "plan": Entry(
            "plan",
            "Select the change to SCENARIO that serves its houses best: a router, a dish, a "
            "setting.",
        ),
        "emulate": Entry("emulate", "Run real programs over SCENARIO's mesh, in real time."),
        "list": Entry(
            "listing:list_command",
            "List schemes, scenarios, studies, metrics, or papers with their readings and claims.",
        ),
        "schema": Entry(
            "schema",
            "Say what KEY of the scenario file means; without it, print the JSON Schema of all.",
        ),
    },
    "Study": {
        "study": Entry("study", "Run a study of many simulations; report on it."),
        "assumptions": Entry(
            "assumptions",
            "Find which choices of STUDY's table [assumptions] decide its headline, and what "
            "flips it.",
        ),
    },
    "Look inside": {
        "lab": Entry(
            "lab",
            "Serve a page that builds, runs, plays, explains and compares SCENARIO, until Ctrl-C.",
        ),
        "explain": Entry(
            "explain",
            "Say why the flows of a run were silent: of SCENARIO, or of what EVENTS.parquet "
            "records.",
        ),
        "replay": Entry(
            "replay",
            "Write a page that plays a run: of SCENARIO, or the one that EVENTS.parquet records.",
        ),
        "draw": Entry(
            "draw",
            "Simulate SCENARIO, a file or an example's name; draw its nodes and each flow's paths.",
        ),
        "bound": Entry(
            "bound",
            "Bound what any routing, scheduling and transport could give the flows of SCENARIO.",
        ),
        "export": Entry(
            "export",
            "Write SCENARIO's nodes for other tools: GeoJSON, NetJSON, BonnMotion or ns-2.",
        ),
        "movement": Entry(
            "movement",
            "Write the positions and movement of SCENARIO's nodes in ns-2's setdest format.",
        ),
    },
    "Judge": {
        "demo": Entry(
            "demo",
            "Judge a headline of each installed paper, reading by reading, and rank 16 "
            "combinations.",
        ),
        "headlines": Entry(
            "headlines",
            "Judge what a reader takes away from PAPER (all by default), reading by reading.",
        ),
        "reproduce": Entry(
            "reproduce",
            "Run the studies that own the claims of PAPER (all by default) and judge every claim.",
        ),
        "compare": Entry(
            "compare",
            "Run SCENARIO here and on stock ns-2.35, and say figure by figure whether they agree.",
        ),
        "validate": Entry(
            "validate",
            "Compare the engine with runs of stock ns-2.35 and ns-3.44 and theory; exit 1 on a "
            "miss.",
        ),
    },
    "Extend": {
        "new-scheme": Entry(
            "new_scheme",
            "Write a scheme, its test, and its study beside the others into a new folder NAME.",
        ),
        "new-paper": Entry(
            "new_paper",
            "Write a paper's folder NAME: claims, headlines, two readings and a study, with "
            "comments.",
        ),
        "mcp": Entry(
            "mcp",
            "Serve check, run, explain, compare, study, list and schema to programs, until input "
            "ends.",
        ),
        "completion": Entry(
            "completion", "Print the script that completes commands, options and names in SHELL."
        ),
    },
}

_ENTRIES = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class _Imported(Mapping[str, click.Command]):
    """The commands by name, each imported when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        module, _, function = _ENTRIES[name].place.partition(":")
        found = getattr(import_module(f"multihop.cli.{module}"), function or module)
        assert isinstance(found, click.Command)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_ENTRIES)

    def __len__(self) -> int:
        return len(_ENTRIES)


class Commands(click.Group):
    """A group that shows its commands by section, and imports the one that is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast("MutableMapping[str, click.Command]", _Imported())

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """All names, section by section."""
        return [*_ENTRIES]

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list for each section, with whole sentences."""
        column = max(map(len, _ENTRIES))
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:{column}}", entry.does) for name, entry in entries.items()]
                )

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name, or an option of the group."""
        names = [
            CompletionItem(name, help=entry.does)
            for name, entry in _ENTRIES.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]
