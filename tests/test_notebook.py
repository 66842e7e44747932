"""The example notebook runs from top to bottom, and is kept without its outputs."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FILE = Path(__file__).parents[1] / "examples" / "study.ipynb"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(FILE, as_version=4)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    return folder, client.execute()


def output_of(notebook: Any, words: str) -> Any:
    """What the cell shows whose code is `words`, or has them."""
    coded = [each for each in notebook.cells if words in each.source and "outputs" in each]
    (cell,) = [each for each in coded if each.source == words] or coded
    return cell.outputs[-1].data


def test_it_is_kept_without_outputs() -> None:
    notebook = nbformat.read(FILE, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.slow("runs a notebook with a study of 72 runs")
@pytest.mark.filterwarnings("ignore")
def test_it_runs_and_shows_what_it_speaks_of(ran: tuple[Path, Any]) -> None:
    folder, notebook = ran
    results = output_of(notebook, "study.run(")
    assert "72 of 72 runs" in results["text/plain"]
    assert "<table>" in results["text/html"]
    for name in ("goodput", "gain"):
        assert output_of(notebook, f'figure("{name}")')["image/svg+xml"].startswith("<svg")
    assert "shape: (2, 3)" in output_of(notebook, "unpaired_half_width")["text/plain"]
    assert (folder / "out" / "notebook" / "report.html").is_file()


@pytest.mark.slow("runs a notebook with a study of 72 runs")
@pytest.mark.filterwarnings("ignore")
def test_it_shows_the_study_its_progress_and_a_run(ran: tuple[Path, Any]) -> None:
    _, notebook = ran
    assert "6 cells on 12 networks, 72 runs" in output_of(notebook, "study")["text/html"]
    (running,) = [cell for cell in notebook.cells if "study.run(" in cell.source]
    progress = running.outputs[0].data
    assert "72 of 72 runs, " in progress["text/plain"]
    assert 'value="72" max="72"' in progress["text/html"]
    assert "<svg" in output_of(notebook, "one =")["text/html"]
    for code in ("results.plot(", "one.plot("):
        assert "vega-lite" in output_of(notebook, code)["text/html"]


@pytest.mark.slow("runs a notebook with a study of 72 runs")
@pytest.mark.filterwarnings("ignore")
def test_pairing_narrows_the_interval_as_it_says(ran: tuple[Path, Any]) -> None:
    table = output_of(ran[1], "unpaired_half_width")["text/plain"]
    rows = [[cell.strip(" │") for cell in line.split("┆")] for line in table.splitlines()]
    half_widths = {row[0]: float(row[2]) for row in rows if row[0] in ("paired", "unpaired")}
    assert 0 < half_widths["paired"] < half_widths["unpaired"] / 2
