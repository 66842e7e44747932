"""Where results go: a folder that is named by the study, and is its own."""

from pathlib import Path

import pytest

from multihop import Study, StudyError
from tests.conftest import Called

TEXT = """
title = "TITLE"
question = "Which?"
schemes = ["static"]
[scenario]
duration_s = 1
topology = { kind = "chain", hops = 1 }
flows = [{ kind = "ftp", source = 0, destination = 1 }]
[scale.quick]
networks = 1
"""


def write(file: Path, title: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(TEXT.replace("TITLE", title))


@pytest.mark.slow("runs studies from the command line, three times")
def test_studies_of_different_folders_have_folders_of_their_own(
    tmp_path: Path, called: Called
) -> None:
    for name in ("one", "two"):
        write(tmp_path / name / "study.toml", name)
        said = called("study", "run", f"{name}/study.toml")
        assert said.returncode == 0, said.stderr
        assert f'title = "{name}"' in (tmp_path / "out" / name / "study.toml").read_text()
    write(tmp_path / "one" / "windows.toml", "windows")
    assert called("study", "run", "one/windows.toml").returncode == 0
    assert (tmp_path / "out" / "windows" / "report.html").is_file()


@pytest.mark.parametrize("option", [(), ("--resume",)])
def test_the_folder_of_another_study_is_refused(
    option: tuple[str, ...], tmp_path: Path, called: Called
) -> None:
    for name in ("one", "two"):
        write(tmp_path / name / "study.toml", name)
    scheme = (tmp_path / "two" / "study.toml").read_text().replace("static", "aodv")
    (tmp_path / "two" / "study.toml").write_text(scheme)
    assert called("study", "run", "one/study.toml", "--out", "here").returncode == 0
    report = (tmp_path / "here" / "report.html").read_bytes()
    said = called("study", "run", "two/study.toml", "--out", "here", *option)
    assert said.returncode == 2
    assert said.stderr == (
        "multihop: here: has the results of another study, 'one'; name another folder\n"
    )
    assert (tmp_path / "here" / "report.html").read_bytes() == report
    with pytest.raises(StudyError, match="another study"):
        Study.read(tmp_path / "two" / "study.toml").run(tmp_path / "here")


@pytest.mark.slow("runs studies from the command line, three times")
def test_a_study_that_was_changed_goes_on_in_its_folder(tmp_path: Path, called: Called) -> None:
    file = tmp_path / "one" / "study.toml"
    write(file, "one")
    assert called("study", "run", "one/study.toml").returncode == 0
    write(file, "one, renamed")
    assert called("study", "run", "one/study.toml", "--resume").returncode == 0
    file.write_text(file.read_text().replace('["static"]', '["static", "aodv"]'))
    assert called("study", "run", "one/study.toml", "--resume").returncode == 0
