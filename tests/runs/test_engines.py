"""How a cluster is connected to, without one: what Ray finds in its environment, and what is refused."""

import socket
import sys
from types import SimpleNamespace

import pytest

from firstmover import InvalidInput
from firstmover.core.errors import FirstmoverError, StoreUnavailable
from firstmover.runs import cluster


@pytest.fixture
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture
def environment(monkeypatch):
    empty: dict[str, str] = {}
    monkeypatch.setattr(cluster, "os", SimpleNamespace(environ=empty))
    return empty


class FakeRay:
    """Starts a cluster at an address of its choice."""

    exceptions = SimpleNamespace(RayError=KeyError)

    def __init__(self, ip="127.0.0.1", running=False, error=None):
        self._ip, self._running, self._error, self.told, self.ended = ip, running, error, {}, 0

    def is_initialized(self):
        return self._running

    def init(self, **told):
        if self._error:
            raise self._error
        self.told = told
        return SimpleNamespace(address_info={"node_ip_address": self._ip})

    def shutdown(self):
        self.ended += 1


def use(monkeypatch, ray):
    monkeypatch.setitem(sys.modules, "ray", ray)
    return ray


def test_a_cluster_of_our_own_is_local_and_quiet_and_ends(monkeypatch):
    ray = use(monkeypatch, FakeRay())
    with cluster.connected(workers=3) as connected:
        assert connected is ray
        assert ray.told["num_cpus"] == 3
        assert ray.told["include_dashboard"] is False
        assert ray.told["_node_ip_address"] == "127.0.0.1"
        assert ray.told["runtime_env"]["env_vars"]["OPENBLAS_NUM_THREADS"] == "1"
        assert ray.ended == 0
    assert ray.ended == 1


def test_one_that_would_listen_to_the_network_is_ended_at_once(monkeypatch):
    ray = use(monkeypatch, FakeRay(ip="10.0.0.7"))
    with pytest.raises(InvalidInput, match="Ray was imported before"), cluster.connected():
        raise AssertionError("never here")
    assert ray.ended == 1


def test_a_start_that_fails_is_told_in_one_sentence(monkeypatch):
    ray = use(monkeypatch, FakeRay(error=Exception("The node timed out.\nMore.")))
    with pytest.raises(StoreUnavailable) as refusal, cluster.connected():
        pass
    assert str(refusal.value) == "a Ray cluster could not be started: The node timed out; try again."
    assert ray.ended == 1


def test_what_ray_finds_when_it_is_imported(environment):
    cluster._prepare("10.0.0.1:6379")
    assert environment == {}
    cluster._prepare("127.0.0.1:6379")
    assert environment == cluster.LOCAL_ONLY
    cluster._prepare(None)
    assert environment["RAY_AUTH_MODE"] == "token"
    assert len(environment["RAY_AUTH_TOKEN"]) == 64


def test_a_token_that_the_user_names_is_kept(environment):
    environment["RAY_AUTH_TOKEN_PATH"] = "mine"
    cluster._prepare(None)
    assert environment == cluster.LOCAL_ONLY | {"RAY_AUTH_TOKEN_PATH": "mine"}


@pytest.mark.parametrize("address", ["auto", "10.0.0.1", ":6379", "host:ray", "host:70000", ""])
def test_an_address_is_host_and_port(address):
    sentence = f"address is {address!r}: give host and port of a Ray cluster, such as 10.0.0.1:6379."
    with pytest.raises(InvalidInput) as refusal, cluster.connected(address):
        pass
    assert str(refusal.value) == sentence


def test_an_address_where_nobody_answers(free_port):
    with pytest.raises(StoreUnavailable, match=r"no Ray cluster answers at 127\.0\.0\.1:.*refused"):
        cluster.check_address(f"127.0.0.1:{free_port}")


def test_a_cluster_that_does_not_let_us_in(monkeypatch):
    ray = use(monkeypatch, FakeRay(error=RuntimeError("wrong token.\nand more")))
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(StoreUnavailable) as refusal, cluster.connected(address):
            pass
    assert str(refusal.value) == f"no Ray cluster lets us in at {address}: wrong token."
    assert ray.ended == 1


def test_one_connection_is_enough(monkeypatch):
    use(monkeypatch, FakeRay(running=True))
    assert cluster.running_ray()
    with pytest.raises(InvalidInput, match="Ray is connected already"), cluster.connected():
        pass


def test_who_only_looks_whether_ray_runs_does_not_load_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    with pytest.raises(InvalidInput, match="no Ray cluster is connected"):
        cluster.running_ray()
    assert "ray" not in sys.modules


def test_without_ray_one_sentence(monkeypatch):
    use(monkeypatch, None)
    with pytest.raises(FirstmoverError, match=r"Ray is not installed: run pip install '\.\[cluster\]' in a clone"):
        cluster.import_ray()


def test_nothing_runs_before_it_is_connected(monkeypatch):
    use(monkeypatch, FakeRay())
    with pytest.raises(InvalidInput, match="no Ray cluster is connected"):
        cluster.running_ray()
