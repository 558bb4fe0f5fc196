import os
import secrets
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from firstmover.runs.cluster import connected

ROOT = Path(__file__).parents[2]


@dataclass
class Head:
    address: str
    pid: int
    env: dict[str, str] = field(repr=False)


def started(object_store=80 * 2**20):
    """A cluster of our own in another process, with the token that is ours alone."""
    env = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "PYTHONWARNINGS": "ignore"}
    env |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    for _ in range(3):  # on a busy machine a start may take longer than Ray waits
        process, address, said = attempt(env, object_store)
        if address:
            return process, Head(address, process.pid, env)
    raise AssertionError(said)


def attempt(env, object_store):
    command = [sys.executable, "-m", "tests.runs.on_ray.head", str(object_store)]
    process = subprocess.Popen(
        command, env=env, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    address = process.stdout.readline().strip()
    return process, address, "" if address else process.communicate()[1]


@pytest.fixture(scope="session")
def head():
    process, head = started()
    os.environ.update({name: head.env[name] for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN")})
    yield head
    process.communicate(timeout=60)
    assert process.returncode == 0


@pytest.fixture
def ray(head):
    with connected(head.address) as ray:
        yield ray
