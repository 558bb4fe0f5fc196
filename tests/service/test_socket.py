"""Where the service listens: on this machine, and nowhere else unasked."""

import os
import socket
from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.service.socket import checked_host, listener, names_for
from tests.service.processes import Running


def listening(pid: int) -> set[tuple[str, int]]:
    """Addresses and ports on which a process listens, by the kernel's own tables."""
    found = {os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}
    sockets = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in found:
                address, _, port = fields[1].partition(":")
                sockets.add((address, int(port, 16)))
    return sockets


def test_only_the_loopback_listens(service: Running) -> None:
    assert service.process.pid is not None
    assert listening(service.process.pid) == {("0100007F", service.port)}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "0", "*", "", "example.org", "::ffff:0.0.0.0"])
def test_no_address_that_means_all_is_listened_on(host: str) -> None:
    with pytest.raises(InvalidInput, match="host is"):
        checked_host(host, beyond=True)


def test_an_address_for_other_machines_needs_a_flag() -> None:
    with pytest.raises(InvalidInput, match="--beyond-this-machine"):
        checked_host("192.0.2.7", beyond=False)
    assert checked_host("192.0.2.7", beyond=True) == "192.0.2.7"
    assert [checked_host(host, beyond=False) for host in ("localhost", "127.0.0.1", "::1")] == [
        "127.0.0.1",
        "127.0.0.1",
        "::1",
    ]


def test_a_port_that_is_taken_is_refused_in_a_sentence(service: Running) -> None:
    with pytest.raises(InvalidInput, match=f"port is {service.port}: it cannot be used on 127.0.0.1 .* give another"):
        listener("127.0.0.1", service.port)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "192.0.2.7"])
def test_the_service_answers_to_the_address_that_it_prints(host: str) -> None:
    assert f"{host}:8642" in names_for(Bound(host, 8642))


def test_a_port_that_browsers_leave_out_may_be_left_out() -> None:
    assert {"127.0.0.1", "localhost", "[::1]"} <= set(names_for(Bound("127.0.0.1", 80)))
    assert {"play.example", "play.example:443"} <= set(names_for(Bound("127.0.0.1", 8642), ["play.example:443"]))
    assert "localhost" not in names_for(Bound("127.0.0.1", 8642), ["play.example"])


@pytest.mark.parametrize("name", ["https://play.example", "play.example/", "*", "user@play.example", "a b", "x:y", ""])
def test_a_name_that_no_browser_sends_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="give HOST or HOST:PORT"):
        names_for(Bound("127.0.0.1", 8642), [name])


class Bound(socket.socket):
    """Says that it is bound somewhere."""

    def __init__(self, host: str, port: int) -> None:
        self.place = host, port

    def getsockname(self) -> tuple[str, int]:
        return self.place
