"""A study on a Dask cluster of two worker processes."""

from pathlib import Path

import pytest

from tests.test_study import contents, study

distributed = pytest.importorskip("distributed")


@pytest.mark.slow("starts a cluster")
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_what_this_machine_gives(tmp_path: Path) -> None:
    here = study().run(tmp_path / "here", scale="full")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        address = f"dask:{cluster.scheduler_address}"
        there = study().run(tmp_path / "there", scale="full", executor=address)
        assert contents(there) == contents(here)
        # A worker that dies takes no finished run with it; its runs are done by the other.
        workers = list(cluster.scheduler.workers)
        longer = study(scenario={**_SLOW})
        killed: list[str] = []

        def kill_one(_outcome: object) -> None:
            if not killed:
                killed.append(workers[0])
                cluster.workers[0].process.process._process.kill()

        results = longer.run(tmp_path / "killed", scale="full", executor=address, finished=kill_one)
    assert killed
    assert results.failures == {}
    assert results.finished == 20


def test_no_cluster_is_one_line(tmp_path: Path) -> None:
    from multihop import StudyError

    with pytest.raises(StudyError, match=r"executor: no Dask scheduler at tcp://127\.0\.0\.1:9"):
        study().run(tmp_path, executor="dask:tcp://127.0.0.1:9")
    with pytest.raises(StudyError, match="executor: must be local or dask:ADDRESS"):
        study().run(tmp_path, executor="slurm")


_SLOW = {
    "duration_s": 60,
    "topology": {"kind": "chain", "hops": 4, "spacing_m": 200},
    "flows": [{"kind": "ftp", "source": 0, "destination": 4, "stop_s": 60}],
}
