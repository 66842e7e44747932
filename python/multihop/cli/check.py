"""`multihop check`: scenarios, studies and readings, without running them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop import ScenarioError, catalogue, engine
from multihop.cli import effort
from multihop.cli.failures import BAD_INPUT, one_line, placed
from multihop.cli.help import ends_with
from multihop.cli.kinds import kind_of
from multihop.cli.options import chosen_papers, code_option
from multihop.cli.streams import write_json
from multihop.faults import fault
from multihop.scenario import Source, classes, load, scheme_overrides, set_overrides

if TYPE_CHECKING:
    from multihop.reading import Choice
    from multihop.study import Study


_OF_PAPERS = {"paper.toml", "claims.toml", "owners.toml", "headlines.toml"}
"""Files of a paper's folder that mean something together only."""


@click.command(epilog=ends_with("docs/use/studies.md", "check mesh.toml", "check scenarios/*.toml"))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("json_file", "--json", metavar="FILE", help="Write it as JSON; - prints it.")
@code_option
def check(files: tuple[str, ...], json_file: str | None) -> None:
    """Check scenarios, studies, readings and papers, by file or name, without running anything.

    A line each: that it is right, and what a study would run; or what is wrong, and where. Exits 2
    if any is wrong.
    """
    told: list[dict[str, Any]] = []
    for name in files:
        entry: dict[str, Any] = {"file": name, "is_right": True, "warnings": []}
        try:
            said = f"{name}: ok, {_checked(_file(name))}"
            for warning in _warnings(_file(name)):
                entry["warnings"].append(one_line(warning))
                click.echo(f"multihop: warning: {name}: {one_line(warning)}", err=True)
        except ScenarioError as error:
            said = placed(error, str(_file(name)))
            said = said if said.startswith(f"{_file(name)}: ") else f"{name}: {said}"
            entry |= {"is_right": False, "error": fault(error)}
        except OSError as error:
            said = f"{error.filename or name}: {error.strerror}"
            entry |= {"is_right": False, "error": fault(error)}
        told.append(entry | {"message": one_line(said)})
        if json_file != "-":
            click.echo(one_line(said))
    if json_file:
        write_json(json_file, told)
    if not all(entry["is_right"] for entry in told):
        raise click.exceptions.Exit(BAD_INPUT)


def _file(name: str) -> Path:
    """The file of that path, or of the example scenario, study or reading of that name."""
    finders = (catalogue.scenario_file, catalogue.study_file, catalogue.reading_file)
    return next((file for find in finders if (file := find(name)).exists()), Path(name))


def _checked(file: Path) -> str:
    """What the file is.

    Raises:
        ScenarioError: it is wrong.
        OSError: it, or a file that it names, can't be read.
    """
    folder = file.parent if file.name in _OF_PAPERS else file
    if (folder / "paper.toml").is_file():
        return _paper(folder)
    match kind_of(file):
        case "reading":
            return _reading(file)
        case "study":
            return _study(file)
        case _:  # which says what is wrong with a file that is nothing
            return _scenario(file)


def _paper(folder: Path) -> str:
    """All files of a paper's folder together, as claims, owners and studies name each other."""
    from multihop.reproduction.headlines import headlines
    from multihop.reproduction.reproduce import Asked

    (paper,) = chosen_papers(str(folder.resolve()))
    asked, found = Asked(paper), headlines(paper)
    for file in paper.reading_files:
        _reading(file)
    for file in paper.studies.values():
        _study(file)
    parts = [
        _counted(len(asked.claims), "claim"),
        _counted(len(found), "headline"),
        _counted(len(paper.reading_files), "reading"),
        f"{len(paper.studies)} stud{'y' if len(paper.studies) == 1 else 'ies'}",
    ]
    return f"a paper: {', '.join(parts)}"


def _scenario(file: Path) -> str:
    source = load(file)
    resolved = engine.resolve(source.text, source.overrides, syntax=source.syntax)
    engine.load(source.text, source.overrides, syntax=source.syntax)
    return f"a scenario: {effort.shown(effort.run_seconds(resolved))} a run"


