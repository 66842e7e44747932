"""Options and arguments that several commands share, and what they lay over a scenario."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from multihop import ScenarioError, catalogue, consent, engine
from multihop.cli.failures import Failure
from multihop.cli.kinds import kind_of
from multihop.errors import ReadingError
from multihop.events import Watch
from multihop.overriding import overridden, reading_for, settings_of
from multihop.scenario import MAX_SEED, Tables, load, scheme_overrides

if TYPE_CHECKING:
    from multihop.papers import Paper
    from multihop.reading import Reading
    from multihop.study import Study
    from multihop.study.plan import Cell

PARTS = ("routing", "transport", "mac")
"""Tables of a scenario with a `scheme` that has an option of its own."""

_LARGE_BYTES, _LONG_S = 1_000_000_000, 5.0
"""What a network has to take before that is worth a line."""

_MOST_WARNINGS = 8
"""So many are printed."""

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Choice:
    """What the command line lays over a scenario."""

    scheme: str | None = None
    reading: Reading | None = None
    """What the scheme runs under, asked for or its paper's default."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Key paths and their values, as `multihop.run` takes them."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The option that each key path came from."""

    def overridden(self, tables: Tables) -> str | None:
        """What the scheme changes of what the scenario sets, in words; none if nothing."""
        return overridden(self.scheme, tables, self.options, self.reading)

    @property
    def laid(self) -> dict[str, Any]:
        """The arguments of `multihop.run` that say it."""
        return {"scheme": self.scheme, "reading": self.reading, "set": self.settings}


def choice_options(command: Command) -> Command:
    """Give a command --scheme, --reading, --routing, --transport, --mac, --set as a `choice`."""

    @functools.wraps(command)
    def with_choice(
        scheme: str | None, reading: Reading | None, settings: dict[str, str], **arguments: Any
    ) -> object:
        parts = {part: arguments.pop(f"{part}_name") for part in PARTS}
        named = {part: name for part, name in parts.items() if name is not None}
        laid = {part: {"scheme": name} for part, name in named.items()}
        options = {part: f"--{part} {name}" for part, name in named.items()}
        options |= {key: f"--set {key}={value}" for key, value in settings.items()}
        _check_scheme(scheme)
        read = reading if arguments.get("schemes") else _read_as(reading, scheme)
        if reading is not None:
            keys = [key for key, _ in reading.overrides(scheme)]
            options = dict.fromkeys(keys, f"--reading {reading.name}") | options
        elif scheme is not None and read is not None:
            told = f"{scheme} under its paper's default reading, {read.name}"
            click.echo(f"multihop: {told}; --reading names another", err=True)
        elif scheme is not None:
            _say_without_papers(scheme)
        for part, name in named.items():
            _say_replaced(scheme, part, name)
        return command(choice=Choice(scheme, read, laid | settings, options), **arguments)

    decorated: Any = with_choice
    for decorate in (
        code_option,
        set_option,
        *reversed([_part_option(part) for part in PARTS]),
        _reading_option,
        _scheme_option,
    ):
        decorated = decorate(decorated)
    found: Command = decorated
    return found


def watch_options(command: Command) -> Command:
    """Give a command --from, --to, --node and --flow as a `watch`; none where none is given."""

    @functools.wraps(command)
    def with_watch(
        from_s: float | None,
        to_s: float | None,
        nodes: tuple[int, ...],
        flows: tuple[int, ...],
        **arguments: Any,
    ) -> object:
        check_span(from_s, to_s)
        given = nodes or flows or from_s is not None or to_s is not None
        watch = Watch(from_s or 0.0, to_s, nodes, flows) if given else None
        return command(watch=watch, **arguments)

    decorated: Any = with_watch
    for name, option, kind, told in reversed(
        [
            ("from_s", "--from", "SECONDS", "Record events from then on."),
            ("to_s", "--to", "SECONDS", "Record events until then."),
            ("nodes", "--node", "NODE", "Record events at this node alone; may be repeated."),
            ("flows", "--flow", "FLOW", "Record events of this flow alone; may be repeated."),
        ]
    ):
        several = kind != "SECONDS"
        number = click.IntRange(0) if several else click.FloatRange(0)
        decorated = click.option(
            name, option, type=number, multiple=several, metavar=kind, help=told
        )(decorated)
    found: Command = decorated
    return found


