from collections.abc import Iterator

import pytest

from tests.service.processes import Running, hurry, with_match


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One service for all tests of a worker, with the match `roads` and short timeouts; it may log no traceback."""
    running = with_match(tmp_path_factory.mktemp("service"), hurry)
    yield running
    running.stop()
    assert "Traceback" not in running.said()