def _study(file: Path) -> str:
    from multihop.study import Study  # Polars and Pydantic take 0.3 s to import

    study = Study.read(file)
    # Precision adds networks at the scale that is run where none is named.
    more = {study.which_scale(): " or more"} if study.table.precisions else {}
    scales = []
    for name, scale in study.table.scale.named.items():
        cells, networks = study.cells(name), scale.networks
        takes = effort.shown(effort.study_seconds(cells, networks))
        scales.append(
            f"{name} {_counted(len(cells), 'cell')} on {_counted(networks, 'network')}, "
            f"{_counted(len(cells) * networks, 'run')}{more.get(name, '')}, {takes}"
        )
    return f"a study: {'; '.join(scales)}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _reading(file: Path) -> str:
    from multihop import reading

    found = reading.read(file)
    for number, choice in enumerate(found.choices):
        _check_settings(file, number, choice)
    return f"a reading: {found.title}"


def _warnings(file: Path) -> Iterator[str]:
    """What to know of a scenario or a study before it runs: what its network can't do."""
    match None if file.name in _OF_PAPERS else kind_of(file):
        case "scenario":
            source = load(file)
            yield from _warned_of(source)
        case "study":
            from multihop.study import Study

            yield from _of_study(Study.read(file))


def _of_study(study: Study) -> Iterator[str]:
    """The same of the first network at each point of the axes that has other networks."""
    seen: set[str] = set()
    first = study.table.first_seed
    told: dict[str, str] = {}
    for cell in study.cells():
        tables = json.loads(cell.text)
        network = json.dumps([tables[key] for key in ("topology", "mobility", "radio", "flows")])
        if network not in seen and len(seen) < _MOST_NETWORKS:
            seen.add(network)
            try:
                for warning in _warned_of(Source(cell.text, [], "json"), first):
                    told.setdefault(warning, cell.name)
            except ScenarioError as error:
                told.setdefault(f"seed {first}: {error}", cell.name)
    yield from (f"{name}: {warning}" for warning, name in told.items())


def _warned_of(source: Source, seed: int | None = None) -> Iterator[str]:
    """What the engine warns of, flows with ends that no path joins counted; nothing if large.

    Raises:
        ScenarioError: the network of that seed can't be drawn.
    """
    # Code that a scenario names is not run here, and a network can't be made without it.
    text, overrides, syntax = source.text, source.overrides, source.syntax
    named = classes(json.loads(engine.resolve(text, overrides, syntax=syntax)))
    if engine.load(text, overrides, syntax=syntax, seed=seed) is not None or named:
        return
    plan = engine.emulation(text, overrides, syntax=syntax, seed=seed, keeps_flows=True).plan()
    flows = plan["flows"]
    apart = [flow["id"] for flow in flows if flow["least_hops"] is None]
    if apart:
        from multihop.report.notices import unjoined

        yield unjoined(len(apart), len(flows), f"with seed {plan['seed']}")
    counted = tuple(f"flow {number}{end}" for number in apart for end in (": ", " ("))
    yield from (warning for warning in plan["warnings"] if not warning.startswith(counted))


_MOST_NETWORKS = 20
"""So many points of a study are looked at."""
_CHAIN = {
    "duration_s": 1,
    "topology": {"kind": "chain", "hops": 2},
    "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
}


def _check_settings(file: Path, number: int, choice: Choice) -> None:
    """Lay a choice over what it is made for; one for all schemes has to fit one of them."""
    from multihop import reading

    faults = []
    schemes = [name for name, _ in engine.schemes() if choice.concerns(name)]
    source = load(_CHAIN)
    for scheme in schemes:
        overrides = [*scheme_overrides(scheme), *set_overrides(choice.set)]
        try:
            engine.resolve(source.text, overrides, syntax=source.syntax)
        except ScenarioError as error:
            faults.append(f"{scheme}: {error}")
    if faults and (choice.schemes or len(faults) == len(schemes)):
        raise reading.placed(file, f"choices.{number}.set", faults[0])
