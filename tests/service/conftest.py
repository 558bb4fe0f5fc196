from collections.abc import Iterator

import pytest

from tests.service.running import Running, hurry, with_match


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with the match `roads`, impatient with slow clients; nothing unforeseen may happen in it."""
    running = with_match(tmp_path_factory.mktemp("service"), hurry)
    yield running
    running.stop()
    assert "Traceback" not in running.said()