def check_span(from_s: float | None, to_s: float | None) -> None:
    """Refuse --from and --to that leave no time between them."""
    if from_s is not None and to_s is not None and to_s <= from_s:
        raise click.UsageError(f"--to has to be after --from (got --from {from_s:g} --to {to_s:g})")


def parse_settings(
    _context: click.Context, _parameter: click.Parameter, settings: tuple[str, ...]
) -> dict[str, str]:
    """Split `key.path=value` options."""
    pairs = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"{setting!r} is not of the form key.path=value")
        pairs[key.strip()] = value.strip()
    return pairs


_COMMANDS: dict[catalogue.Kind, str] = {
    "scenario": "multihop run {}",
    "study": "multihop study run {}",
    "reading": "--reading {}",
}
"""What takes each kind of file."""


def _complete_setting(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Complete the key of `--set`, then its value."""
    from multihop.cli.keys import all_keys, keys_at

    path, equals, value = begun.partition("=")
    if not equals:
        known = {key.path: key.about for key in all_keys() if not key.is_table}
        return [
            CompletionItem(f"{known_path}=", help=about)
            for known_path, about in known.items()
            if known_path.startswith(path)
        ]
    values = {name: about for key in keys_at(path) for name, about in key.choices}
    values |= {key.default.strip('"'): "The default." for key in keys_at(path) if key.default}
    return [
        CompletionItem(f"{path}={name}", help=about)
        for name, about in values.items()
        if name.startswith(value)
    ]


def _named(kind: catalogue.Kind) -> Callable[[click.Context, click.Parameter, str], str]:
    """Read a file's path, or the name of one that comes along; refuse one of another kind."""

    def read(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
        try:
            path = catalogue.located(name, kind)
        except OSError as error:
            other = catalogue.kind_named(name)
            hint = f"; {_COMMANDS[other].format(name)}" if other not in (None, kind) else ""
            raise Failure(f"{name}: {error.strerror}{hint}") from None
        other = kind_of(path) if path.suffix == ".toml" else None
        if other not in (None, kind):
            hint = _COMMANDS[other].format(name)
            raise Failure(f"{name}: a {other}, not a {kind}; {hint}")
        return str(path)

    return read


def _completed(
    listed: Callable[[], Iterable[tuple[str, str]]], *, files: bool = True
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Complete the names that are listed and, where `files` are taken, their paths."""

    def complete(
        _context: click.Context, _parameter: click.Parameter, begun: str
    ) -> list[CompletionItem]:
        names = [
            CompletionItem(name, help=title) for name, title in listed() if name.startswith(begun)
        ]
        return [*names, *([CompletionItem(begun, type="file")] if files else [])]

    return complete


def _found(
    _context: click.Context, _parameter: click.Parameter, name: str | None
) -> Reading | None:
    if name is None:
        return None
    from multihop.reading import find

    return find(name)


def chosen_papers(name: str) -> list[Paper]:
    """The papers that PAPER or FOLDER names, with their metrics.

    Raises:
        PaperError: there is none, a file of it is wrong, or its code may not run.
    """
    from multihop import papers
    from multihop.metrics import METRICS, of_papers

    found = papers.papers(name)
    for paper in found:
        of_papers.add(METRICS, paper)
    for fault in [*papers.faults(), *of_papers.faults()]:
        click.echo(f"multihop: warning: {fault}", err=True)
    return found


def _papers() -> list[tuple[str, str]]:
    from multihop import papers

    return [(name, paper.about.title) for name, paper in papers.installed().items()]


def _readings() -> list[tuple[str, str]]:
    from multihop.reading import readings

    return [(found.name, found.title) for found in readings()]


study_named = _named("study")
study_names = _completed(catalogue.studies)
scenario_argument = click.argument(
    "scenario", metavar="SCENARIO",
    callback=_named("scenario"),
    shell_complete=_completed(catalogue.scenarios),
)  # fmt: skip
optional_scenario_argument = click.argument(
    "scenario", metavar="[SCENARIO]", required=False,
    callback=lambda context, option, name: name and _named("scenario")(context, option, name),
    shell_complete=_completed(catalogue.scenarios),
)  # fmt: skip
study_argument = click.argument(
    "file", metavar="STUDY",
    callback=study_named, shell_complete=study_names,
)  # fmt: skip
seed_option = click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), help="Seed; the scenario's own by default."
)
set_option = click.option(
    "settings",
    "--set",
    metavar="KEY=VALUE",
    multiple=True,
    callback=parse_settings,
    shell_complete=_complete_setting,
    help="Override one key of the scenario, such as routing.scheme=aodv or flows.NAME.bytes=9000; "
    "may be repeated.",
)
paper_argument = click.argument(
    "paper", metavar="[PAPER|FOLDER]", default="all", shell_complete=_completed(_papers)
)
paper_option = click.option(
    "--paper", metavar="PAPER|FOLDER", default="all", show_default=True,
    shell_complete=_completed(_papers), help="Whose readings, headlines or claims.",
)  # fmt: skip
gateway_option = click.option(
    "gateway", "--gateway", metavar="NODE", help="By default where most flows end."
)
workers_option = click.option(
    "--workers", type=click.IntRange(1), help="Runs at a time; all cores by default."
)
nodes_option = click.option(
    "--nodes", type=click.IntRange(2), default=1000, show_default=True, metavar="N",
    help="The most nodes of a network.",
)  # fmt: skip


def folder_option(about: str) -> Callable[[Command], Command]:
    """The folder that a server reads."""
    there = click.Path(path_type=Path, file_okay=False, exists=True)
    return click.option("--folder", type=there, metavar="DIR", help=about)


def seconds_option(default: float, about: str) -> Callable[[Command], Command]:
    """The longest that a server works at one thing."""
    return click.option(
        "--seconds", type=click.FloatRange(0, min_open=True), default=default, show_default=True,
        metavar="S", help=about,
    )  # fmt: skip


recorded_argument = click.argument(
    "source", metavar="SCENARIO|EVENTS.parquet",
    callback=_named("scenario"),
    shell_complete=_completed(catalogue.scenarios),
)  # fmt: skip


def _allow(context: click.Context, _parameter: click.Parameter, is_given: bool) -> None:
    context.with_resource(consent.for_process(is_given))


code_option = click.option(
    "--allow-code", is_flag=True, callback=_allow, expose_value=False,
    help="Run the classes of Python files that SCENARIO or STUDY names; see docs/use/strangers.md.",
)  # fmt: skip
_scheme_option = click.option(
    "--scheme", metavar="NAME", shell_complete=_completed(engine.schemes, files=False),
    help="Run with this combination of routing, transport and MAC; see multihop list schemes.",
)  # fmt: skip
_reading_option = click.option(
    "--reading", metavar="PAPER/NAME", callback=_found, shell_complete=_completed(_readings),
    help="Settle what the paper leaves open as this reading does; by default, as the default "
    "reading of the scheme's paper. See multihop list readings.",
)  # fmt: skip
readings_option = click.option(
    "readings", "--reading", metavar="PAPER/NAME", multiple=True,
    shell_complete=_completed(_readings),
    help="Run under this reading; may be repeated. See multihop list readings.",
)  # fmt: skip


def _choices(path: str) -> list[tuple[str, str]]:
    """The values of a key that has few, and what each means."""
    from multihop.cli.keys import keys_at

    return [choice for key in keys_at(path) for choice in key.choices]


def _part_option(part: str) -> Callable[[Any], Any]:
    return click.option(
        f"{part}_name", f"--{part}", metavar="NAME",
        help=f"Replace the [{part}] table by this scheme with its defaults.",
        shell_complete=_completed(lambda: _choices(f"{part}.scheme"), files=False),
    )  # fmt: skip


def say_warnings(texts: Iterable[str]) -> None:
    """Print what to check before trusting results, each thing once; of many the first."""
    found = [*dict.fromkeys(texts)]
    for text in found[:_MOST_WARNINGS]:
        click.echo(f"multihop: warning: {text}", err=True)
    if (more := len(found) - _MOST_WARNINGS) > 0:
        click.echo(f"multihop: warning: and {more:,} more such warnings", err=True)


def say_overridden(scenario: str, choice: Choice) -> None:
    """Warn, in one line, of what a scheme changes of what the file sets."""
    try:
        tables = load(scenario).tables()
    except (OSError, ScenarioError):
        return  # the run says so
    if changes := choice.overridden(tables):
        click.echo(f"multihop: warning: --scheme {changes}", err=True)


def say_study_overridden(study: Study) -> None:
    """The same of the schemes of a study, whose own settings and axes have the last word."""
    tables = load(study.source).tables()
    axes = study.table.axes.values()
    varied = {key for axis in axes for label in axis.labels for key in axis.settings(label)}
    for scheme in study.table.scheme_tables:
        told = dict.fromkeys([*varied, *scheme.set], "the study")
        read = None if study.table.readings else reading_for(scheme.scheme, scheme.reading)
        if changes := Choice(scheme.scheme, read, options=told).overridden(tables):
            click.echo(f"multihop: warning: scheme {changes}", err=True)


def say_load(scenario: str, choice: Choice, seed: int | None) -> None:
    """Say what a large network takes before it is built, where that is much."""
    if seed is not None and seed > MAX_SEED:
        return  # the run says so
    source = load(scenario)
    settings = settings_of(choice.scheme, choice.reading, choice.settings)
    overrides = [*source.overrides, *scheme_overrides(choice.scheme), *settings]
    _announce(engine.load(source.text, overrides, syntax=source.syntax, seed=seed))


def say_study_load(study: Study, scale: str | None) -> None:
    """The same for the largest network of a study.

    Raises:
        Failure: one of them can't fit into memory.
    """
    asked: dict[str, Cell] = {}
    for cell in study.cells(scale):
        tables = json.loads(cell.text)
        asked.setdefault(json.dumps([tables["topology"], tables["radio"]]), cell)
    loads = []
    for cell in asked.values():
        try:
            loads.append(engine.load(cell.text, syntax="json", seed=study.table.first_seed))
        except ScenarioError as error:
            raise Failure(f"{cell.name}: {error}") from None
    _announce(max(filter(None, loads), key=lambda load: load[2], default=None))


def _announce(load: tuple[int, int, int, float] | None) -> None:
    """Say what a network takes, where that is much."""
    if load is None:
        return
    nodes, neighbours, size, build_s = load
    if size >= _LARGE_BYTES or build_s >= _LONG_S:
        click.echo(
            f"multihop: {nodes:,} nodes with {neighbours // nodes:,} others each in sensing range: "
            f"about {size / 1e9:.1f} GB and {build_s:.0f} s to build; Ctrl-C ends it",
            err=True,
        )


def _check_scheme(scheme: str | None) -> None:
    try:
        scheme_overrides(scheme)
    except ScenarioError as error:
        raise Failure(f"--scheme: {error}") from None


def _read_as(reading: Reading | None, scheme: str | None) -> Reading | None:
    """What the scheme runs under; refused if that says nothing about it."""
    if reading is not None and scheme is None and not reading.overrides(None):
        raise Failure(f"--reading {reading.name}: needs --scheme")
    try:
        return reading_for(scheme, reading)
    except ReadingError as error:
        raise Failure(f"--{error}") from None


def _say_without_papers(scheme: str) -> None:
    """Say that a scheme of a paper has another meaning where no paper is installed."""
    from multihop import papers

    if not papers.installed():
        told = f"{scheme} as the engine takes it, as no paper is installed that could say otherwise"
        click.echo(f"multihop: {told}; {papers.HOW}", err=True)


def _say_replaced(scheme: str | None, part: str, name: str) -> None:
    """Say which table of a named scheme an option for that table takes the place of."""
    tables = [key.partition(".")[0] for key, _ in scheme_overrides(scheme)]
    if part in tables:
        others = " and ".join(table for table in dict.fromkeys(tables) if table != part)
        kept = f"; {others} stay" if " and " in others else f"; {others} stays" if others else ""
        told = f"--{part} {name} takes the place of the {part} of --scheme {scheme}{kept}"
        click.echo(f"multihop: warning: {told}", err=True)
