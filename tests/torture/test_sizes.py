"""The long tests together fit into one run."""

from tests.torture.sizes import MINUTES, OTHERS, SIZES


def test_all_programmes_end_in_time() -> None:
    assert sum(size.seconds for size in SIZES.values()) + OTHERS <= 2 * 60 * MINUTES
