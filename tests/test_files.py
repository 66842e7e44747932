"""Atomic writing."""

import os
import threading
from pathlib import Path

import pytest

from multihop.files import write_atomically, write_within
from tests.conftest import Called


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    write_atomically(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, "new")
    assert (path.read_text(), path.stat().st_mode & 0o7777) == ("new", 0o640)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path, is_there: bool) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    if is_there:
        target.write_text("old")
    link.symlink_to("hop")
    (tmp_path / "hop").symlink_to("far/target")
    write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert [entry.name for entry in target.parent.iterdir()] == ["target"]


def test_a_link_in_a_circle_is_refused_by_its_name(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("link")
    with pytest.raises(OSError, match="link"):
        write_atomically(link, "new")
    assert link.is_symlink()


def test_a_device_and_a_pipe_are_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, "new")
    reader.join(10)
    assert read == [b"new"]
    assert pipe.is_fifo()
    write_atomically(Path(os.devnull), "new")
    assert Path(os.devnull).is_char_device()
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_a_link_in_a_folder_that_is_filled_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("old")
    link = tmp_path / "report.html"
    link.symlink_to("precious")
    write_within(link, "new")
    assert ((tmp_path / "precious").read_text(), link.read_text()) == ("old", "new")
    assert not link.is_symlink()


def test_every_output_of_the_command_line_goes_into_a_device_or_through_a_link(
    chain: Path, tmp_path: Path, called: Called
) -> None:
    calls = [
        ("run", chain, f"--{option}", "OUT")
        for option in ("json", "series", "trace", "pcap", "perfetto")
    ]
    calls += [("replay", chain, "--no-explain", "--out", "OUT"), ("bound", chain, "--json", "OUT")]
    calls += [("movement", chain, "--out", "OUT"), ("explain", chain, "--json", "OUT")]
    for number, call in enumerate(calls):
        link, target = tmp_path / f"link{number}", tmp_path / f"target{number}"
        link.symlink_to(target)
        for out in (Path(os.devnull), link):
            done = called(*(str(out) if word == "OUT" else word for word in call))
            assert (done.returncode, done.stderr) == (0, ""), call
        assert link.is_symlink()
        assert target.stat().st_size > 0
    assert Path(os.devnull).is_char_device()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
