from pathlib import Path

import pytest
from hypothesis import settings

from tests.small_reproduction import reproduce_small

# The same examples in every run: a failure is a change of the code, never of the weather.
settings.register_profile("firstmover", derandomize=True, deadline=None)
settings.load_profile("firstmover")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run programmes that wait first, so that no worker is left with one of them at the end."""
    items.sort(key=lambda item: not {"browser", "torture"}.intersection(item.path.parts))


@pytest.fixture(scope="session")
def small_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small reproduction of everything, with two seeds."""
    out = tmp_path_factory.mktemp("reproduction") / "results"
    result = reproduce_small(out, "--seeds", "2")
    assert result.exit_code == 0, result.output
    (out.parent / "said.txt").write_text(result.stdout)
    return out
