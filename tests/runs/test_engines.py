"""Engines on clusters: what Ray finds in its environment, what is refused, and small sweeps on Ray and Dask."""

import os
import socket
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput, StoreUnavailable
from firstmover.runs import engines
from firstmover.runs.engines import ENGINES

ROOT = Path(__file__).parents[2]


class FakeRay(SimpleNamespace):
    """Starts a cluster at an address of its choice."""

    exceptions = SimpleNamespace(RayError=KeyError)

    def __init__(self, ip: str = "127.0.0.1", running: bool = False, error: Exception | None = None) -> None:
        super().__init__(ip=ip, running=running, error=error, given={}, ended=0)

    def is_initialized(self) -> bool:
        return self.running

    def init(self, **given: Any) -> SimpleNamespace:
        if self.error:
            raise self.error
        self.given = given
        return SimpleNamespace(address_info={"node_ip_address": self.ip})

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 3.0}

    def shutdown(self) -> None:
        self.ended += 1


def use(monkeypatch: pytest.MonkeyPatch, ray: Any) -> Any:
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.util.joblib", SimpleNamespace(register_ray=lambda: None))
    return ray


def test_a_cluster_of_our_own_is_local_and_quiet_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = use(monkeypatch, FakeRay())
    with ENGINES["ray"].start(3, None) as workers:
        assert workers.count == 3
        assert ray.given["num_cpus"] == 3
        assert ray.given["include_dashboard"] is False
        assert ray.given["_node_ip_address"] == "127.0.0.1"
        assert ray.given["runtime_env"]["env_vars"]["OPENBLAS_NUM_THREADS"] == "1"
        assert ray.ended == 0
    assert ray.ended == 1


def test_one_that_would_listen_to_the_network_is_ended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = use(monkeypatch, FakeRay(ip="10.0.0.7"))
    with pytest.raises(InvalidInput, match="Ray was imported before"), ENGINES["ray"].start(None, None):
        raise AssertionError("never here")
    assert ray.ended == 1


def test_a_start_that_fails_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = use(monkeypatch, FakeRay(error=ValueError("The node timed out.\nMore.")))
    with pytest.raises(StoreUnavailable) as refusal, ENGINES["ray"].start(None, None):
        pass
    assert str(refusal.value) == "no Ray cluster could be reached: ValueError: The node timed out; try again."
    assert ray.ended == 1


@pytest.mark.parametrize("address", [None, "127.0.0.1:6379", "10.0.0.1:6379"])
def test_what_ray_finds_when_it_is_imported(address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    environment: dict[str, str] = {}
    monkeypatch.setattr(engines, "os", SimpleNamespace(environ=environment))
    monkeypatch.setattr(engines, "_check_address", lambda *_: None)
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    monkeypatch.setattr(engines, "import_module", lambda _: FakeRay(running=True))
    with pytest.raises(InvalidInput, match="Ray is connected already"), ENGINES["ray"].start(None, address):
        pass
    assert ("RAY_USAGE_STATS_ENABLED" in environment) == (address != "10.0.0.1:6379")
    assert len(environment.get("RAY_AUTH_TOKEN", "")) == (64 if address is None else 0)


@pytest.mark.parametrize("engine", ["ray", "dask"])
@pytest.mark.parametrize("address", ["auto", "10.0.0.1", ":6379", "host:ray", "host:65536", "host:70000", ""])
def test_an_address_is_host_and_port(engine: str, address: str) -> None:
    with pytest.raises(InvalidInput, match=f"address is {address!r}: give host and port of a"):
        ENGINES[engine].workers(None, address)


@pytest.mark.parametrize(("address", "connected"), [(None, "our own"), ("10.0.0.1:8786", "10.0.0.1:8786")])
def test_dask_is_reached_at_the_address_or_started_on_loopback(
    address: str | None, connected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[dict[str, Any]] = []
    clients: list[Any] = []

    def cluster(**given: Any) -> Any:
        started.append(given)
        return nullcontext("our own")

    def client(where: Any) -> Any:
        clients.append(where)
        return nullcontext(SimpleNamespace(ncores=lambda: {"a": 2, "b": 1}))

    dask = SimpleNamespace(LocalCluster=cluster, Client=client, KilledWorker=KeyError)
    monkeypatch.setitem(sys.modules, "distributed", dask)
    with engines.on_dask(7, address) as workers:
        assert (workers.count, clients) == (3, [connected])
    own = {"n_workers": 7, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    assert started == ([own] if address is None else [])


def test_an_address_where_nothing_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(StoreUnavailable, match=r"no Ray cluster answers at 127\.0\.0\.1:.*refused"):
        ENGINES["ray"].workers(None, f"127.0.0.1:{port}")


@pytest.mark.parametrize(("engine", "module", "name"), [("ray", "ray", "Ray"), ("dask", "distributed", "Dask")])
def test_without_the_extra_one_sentence(engine: str, module: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=rf"{name} is not installed: run pip install '\.\[cluster\]' in a clone"):
        ENGINES[engine].workers(None, None)


SWEEP = """
import sys
from pathlib import Path
from firstmover.runs import read_manifest, run_sweep
from firstmover.runs.engines import ENGINES
from tests.runs.processes import descendants, listening
from tests.runs.small import plan, with_deadly

if __name__ == "__main__":
    folder, engine = Path(sys.argv[1]), sys.argv[2]
    seen = []
    mine = with_deadly(plan(), 3, folder.with_suffix(".count"), times=1)
    watch = lambda _: seen.extend(listening(descendants(__import__("os").getpid())))
    progress = run_sweep(mine, folder, 2, engine, watch=watch)
    outside = [str(address) for address in seen if not address.is_loopback]
    print(progress.done, progress.failed, len(seen) > 0, outside)
"""


@pytest.mark.parametrize("engine", [pytest.param("ray", marks=pytest.mark.slow), "dask"])
def test_a_sweep_on_a_cluster_survives_a_lost_worker_and_listens_on_loopback(engine: str, tmp_path: Path) -> None:
    script = tmp_path / "sweep.py"
    script.write_text(SWEEP)
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "out"), engine],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout.splitlines()[-1:] == ["12 0 True []"], done.stderr
    assert (tmp_path / "out.count").stat().st_size == 1
